import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningLab, startLab } from "../../src/lab/lab.js";
import { runIn } from "./run-in.js";

const CONFIGURATION = "test/fixtures/manager/panorama.xml";
const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";

let folder: string;
let lab: RunningLab;

const git = (...words: string[]) => execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words]);

const run = (line: string) =>
  runIn(folder, line.split(" "), {
    PLUMBLINE_TARGET_FIREWALL_URL: lab.device.url,
    PLUMBLINE_TARGET_FIREWALL_CA: join(folder, "ca.pem"),
    PLUMBLINE_USER: "plumbline",
    PLUMBLINE_PASSWORD: "plumbline",
  });

const plumbline = (command: string) => run(`${command} --config state-of/plumbline.yaml`);

/** Replaces text in a document of the import, which must be there, and records it. */
function change(file: string, from: string, to: string): void {
  const path = join(folder, "state-of/firewall", file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

function commit(): void {
  git("add", "state-of");
  git("commit", "-q", "-m", "a change");
}

const group = (name: string) => `${DEVICE}/device-group/entry[@name='${name}']`;
const alice = (params: Readonly<Record<string, string>>) => expect(lab.device.act("alice", params)).toMatchObject({ status: "success" });

/** The written configuration, in order. */
const writes = () =>
  lab.device.state.commits.at(-1)?.edits.map(({ action, xpath }) => `${action} ${xpath.replace(`${DEVICE}/device-group/`, "")}`);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-manager-"));
  const administrators = ["plumbline", "alice"].map((name) => ({ name, password: name, role: { kind: "superuser" as const } }));
  lab = await startLab({ devices: [{ name: "manager", configFile: CONFIGURATION, jobDuration: 0, strict: true, administrators }] });
  writeFileSync(join(folder, "ca.pem"), lab.caPem);
  git("init", "-q");
  expect(await run(`import --xml ${join(process.cwd(), CONFIGURATION)} --out state-of`)).toMatchObject({ code: 0 });
  const settings = join(folder, "state-of/plumbline.yaml");
  writeFileSync(settings, readFileSync(settings, "utf8").replace(/mode: observe/, "mode: enforce"));
  commit();
});

