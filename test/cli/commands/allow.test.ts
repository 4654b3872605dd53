import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const RULES = "edge/rules/security.yaml";
const OBJECTS = "edge/objects.yaml";
const document = (file: string) => readFileSync(join(world.folder, "desired-state", file), "utf8");
const write = (file: string, text: string) => writeFileSync(join(world.folder, "desired-state", file), text);
const git = (...words: string[]) => execFileSync("git", ["-C", world.folder, ...words], { encoding: "utf8" });
const SSH = "--to db-01 --service tcp/22 --application ssh --reason CHG-1";

describe("a request that needs no edit", () => {
  it("exits with 0 and names the rule that allows it", async () => {
    const { code, out } = await world.run(
      "allow edge --from web-01 --to db-01 --service tcp/5432 --application postgres --reason CHG-1 --write",
    );
    expect(code).toBe(0);
    expect(out).toContain("web-01 (web) > db-01 (db)  tcp/5432 · postgres: already allowed");
    expect(out).toMatch(/allow {2}web-to-db {2}edge\/rules\/security\.yaml:\d+/);
    expect(git("status", "--porcelain", "desired-state")).toBe("");
  });

  it("shows the conditions, exits with 2 and edits nothing if unknown facts decide", async () => {
    const text = document(RULES).replace("destination: [resolvers]", "destination: [resolvers, updates]");
    write(RULES, text);
    const { code, out } = await world.run(
      "allow edge --from web-01 --to 192.0.2.9 --service udp/53 --application dns --reason CHG-1 --write",
    );
    expect(out).toContain("depends on facts outside the configuration");
    expect(out).toContain("if the destination is in updates.example.net (FQDN)");
    expect(code).toBe(2);
    expect(document(RULES)).toBe(text);
  });
});

describe("a design", () => {
  it("is printed with the difference of the documents, and writes nothing without --write", async () => {
    const { code, out } = await world.run(`allow edge --from web-01 ${SSH}`);
    expect(code).toBe(2);
    expect(out).toContain("* 1 add rule web-01-to-db-01-ssh above rule deny-all");
    expect(out).toContain("opens exactly the request");
    expect(out).toContain("+        - name: web-01-to-db-01-ssh");
    expect(out).toContain("Not written. Add --write");
    expect(git("status", "--porcelain", "desired-state")).toBe("");
  });

  it("is written in the style of its neighbours with the reason, the requester and the end, and the request is then allowed", async () => {
    const line = `allow edge --from web-01 ${SSH} --requester jane --until 2999-12-31`;
    const { code, out } = await world.run(`${line} --write`);
    expect(out).toContain(`written  ${RULES}`);
    expect(code).toBe(0);
    const added = git("diff", "--unified=0", "desired-state")
      .split("\n")
      .filter((each) => /^[+-] /.test(each));
    expect(added.filter((each) => each.startsWith("-"))).toEqual([]);
    expect(added.map((each) => each.slice(1).trim()).filter((each) => each !== "")).toEqual([
      "- name: web-01-to-db-01-ssh",
      "description: CHG-1, requested by jane [until 2999-12-31]",
      "from: [web]",
      "to: [db]",
      "source: [web-01]",
      "destination: [db-01]",
      "source-user: [any]",
      "category: [any]",
      "application: [ssh]",
      "service: [application-default]",
      "action: allow",
      "log-setting: to-siem",
    ]);
    const again = await world.run(line);
    expect(again.code).toBe(0);
    expect(again.out).toContain("already allowed");
  });

  it("adds a member to a group if that opens exactly the request", async () => {
    write(RULES, document(RULES).replace(/ {8}- name: collect-metrics[\s\S]*?\n\n/, ""));
    write(
      OBJECTS,
      document(OBJECTS).replace(
        "    web-servers: { static: [web-01, web-02, web-03] }",
        "    # owned by the web team\n    web-servers: { static: [web-01, web-02] }",
      ),
    );
    const line = "allow edge --from web-03 --to db-01 --service tcp/5432 --application postgres --reason CHG-2";
    const { code, out } = await world.run(`${line} --choose 2 --write`);
    expect(out).toContain("1 add web-03 to source of rule web-to-db");
    expect(out).toContain("2 add web-03 to address group web-servers");
    expect(code).toBe(0);
    expect(document(OBJECTS)).toMatch(/static: \[web-01, web-02, web-03\].*\n/);
    expect(document(OBJECTS)).toContain("CHG-2");
    expect(document(OBJECTS)).toContain("# owned by the web team");
  });

  it("reuses an object with the same value, and creates the missing ones in its document", async () => {
    const { code } = await world.run(
      "allow edge --from 10.110.0.12 --to 10.120.0.99 --service tcp/9999 --application ssl --reason CHG-3 --write",
    );
    expect(code).toBe(0);
    expect(document(RULES)).toContain("source: [web-02]");
    expect(document(RULES)).toContain("destination: [h-10.120.0.99]");
    expect(document(RULES)).toContain("service: [tcp-9999]");
    expect(document(OBJECTS)).toContain("h-10.120.0.99: { ip-netmask: 10.120.0.99 }");
    expect(document(OBJECTS)).toMatch(/tcp-9999: \{ protocol: \{ tcp: \{ port: 9999 \} \} \}/);
  });

  it("that opens more is refused without --accept-excess", async () => {
    const line = "allow edge --from 10.30.0.5 --to db-01 --service tcp/5432 --application postgres --reason CHG-1 --choose 3 --write";
    const refused = await world.run(line);
    expect(refused.code).toBe(3);
    expect(refused.out).toContain("also opens");
    expect(git("status", "--porcelain", "desired-state")).toBe("");
    expect((await world.run(`${line} --accept-excess`)).code).toBe(0);
    expect(git("status", "--porcelain", "desired-state")).toContain(RULES);
  });

  it("is committed to a branch with --propose --no-push, once", async () => {
    git("config", "user.email", "t@example.net");
    git("config", "user.name", "t");
    const line = `allow edge --from web-01 ${SSH} --propose --no-push`;
    const { code, out } = await world.run(line);
    expect(code).toBe(0);
    const [, branch = ""] = /proposed on branch (\S+)/.exec(out) ?? [];
    expect(git("log", "-1", "--format=%B", branch)).toContain("Allow web-01 > db-01 tcp/22 ssh\n\nCHG-1\n");
    expect(git("diff", "--name-only", "HEAD", branch).trim()).toBe(`desired-state/${RULES}`);
    expect(git("status", "--porcelain", "desired-state")).toBe("");
    expect((await world.run(line)).out).toContain(`proposed before on branch ${branch}`);
  });
});

