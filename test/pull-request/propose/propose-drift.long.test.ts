import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../../cli/world.js";
import { RecordingServer } from "../recording-server.js";

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const RULES = `${VSYS}/rulebase/security/rules`;

let world: CliWorld;
let server: RecordingServer;
let bare: string;

const git = (...words: string[]) =>
  execFileSync("git", ["-C", world.folder, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { encoding: "utf8" });
const act = (params: Readonly<Record<string, string>>) => world.lab.device.act("mkovacs", params);
const set = (xpath: string, element: string) => act({ type: "config", action: "set", xpath, element });
const edit = (xpath: string, element: string) => act({ type: "config", action: "edit", xpath, element });
const remove = (xpath: string) => act({ type: "config", action: "delete", xpath });
const move = (xpath: string, where: string, dst: string) => act({ type: "config", action: "move", xpath, where, dst });
const commitLive = () => act({ type: "commit", cmd: "<commit/>" });
const propose = (flags = "") => world.run(`drift --propose${flags}`, server.environment);
const branches = () =>
  execFileSync("git", ["-C", bare, "for-each-ref", "--format=%(refname:short)", "refs/heads"], { encoding: "utf8" }).trim().split("\n");
const file = (name: string) => join(world.folder, "desired-state", name);
const read = (name: string) => readFileSync(file(name), "utf8");

function change(name: string, ...edits: [from: string | RegExp, to: string][]): void {
  const text = edits.reduce((one, [from, to]) => one.replace(from, to), read(name));
  expect(text).not.toBe(read(name));
  writeFileSync(file(name), text);
}

async function settle(): Promise<void> {
  world.commit("more");
  git("push", "-q", "origin", "HEAD:main");
  expect((await world.run("reconcile")).code).toBe(0);
}

/** The branch, checked out in place of main; gives its name. */
function checkOut(): string {
  const [branch = ""] = branches().filter((name) => name.startsWith("plumbline/"));
  git("fetch", "-q", "origin");
  git("checkout", "-q", "--detach", `origin/${branch}`);
  return branch;
}

beforeEach(async () => {
  world = await openWorld();
  server = await RecordingServer.start("github");
  bare = mkdtempSync(join(tmpdir(), "plumbline-bare-"));
  execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", bare]);
  git("branch", "-q", "-M", "main");
  git("remote", "add", "origin", bare);
  git("push", "-q", "-u", "origin", "main");
  expect((await world.run("adopt edge")).code).toBe(0);
  expect((await world.run("reconcile")).code).toBe(0);
}, 120_000);
afterEach(async () => {
  await server.close();
  await world.close();
  rmSync(bare, { recursive: true, force: true });
});

describe("drift --propose", () => {
  it("writes live values into the YAML in place and opens a pull request; its plan shows no change", async () => {
    edit(`${RULES}/entry[@name='web-to-db']/source`, "<source><member>any</member></source>");
    set(`${RULES}/entry[@name='web-to-db']`, "<description>temporary, ticket 4711</description>");
    set(
      RULES,
      "<entry name='break glass'><from><member>any</member></from><to><member>web</member></to><source><member>any</member></source><destination><member>any</member></destination><source-user><member>any</member></source-user><category><member>any</member></category><application><member>ssh</member></application><service><member>any</member></service><action>allow</action></entry>",
    );
    move(`${RULES}/entry[@name='break glass']`, "before", "deny-all");
    move(`${RULES}/entry[@name='publish-web']`, "top", "");
    edit(`${VSYS}/address/entry[@name='db-01']/ip-netmask`, "<ip-netmask>10.120.0.99</ip-netmask>");
    edit(
      "/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system/login-banner",
      "<login-banner>hello: world #1</login-banner>",
    );
    commitLive();
    const before = git("status", "--porcelain", "desired-state");
    const { code, out } = await propose();
    expect(code).toBe(2);
    expect(out).toMatch(/proposed {2}\d changes on branch plumbline\/drift\/[a-z-]+\/edge-[0-9a-f]{8} {2}http/);
    expect(git("status", "--porcelain", "desired-state")).toBe(before);
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);

    const [pull] = server.pullRequests;
    expect(pull).toMatchObject({
      base: "main",
      title: expect.stringMatching(/^Take over drift of edge: \d changed, 1 added, 1 reordered|^Take over drift of edge: /),
    });
    expect(pull?.body).toMatch(/`web-to-db source` changed by `mkovacs` at `\d{4}\//);
    checkOut();
    const rules = read("edge/rules/security.yaml");
    expect(rules).toContain("# The complete security policy. Plumbline deletes rules that are not in this file.");
    expect([...rules.matchAll(/- (?:\{ )?name: (.*)/g)].map(([, name]) => name)).toEqual([
      "publish-web",
      "resolve-names",
      "web-to-db",
      "collect-metrics",
      "staff-internet",
      "break glass",
      "deny-all",
    ]);
    expect(rules).toContain("source: [any]\n          destination: [db-01]");
    expect(rules).toContain("description: temporary, ticket 4711");
    expect(read("edge/objects.yaml")).toContain("    db-01: { ip-netmask: 10.120.0.99, tag: [production] }\n");
    expect(git("diff", "--stat", "main", "--", "desired-state/edge/objects.yaml")).toContain("1 insertion(+), 1 deletion(-)");
    const message = git("log", "-1", "--format=%B");
    expect(message).toMatch(
      /^- edge: vsys1\/rulebase\/security\/rules\/web-to-db\/source changed by mkovacs at \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/m,
    );
    const plan = await world.run("plan");
    expect(plan.out).toMatch(/no changes\n\nIn sync, nothing to do: 1 target\.\n$/);
    expect(plan.code).toBe(0);
  });

  it("proposes the same drift once, also after it was closed, and again if it returns after a merge", async () => {
    edit(`${VSYS}/address/entry[@name='db-01']/ip-netmask`, "<ip-netmask>10.120.0.99</ip-netmask>");
    commitLive();
    await propose();
    const again = await propose();
    expect(again.out).toContain("proposed before");
    writeFileSync(join(world.folder, "README"), "another commit");
    git("add", "README");
    git("commit", "-qm", "elsewhere");
    expect((await propose()).out).toContain("proposed before");
    expect(server.pullRequests).toHaveLength(1);
    expect(branches()).toHaveLength(2);
    const [pull] = server.pullRequests;
    if (pull !== undefined) pull.state = "closed";
    expect((await propose()).out).toContain("closed: not proposed again");
    if (pull !== undefined) pull.state = "merged";
    expect((await propose()).out).toMatch(/\nproposed {2}1 change/);
    expect(server.pullRequests).toHaveLength(2);
    checkOut();
    expect((await world.run("plan")).code).toBe(0);
  });

  it("updates the request if the drift grows, and closes it with a comment if the drift is gone", async () => {
    const declared = readFileSync(file("edge/objects.yaml"), "utf8");
    const value = (name: string) => new RegExp(`${name}: \\{ ip-netmask: ([\\d.]+)`).exec(declared)?.[1] ?? "";
    const setTo = (name: string, address: string) =>
      edit(`${VSYS}/address/entry[@name='${name}']/ip-netmask`, `<ip-netmask>${address}</ip-netmask>`);
    setTo("db-01", "10.120.0.99");
    commitLive();
    await propose();
    setTo("web-03", "10.110.0.99");
    commitLive();
    expect((await propose(` --path ${VSYS}/address/entry[@name='web-03']`)).out).toMatch(/\nproposed {2}1 change/);
    expect(server.pullRequests).toHaveLength(2);
    expect((await propose()).out).toMatch(/\nupdated {2}2 changes on branch/);
    expect(server.pullRequests).toMatchObject([
      { title: "Take over drift of edge: 2 changed", body: expect.stringContaining("`web-03 ip-netmask`"), state: "open" },
      { title: "Take over drift of edge: 1 changed" },
    ]);
    git("fetch", "-q", "origin");
    git("checkout", "-q", "--detach", `origin/${server.pullRequests[0]?.branch}`);
    expect((await world.run("plan")).code).toBe(0);
    git("checkout", "-q", "main");
    setTo("db-01", value("db-01"));
    setTo("web-03", value("web-03"));
    commitLive();
    const { code, out } = await propose();
    expect([code, out]).toEqual([0, expect.stringMatching(/\nclosed {2}the drift is gone {2}http/)]);
    expect(server.pullRequests[0]?.state).toBe("closed");
    expect(server.comments).toMatchObject([{ pull: String(server.pullRequests[0]?.number) }]);
  });

  it("completes an interrupted run: a branch without a pull request", async () => {
    edit(`${VSYS}/address/entry[@name='db-01']/ip-netmask`, "<ip-netmask>10.120.0.99</ip-netmask>");
    commitLive();
    server.faults.push({ method: "POST", fault: { status: 403 } });
    expect(await propose()).toMatchObject({ code: 1, err: expect.stringContaining("code-host-forbidden") });
    expect(branches()).toHaveLength(2);
    expect((await propose()).out).toMatch(/\nproposed {2}1 change/);
    expect(server.pullRequests).toHaveLength(1);
  });

  it("creates only a local branch with --no-push", async () => {
    edit(`${VSYS}/address/entry[@name='db-01']/ip-netmask`, "<ip-netmask>10.120.0.99</ip-netmask>");
    commitLive();
    const { out } = await world.run("drift --propose --no-push");
    const [, branch = ""] = /on branch (\S+)/.exec(out) ?? [];
    expect(branches()).toEqual(["main"]);
    expect(server.requests).toEqual([]);
    git("checkout", "-q", branch);
    expect((await world.run("plan")).code).toBe(0);
    git("checkout", "-q", "main");
    expect((await world.run("drift --propose --no-push")).out).toContain("proposed before");
  });

  it("removes entries that the device lost, and keeps the comments around them", async () => {
    change("edge/objects.yaml", [
      / {4}updates: .*\n/,
      "    # fetched every night\n    updates: { fqdn: updates.example.net } # CHG-9\n    gone-1: { fqdn: gone.example.net } # with it\n",
    ]);
    await settle();
    remove(`${VSYS}/address/entry[@name='gone-1']`);
    remove(`${VSYS}/address/entry[@name='web-03']/tag`);
    commitLive();
    expect((await propose()).out).toMatch(/\nproposed {2}2 changes/);
    checkOut();
    const text = read("edge/objects.yaml");
    expect(text).not.toContain("gone-1");
    expect(text).toContain("    # fetched every night\n    updates: { fqdn: updates.example.net } # CHG-9\n");
    expect(text).toContain("    web-03: { ip-netmask: 10.110.0.13 }\n");
    expect((await world.run("plan")).code).toBe(0);
  });

  it("changes only the necessary lines, for any file layout", async () => {
    writeFileSync(
      file("edge/mine.yaml"),
      "target:   edge   # ours\nscope: vsys1\n\n\nconfig:\n    address:      # few\n        'h-1':   {\"ip-netmask\": '10.9.0.1'}\n        h-2:\n            ip-netmask:   10.9.0.2   # second\n",
    );
    await settle();
    edit(`${VSYS}/address/entry[@name='h-2']/ip-netmask`, "<ip-netmask>10.9.0.3</ip-netmask>");
    commitLive();
    await propose();
    checkOut();
    expect(
      git("diff", "-U0", "main", "HEAD", "--", "desired-state")
        .split("\n")
        .filter((line) => /^[+-] /.test(line)),
    ).toEqual(["-            ip-netmask:   10.9.0.2   # second", expect.stringMatching(/^\+ +ip-netmask: 10\.9\.0\.3 # second$/)]);
    expect((await world.run("plan")).code).toBe(0);
  });

  it("lists what it does not propose: references, secrets, results of directives, settings of the repository", async () => {
    change("edge/objects.yaml", [
      / {4}dns-02: .*\n/,
      "    dns-02: { ip-netmask: \"${edge:/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='dns-01']/ip-netmask}\" }\n    pool: { $count: 2, ip-netmask: \"10.7.0.${index}\" }\n",
    ]);
    await settle();
    change("edge/device.yaml", ["Authorised users only.", "Go away."]);
    world.commit("a new banner, not applied yet");
    edit(`${VSYS}/address/entry[@name='dns-02']/ip-netmask`, "<ip-netmask>10.20.0.77</ip-netmask>");
    edit(`${VSYS}/address/entry[@name='pool-1']/ip-netmask`, "<ip-netmask>10.7.9.9</ip-netmask>");
    edit(`${VSYS}/address/entry[@name='db-01']/ip-netmask`, "<ip-netmask>10.120.0.99</ip-netmask>");
    commitLive();
    const { out } = await propose();
    expect(out).toMatch(/\nproposed {2}1 change/);
    expect(out).toMatch(/not proposed: edge .*dns-02.*: its value is a reference/);
    expect(out).toMatch(/not proposed: edge .*pool-1.*\$count/);
    expect(out).toMatch(
      /not proposed: edge .*login-banner: edge\/device.yaml was committed after the last apply \([0-9a-f]{8}\): reconcile first/,
    );
    const [pull] = server.pullRequests;
    expect(pull?.title).toBe("Take over drift of edge: 1 changed");
    expect(pull?.body).toContain("**Not in here**, for a person to decide:");
    expect(pull?.body).toContain("`dns-02 ip-netmask`");
  });

  it("never writes a secret, and keeps the secret of an entry that an administrator added", async () => {
    const radius = "/config/shared/server-profile/radius";
    writeFileSync(
      file("edge/radius.yaml"),
      'target: edge\nscope: shared\nowns:\n  server-profile/radius: exclusive\nconfig:\n  server-profile:\n    radius:\n      one: { server: [{ name: a, secret: "${env:PSK}", ip-address: 10.0.0.1 }] }\n',
    );
    world.commit("radius");
    const env = { PSK: "hunter2hunter2" };
    await world.run("adopt edge", env);
    expect((await world.run("reconcile", env)).code).toBe(0);
    set(
      radius,
      "<entry name='two'><server><entry name='b'><secret>swordfish99</secret><ip-address>10.0.0.2</ip-address></entry></server></entry>",
    );
    set(`${radius}/entry[@name='one']/server/entry[@name='a']`, "<secret>changed-behind</secret>");
    commitLive();
    const { out, err } = await world.run("drift --propose", { ...env, ...server.environment });
    expect(out).toContain("proposed");
    checkOut();
    const all = `${git("show", "HEAD")}${out}${err}${JSON.stringify(server.requests)}`;
    expect(all).not.toMatch(/swordfish|hunter2|changed-behind|-AQ==/);
    expect(read("edge/radius.yaml")).toContain('secret: "${keep}"');
    expect(read("edge/radius.yaml")).toContain("${env:PSK}");
  });

  it("does not let names from the device take effect in the commit or on the code host", async () => {
    set(`${VSYS}/address/entry[@name='db-01']`, "<description>@all fixes #1</description>");
    set(
      RULES,
      "<entry name='fixes GH-12'><from><member>any</member></from><to><member>any</member></to><source><member>any</member></source><destination><member>any</member></destination><application><member>any</member></application><service><member>any</member></service><action>deny</action></entry>",
    );
    commitLive();
    expect((await propose()).out).toContain("proposed");
    checkOut();
    const { title, body } = server.pullRequests[0] ?? { title: "", body: "" };
    expect(`${git("log", "-1", "--format=%B")}${title}`).not.toMatch(/[@#]/);
    expect(git("log", "-1", "--format=%B")).toContain("fixes%20GH-12 added by mkovacs");
    expect(body).toContain("`fixes GH-12`");
    expect((await world.run("plan")).code).toBe(0);
  });

  it("reports missing settings before it reads a device, and refuses a modified checkout", async () => {
    expect(await world.run("drift --propose")).toMatchObject({ code: 1, err: expect.stringContaining("code-host-unknown") });
    edit(`${VSYS}/address/entry[@name='db-01']/ip-netmask`, "<ip-netmask>10.120.0.99</ip-netmask>");
    commitLive();
    change("edge/objects.yaml", ["10.110.0.12", "10.110.0.14"]);
    expect(await propose()).toMatchObject({ code: 1, err: expect.stringContaining("proposal-not-possible") });
    expect(branches()).toEqual(["main"]);
  });

  it("has nothing to propose without drift", async () => {
    expect(await propose()).toMatchObject({ code: 0, out: expect.stringContaining("nothing to propose") });
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
    writeFileSync(join(world.folder, "desired-state/note.yaml"), "target: edge\nconfig: {}\n");
    await propose();
    expect(server.requests).toHaveLength(1);
  });
});