afterEach(async () => {
  expect(lab.device.state.violations).toEqual([]);
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a manager of firewalls", () => {
  it("is imported from a file or from itself without a difference", async () => {
    expect(await plumbline("plan")).toMatchObject({ code: 0 });
    expect(await plumbline("drift")).toMatchObject({ code: 0 });
    const { code, text } = await plumbline("import firewall --out state-of");
    expect(code).toBe(0);
    expect(text).not.toMatch(/^ {2}[+-] /m);
    expect((await plumbline("doctor firewall")).text).toContain("Panorama");
  });

  it("gets a new pre-rule for an access request, which all firewalls of the group then allow", async () => {
    expect((await plumbline("adopt firewall")).code).toBe(0);
    const request = "--from 10.1.0.5 --from-zone inside --to 192.0.2.80 --to-zone inside --service tcp/22 --application ssh --reason CHG-1";
    const ask = (more: string) => plumbline(`allow firewall --scope device-group/branch ${request}${more}`);
    const { code, text } = await ask(" --write");
    expect(text).toContain("add rule 10.1.0.5-to-192.0.2.80-ssh below all pre-rules of device-group/branch");
    expect(text).toContain("Rules of device-group/branch apply to 007000000000001.");
    expect(code).toBe(0);
    commit();
    expect(await plumbline("reconcile")).toMatchObject({ code: 0 });
    expect(writes()?.join("\n")).toContain("entry[@name='branch']/pre-rulebase/security/rules/entry[@name='10.1.0.5-to-192.0.2.80-ssh']");
    expect((await ask("")).text).toContain("already allowed");
    const revoke = `revoke firewall --scope device-group/branch ${request.replace("CHG-1", "CHG-2")}`;
    const revoked = await plumbline(`${revoke} --write`);
    expect(revoked.text).toContain("1 remove rule 10.1.0.5-to-192.0.2.80-ssh");
    expect(revoked.text).toContain("Rules of device-group/branch apply to 007000000000001.");
    expect(revoked.code).toBe(0);
    commit();
    expect(await plumbline("reconcile --allow deletes=100%")).toMatchObject({ code: 0 });
    expect((await plumbline(revoke)).text).toContain("already denied");
  });

  it("loses a pre-rule that is never reached with lint --fix, and says which firewalls and rules were checked", async () => {
    expect((await plumbline("adopt firewall")).code).toBe(0);
    const document = "device-group/branch/pre-rules/security.yaml";
    const path = join(folder, "state-of/firewall", document);
    const before = readFileSync(path, "utf8");
    const own = before.slice(before.indexOf("        - name: to the proxy\n"));
    writeFileSync(path, `${before.trimEnd()}\n${own.replace("to the proxy", "never").replace("[proxies, dns]", "[dns]")}`);
    commit();
    expect(await plumbline("reconcile")).toMatchObject({ code: 0 });
    const { code, text } = await plumbline("lint firewall --fix --unused 30d --write");
    expect(text).toContain("- remove never: is never reached (below to the proxy)");
    expect(text).toContain("Rules of device-group/branch apply to 007000000000001.");
    expect(text).toContain("Not checked on 007000000000001: The firewall");
    expect(text).toMatch(/Not counted for long enough on all firewalls: .*to the proxy/);
    expect(text).toContain("Rules of shared apply to 007000000000001.");
    expect(code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(before);
    expect((await plumbline("lint firewall --fix")).text).not.toContain("- remove");
    commit();
    expect(await plumbline("reconcile --allow deletes=100%")).toMatchObject({ code: 0 });
    expect(writes()).toEqual(["delete entry[@name='branch']/pre-rulebase/security/rules/entry[@name='never']"]);
  });

  it("reports the end date of a rule of a group once, with its place", async () => {
    expect((await plumbline("adopt firewall")).code).toBe(0);
    change(
      "device-group/branch/pre-rules/security.yaml",
      "        - name: to the proxy\n",
      '        - name: to the proxy\n          description: "CHG-1 [until 2001-01-01]"\n',
    );
    commit();
    expect(await plumbline("reconcile")).toMatchObject({ code: 0 });
    const { text } = await plumbline("lint firewall");
    expect(text.split("\n").filter((line) => line.includes("2001-01-01"))).toEqual([expect.stringContaining("to the proxy")]);
  });

  it("gets objects of a parent group before a child group uses them, and loses them after", async () => {
    expect((await plumbline("adopt firewall")).code).toBe(0);
    change("device-group/all/address.yaml", "    old proxy: { ip-netmask: 192.0.2.81 }\n", "    new proxy: { ip-netmask: 192.0.2.82 }\n");
    change("device-group/offices/address-group.yaml", "[old proxy]", "[new proxy]");
    change("device-group/branch/pre-rules/security.yaml", "[proxies, dns]", "[new proxy, dns]");
    change("template/branch-net/vsys1/zone.yaml", "zone:\n", "zone:\n    outside: { network: { layer3: [] } }\n".replace("[]", "{}"));
    commit();
    const { code, text } = await plumbline("reconcile --allow updates=100% --allow deletes=100%");
    expect(text).not.toContain("error");
    expect(code).toBe(0);
    const done = writes() ?? [];
    const at = (words: string) => done.findIndex((each) => each.includes(words));
    expect(at("new proxy")).toBeGreaterThan(-1);
    expect(done.at(-1)).toMatch(/^delete entry\[@name='all'\]\/address\/entry\[@name='old proxy'\]/);
    expect(lab.device.state.commits.at(-1)).toMatchObject({ ok: true, admin: "plumbline" });
    expect(text).toContain("its firewalls get it by a push, which is not done here");
    expect((await plumbline("plan")).code).toBe(0);
    expect((await plumbline("drift")).code).toBe(0);
  });

  it("keeps objects that a child group still references, and names the place", async () => {
    expect((await plumbline("adopt firewall")).code).toBe(0);
    change("device-group/all/address.yaml", "    old proxy: { ip-netmask: 192.0.2.81 }\n", "");
    commit();
    const { code, text } = await plumbline("reconcile --allow deletes=100%");
    expect(code).toBe(3);
    expect(text).toMatch(/referrers.*"old proxy" would be deleted.*still used at a path/s);
    expect(text).toContain(group("offices"));
    expect(writes()).toBeUndefined();
  });

  it("gets a group, created with the shared objects that it uses", async () => {
    const file = join(folder, "state-of/firewall/device-group/lab.yaml");
    writeFileSync(
      file,
      "target: firewall\nscope: device\nconfig:\n  device-group:\n    lab:\n      address-group:\n        names: { static: [dns] }\n      post-rulebase:\n        security:\n          rules:\n" +
        "            - { name: to names, from: [any], to: [any], source: [any], destination: [names], application: [any], service: [any], action: allow }\n",
    );
    commit();
    expect(await plumbline("reconcile")).toMatchObject({ code: 0 });
    expect((await plumbline("plan")).code).toBe(0);
  });
});

describe("other administrators of a manager", () => {
  beforeEach(() => {
    change("device-group/branch/pre-rules/security.yaml", "action: allow", "action: deny");
    commit();
  });

  it("keep their uncommitted work in another group, which is neither committed nor an obstacle", async () => {
    alice({ type: "config", action: "set", xpath: `${group("plants")}/tag`, element: '<entry name="theirs"/>' });
    expect(await plumbline("reconcile")).toMatchObject({ code: 0 });
    expect(lab.device.state.candidate.pending.map(({ stamp }) => stamp.admin)).toEqual(["alice"]);
    expect(writes()?.some((each) => each.includes("theirs"))).toBe(false);
  });

  it("block the run with work in the same rulebase, and with the lock of that group only", async () => {
    const rules = `${group("branch")}/pre-rulebase/security/rules`;
    alice({ type: "config", action: "set", xpath: rules, element: '<entry name="theirs"><action>deny</action></entry>' });
    const held = await plumbline("reconcile");
    expect(held.code).toBe(3);
    expect(held.text).toMatch(/foreign-changes.*"alice" has an uncommitted change/s);
    alice({ type: "config", action: "delete", xpath: `${rules}/entry[@name='theirs']` });
    alice({ type: "op", cmd: "<revert><config><partial><admin><member>alice</member></admin></partial></config></revert>" });
    const lock = "<request><config-lock><add><comment>mine</comment></add></config-lock></request>";
    alice({ type: "op", cmd: lock, vsys: "branch" });
    const locked = await plumbline("reconcile");
    expect(locked).toMatchObject({ code: 3, text: expect.stringContaining("alice holds the config lock of branch") });
    alice({ type: "op", cmd: "<request><config-lock><remove/></config-lock></request>", vsys: "branch" });
    alice({ type: "op", cmd: lock, vsys: "plants" });
    expect(await plumbline("reconcile")).toMatchObject({ code: 0 });
  });
});