describe("a destination that NAT translates", () => {
  const PUBLISHED = "allow edge --from 192.0.2.7 --to 198.51.100.3 --service tcp/22 --application ssh --reason CHG-1";

  it("is designed with the address before NAT and the zone after it, as rules match them", async () => {
    const { code, out } = await world.run(`${PUBLISHED} --write`);
    expect(out).toContain("192.0.2.7 (untrust) > 198.51.100.3 (web)");
    expect(out).toContain("NAT rule publish-web: the address is the one before NAT, and the zone web is the one after NAT");
    expect(code).toBe(0);
    expect(document(RULES)).toMatch(
      /from: \[untrust\]\n +to: \[web\]\n +source: \[h-192\.0\.2\.7\]\n(?: +source-user.*\n)? +destination: \[public-web\]/,
    );
    expect((await world.run(PUBLISHED)).out).toContain("already allowed");
  });

  it("is refused with another zone than the one after NAT", async () => {
    const { code, out } = await world.run(`${PUBLISHED} --to-zone untrust --write`);
    expect(out).toContain("NAT rule publish-web: the destination is in web after NAT, and --to-zone is untrust.");
    expect(code).toBe(3);
  });

  it("is refused if NAT does not decide, with the reason", async () => {
    const { code, out } = await world.run(`${PUBLISHED.replace("198.51.100.3", "updates")} --write`);
    expect(out).toMatch(/NAT rule publish-web: the zone after NAT is not known, because .*updates\.example\.net/);
    expect(code).toBe(3);
    expect(git("status", "--porcelain", "desired-state")).toBe("");
  });
});

describe("a design with conventions of the repository", () => {
  const design = (text: string) => {
    const file = "plumbline.yaml";
    write(file, document(file).replace("targets:\n", `design: ${text}\ntargets:\n`));
    world.commit("conventions");
  };
  const ruleIn = (text: string): string => text.match(/ {8}- name: [^\n]*\n {10}description: CHG-1\n(?: {10}.*\n)*/)?.[0] ?? "";

  it("names the settings that it infers from the other rules without them", async () => {
    const { out } = await world.run(`allow edge --from web-01 ${SSH}`);
    expect(out).toContain("As most of the other allow rules: log-setting to-siem.");
  });

  it("uses the name pattern, tags and profiles of design:, and a free number", async () => {
    design('{ ruleName: "{reason}-{service}-{n}", tags: [production], profileGroup: outbound }');
    const first = await world.run(`allow edge --from web-01 ${SSH} --write`);
    expect(first.out).toContain("add rule CHG-1-tcp-22-1 above rule deny-all");
    const text = ruleIn(document(RULES));
    expect(text).toContain("tag: [production]");
    expect(text).toContain("profile-setting: { group: [outbound] }");
    expect(text).toContain("log-setting: to-siem");
    const second = await world.run("allow edge --from 10.30.0.5 --to web-01 --service tcp/22 --application ssh --reason CHG-1");
    expect(second.out).toContain("add rule CHG-1-tcp-22-2 above rule deny-all");
  });

  it("has no tags if the list is empty, although the other rules have some", async () => {
    const untagged = document(RULES).replaceAll("          tag: [production]\n", "");
    write(RULES, untagged.replaceAll("          action: allow\n", "          action: allow\n          tag: [production]\n"));
    world.commit("tags");
    expect((await world.run(`allow edge --from web-01 ${SSH}`)).out).toContain("tag production");
    design("{ tags: [] }");
    const { out } = await world.run(`allow edge --from web-01 ${SSH} --write`);
    expect(out).not.toContain("tag production");
    expect(ruleIn(document(RULES))).not.toContain("tag:");
  });

  it("is refused if design: names a tag that does not exist", async () => {
    design("{ tags: [nowhere] }");
    const { code, out } = await world.run(`allow edge --from web-01 ${SSH} --write`);
    expect(out).toContain("nowhere");
    expect(code).toBe(3);
    expect(document(RULES)).not.toContain("nowhere");
  });

  const OBJECTS_LINE = "allow edge --from 10.110.0.77 --to 10.120.0.99 --service tcp/9999 --application ssl --reason CHG-1";

  it("uses the name patterns of design: for objects, with {n} as a free number", async () => {
    design('{ addressName: "obj-{n}", serviceName: "{protocol} {port}" }');
    const { code } = await world.run(`${OBJECTS_LINE} --write`);
    expect(code).toBe(0);
    expect(document(OBJECTS)).toContain("obj-1: { ip-netmask: 10.110.0.77 }");
    expect(document(OBJECTS)).toContain("obj-2: { ip-netmask: 10.120.0.99 }");
    expect(ruleIn(document(RULES))).toContain("source: [obj-1]");
    expect(ruleIn(document(RULES))).toContain("destination: [obj-2]");
    expect(ruleIn(document(RULES))).toContain("service: [tcp 9999]");
  });

  it("has a number behind the name of an object if it is taken", async () => {
    design('{ addressName: "net-db" }');
    expect((await world.run(OBJECTS_LINE)).out).toContain("new address net-db-2 and address net-db-3");
  });

  it("is refused if a name pattern results in an invalid name", async () => {
    design(`{ addressName: "${"long".repeat(15)}{address}" }`);
    const { code, out } = await world.run(OBJECTS_LINE);
    expect(out).toContain("(design.addressName): it has more than 63 characters");
    expect(code).toBe(3);
  });

  it("writes new objects into the named document, if that has the list", async () => {
    write("edge/extra.yaml", "target: edge\nscope: vsys1\nconfig:\n  address:\n    spare: { ip-netmask: 192.0.2.200 }\n");
    design('{ document: "{target}/extra.yaml" }');
    const line = "allow edge --from web-01 --to 10.120.0.99 --service tcp/22 --application ssh --reason CHG-1 --write";
    const { code, out } = await world.run(line);
    expect(out).toContain("edge/extra.yaml");
    expect(code).toBe(0);
    expect(document("edge/extra.yaml")).toContain("h-10.120.0.99: { ip-netmask: 10.120.0.99 }");
    expect(document(RULES)).toContain("destination: [h-10.120.0.99]");
    expect(document(OBJECTS)).not.toContain("10.120.0.99");
  });

  it("is refused if the named document does not exist", async () => {
    design("{ document: edge/nowhere.yaml }");
    const { code, out } = await world.run(`allow edge --from web-01 ${SSH} --write`);
    expect(out).toContain("edge/nowhere.yaml, the document of design:, is no document of edge");
    expect(code).toBe(3);
  });
});

describe("a refusal", () => {
  it.each([
    ["--from any", "an access request names its flows"],
    ["--from 0.0.0.0/0", "is every address"],
    ["--from nobody", 'There is no zone, address or object "nobody"'],
    ["--from zone:nowhere", 'There is no zone, address or object "nowhere"'],
    ["--from web-01 --from-zone nowhere", 'There is no zone "nowhere"'],
    ["--from updates", 'The zone of "updates" is not known: the addresses of "updates" are not in the configuration'],
    ["--from 10.0.0.0/8", "is in several zones"],
  ])("of %s has a reason and no edit", async (words, reason) => {
    const { code, out } = await world.run(`allow edge ${words} ${SSH} --write`);
    expect(out).toContain(reason);
    expect(code).toBe(3);
    expect(git("status", "--porcelain", "desired-state")).toBe("");
  });

  it("names ICMP types, which only the application selects, and an unknown application", async () => {
    const icmp = await world.run("allow edge --from web-01 --to db-01 --service icmp/8 --application ping --reason CHG-1");
    expect(icmp.out).toContain('"icmp/8": rules match ICMP types and other protocols only by the application. Write icmp.');
    const application = await world.run("allow edge --from web-01 --to db-01 --service tcp/1 --application nonsense --reason CHG-1");
    expect(application.out).toContain('There is no application "nonsense"');
    expect([icmp.code, application.code]).toEqual([3, 3]);
  });

  it("names the assertion that the request contradicts, and no flag overrides it", async () => {
    const expected =
      "target: edge\nscope: vsys1\nassert:\n  - name: no-ssh-to-db\n    description: nobody logs in to db\n    verdict: deny\n    to: [db]\n    service: [tcp/22]\n";
    write("edge/expect.yaml", expected);
    const { code, out } = await world.run(`allow edge --from web-01 ${SSH} --accept-excess --write`);
    expect(code).toBe(3);
    expect(out).toContain("It contradicts assertion no-ssh-to-db (edge/expect.yaml:4): nobody logs in to db");
    expect(document(RULES)).not.toContain("ssh");
  });

  it("of a target that cannot be read edits nothing", async () => {
    const { code, out } = await world.run(`allow edge --from web-01 ${SSH} --write`, { PLUMBLINE_PASSWORD: "wrong" });
    expect(code).toBe(1);
    expect(out).toContain("[");
    expect(git("status", "--porcelain", "desired-state")).toBe("");
  });

  it.each([["--until 2001-01-01"], ["--until soon"]])("of %s names the option", async (words) => {
    const { code, err } = await world.run(`allow edge --from web-01 ${SSH} ${words}`);
    expect(code).toBe(1);
    expect(err).toContain("[option-invalid]");
  });
});

describe("a file of requests", () => {
  it("gets one answer for each request, and all edits together", async () => {
    writeFileSync(
      join(world.folder, "requests.csv"),
      "from,to,service,application\nweb-01,db-01,tcp/5432,postgres\nweb-01,db-01,tcp/22,ssh\nweb-02,db-01,tcp/22,ssh\n",
    );
    const { code, out } = await world.run("allow edge --requests requests.csv --reason CHG-5 --write");
    expect(code).toBe(0);
    expect(out).toMatch(/allowed +web-01 \(web\) > db-01 \(db\) {2}tcp\/5432 · postgres {2}by web-to-db/);
    expect(out).toMatch(/designed +web-02 \(web\) > db-01 \(db\) {2}tcp\/22 · ssh {2}add web-02 to source of rule web-01-to-db-01-ssh/);
    expect(document(RULES)).toContain("source: [web-01, web-02]");
  });

  it("edits nothing if one request is refused", async () => {
    const rows = ["from,to,service,application", "web-01,db-01,tcp/22,ssh", "any,db-01,tcp/22,ssh"];
    writeFileSync(join(world.folder, "requests.csv"), `${rows.join("\n")}\n`);
    const { code, out } = await world.run("allow edge --requests requests.csv --reason CHG-5 --write");
    expect(code).toBe(3);
    expect(out).toContain("1 request refused: no document is edited");
    expect(git("status", "--porcelain", "desired-state")).toBe("");
  });

  it.each([
    ["from,to\na,b\n", 'The column "service" is missing'],
    ["from,to,service,application,price\n", 'There is no column "price"'],
    ["from,to,service,application\na,b,tcp/1\n", "3 fields instead of 4"],
    ["from,to,service,application\na,,tcp/1,ssh\n", 'The field "to" is empty'],
  ])("with a mistake is an error: %j", async (text, problem) => {
    writeFileSync(join(world.folder, "requests.csv"), text);
    const { code, err } = await world.run("allow edge --requests requests.csv --reason CHG-5");
    expect(code).toBe(1);
    expect(err).toContain(problem);
  });
});
