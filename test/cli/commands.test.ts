import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/agent/store/open.js";
import { reportSchema } from "../../src/report/schema.js";
import { type CliWorld, openWorld } from "./world.js";

const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const act = (params: Readonly<Record<string, string>>) => world.lab.device.act("mkovacs", params);

function openRule(): void {
  act({
    type: "config",
    action: "edit",
    xpath: `${RULES}/entry[@name='web-to-db']/source`,
    element: "<source><member>any</member></source>",
  });
  act({ type: "commit", cmd: "<commit/>" });
}

describe("validate", () => {
  it("warns about values that are probably mistakes", async () => {
    const file = join(world.folder, "desired-state/edge/doubts.yaml");
    writeFileSync(file, "target: edge\nscope: vsys1\nconfig:\n  address:\n    backwards: { ip-range: 10.0.0.9-10.0.0.1 }\n");
    const { code, err } = await world.run("validate");
    expect(code).toBe(0);
    expect(err).toContain("doubtful-value");
    expect(err).toContain("The range 10.0.0.9-10.0.0.1 ends before it starts.");
    expect(err).toMatch(/doubts\.yaml:5:\d+/);
  });

  it("needs no network, no secret and no ledger", async () => {
    const { code, out } = await world.run("validate", {
      PLUMBLINE_TARGET_EDGE_URL: "https://192.0.2.1",
      PLUMBLINE_USER: "",
      PLUMBLINE_PASSWORD: "",
    });
    expect(code).toBe(0);
    expect(out).toBe("valid  1 target, 3 documents\n");
  });

  it("reports names that only the target can know only on request", async () => {
    const quiet = await world.run("validate");
    expect([quiet.out, quiet.err]).toEqual(["valid  1 target, 3 documents\n", ""]);
    const { code, out } = await world.run("validate --names");
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}edge {2}log-profile "to-siem" {2}edge\/rules\/security\.yaml:\d+:\d+$/m);
    expect(JSON.parse((await world.run("validate --format json")).out)).toMatchObject({
      valid: true,
      warnings: [],
      names: expect.arrayContaining([{ target: "edge", kind: "log-profile", name: "to-siem", at: expect.anything() }]),
    });
  });

  it("names file, line and column of every error, and exits 1", async () => {
    writeFileSync(
      join(world.folder, "desired-state/edge/bad.yaml"),
      "target: edge\nscope: vsys1\nconfig:\n  adress:\n    a: { ip-netmask: }\n",
    );
    const { code, err } = await world.run("validate");
    expect(code).toBe(1);
    expect(err).toMatch(/bad\.yaml:5:\d+/);
  });

  it("gives the same result for a configuration from a flag, the environment or the current folder", async () => {
    const named = join(world.folder, "desired-state/plumbline.yaml");
    expect((await world.runWords(["validate", "--config", named])).code).toBe(0);
    expect((await world.runWords(["--config", named, "validate"])).code).toBe(0);
    expect((await world.run("validate", { PLUMBLINE_CONFIG: named })).code).toBe(0);
    expect((await world.run("validate --config nowhere.yaml")).code).toBe(1);
  });
});

describe("plan, apply, drift, reconcile", () => {
  it("refuse the first contact with an exclusive list, with the next step", async () => {
    const { code, out } = await world.run("plan");
    expect(code).toBe(3);
    expect(out).toContain("plumbline adopt");
  });

  it("adopt nothing at an empty path, and count the adopted paths", async () => {
    const whole = await world.run("adopt edge");
    expect(whole.out).toMatch(/edge {2}adopted {2}[1-9]\d* paths?, /);
    const none = await world.runWords([
      "adopt",
      "edge",
      "--path",
      "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='not-there']",
    ]);
    expect([none.code, none.out]).toEqual([0, expect.stringContaining("edge  nothing adopted: the target has nothing at")]);
  });

  it("go from pending to verified, find a manual change and its author, and heal it", async () => {
    expect((await world.run("adopt edge")).code).toBe(0);
    expect((await world.run("plan --out plan.json")).code).toBe(2);
    const applied = await world.run("apply plan.json");
    expect(applied.code).toBe(0);
    expect((await world.run("plan")).out).toMatch(/no changes\n\nIn sync, nothing to do: 1 target\.\n$/);
    openRule();
    const drift = await world.run("drift");
    expect(drift.code).toBe(2);
    expect(drift.out).toMatch(/web-to-db.*by mkovacs at \d{4}\/\d\d\/\d\d/);
    expect((await world.run("reconcile")).code).toBe(0);
    expect((await world.run("drift")).code).toBe(0);
    expect(world.lab.device.state.violations).toEqual([]);
  });

  it("bind apply to the digest of the plan", async () => {
    await world.run("adopt edge");
    await world.run("plan --out plan.json");
    act({ type: "config", action: "set", xpath: `${RULES}/entry[@name='web-to-db']`, element: "<description>x</description>" });
    act({ type: "commit", cmd: "<commit/>" });
    const { code } = await world.run("apply plan.json");
    expect(code).toBe(3);
  });

  it("apply a plan that is limited to a path, and nothing else", async () => {
    await world.run("adopt edge");
    const all = (await world.run("plan --format json")).out;
    const changes = (text: string): string[] => JSON.parse(text).targets[0].plan.changes.map(({ xpath }: { xpath: string }) => xpath);
    const [first = "", ...others] = changes(all);
    expect(others.length).toBeGreaterThan(0);
    expect((await world.run(`plan --path ${first} --out plan.json`)).code).toBe(2);
    const { code, out, err } = await world.run("apply plan.json");
    expect(code, out + err).toBe(0);
    expect(changes((await world.run("plan --format json")).out)).toEqual(others);
  });

  it("write a plan file without secrets that only its owner can read", async () => {
    await world.run("adopt edge");
    await world.run("plan --out plan.json");
    const file = join(world.folder, "plan.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain('plumbline"');
  });

  it("refuse a file that is not a plan", async () => {
    writeFileSync(join(world.folder, "plan.json"), "{}");
    const { code, err } = await world.run("apply plan.json");
    expect(code).toBe(1);
    expect(err).toContain("plan-file-invalid");
  });

  it("print JSON that matches its schema", async () => {
    await world.run("adopt edge");
    const validate = new Ajv({ allErrors: true }).compile(reportSchema);
    for (const line of ["plan --format json", "reconcile --format json", "drift --format json"]) {
      validate(JSON.parse((await world.run(line)).out));
      expect(validate.errors).toBeNull();
    }
  });

  it("plan one subtree with --path", async () => {
    const { code, out } = await world.runWords(["plan", "--path", "/config/devices/entry[@name='localhost.localdomain']/deviceconfig"]);
    expect(code).toBe(2);
    expect(out).toContain("login-banner");
    expect(out).not.toContain("web-03");
  });

  it("report a --path without declared objects, and refuse an unknown one", async () => {
    await world.run("adopt edge");
    const path = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/adress";
    const { out } = await world.runWords(["plan", "--path", path]);
    expect(out).toContain(`warning no document declares anything at or below ${path}`);
    expect((await world.runWords(["plan", "--path", path.replace("adress", "address")])).out).not.toContain("warning");
    for (const words of [
      ["plan", "--path", "address"],
      ["explain", "/confg/shared"],
    ]) {
      const { code, err } = await world.runWords(words);
      expect([code, err]).toEqual([1, expect.stringContaining("Begin it with /config, ")]);
    }
  });

  it("end with 1, code and next step if the device is unreachable", async () => {
    const { code, out } = await world.run("plan", { PLUMBLINE_TARGET_EDGE_URL: "https://127.0.0.1:1" });
    expect(code).toBe(1);
    expect(out).toContain("[device-unreachable]");
  });

  it("never print the password", async () => {
    const secret = { PLUMBLINE_PASSWORD: "s3cr3t-of-mine" };
    for (const line of ["plan", "plan --format json", "status", "drift --log-level debug"]) {
      const { code, out, err } = await world.run(line, secret);
      expect(code).toBe(1);
      expect(out + err).not.toContain("s3cr3t-of-mine");
    }
  });
});

describe("import", () => {
  it("writes the device's configuration, so that a plan finds no changes", async () => {
    expect((await world.run("import edge --out mine")).code).toBe(0);
    const config = join(world.folder, "mine/plumbline.yaml");
    expect(existsSync(config)).toBe(true);
    const { code, out } = await world.runWords(["plan", "--config", config]);
    expect(out).toMatch(/no differences\n/);
    expect(code).toBe(0);
  });

  it("requires exactly one source", async () => {
    expect((await world.run("import --out mine")).code).toBe(1);
    expect((await world.run("import edge --xml a.xml --out mine")).code).toBe(1);
  });

  it("refuses XML that is not a configuration", async () => {
    writeFileSync(join(world.folder, "page.xml"), "<html><body/></html>");
    const { code, err } = await world.run("import --xml page.xml --out mine");
    expect(code).toBe(1);
    expect(err).toContain("import-not-a-configuration");
  });
});

describe("status", () => {
  it("shows that nothing was compared, the last applied commit, and uncommitted changes", async () => {
    act({ type: "config", action: "set", xpath: `${RULES}/entry[@name='web-to-db']`, element: "<description>x</description>" });
    const { code, out } = await world.run("status");
    expect(code).toBe(0);
    expect(out).toMatch(/^edge {2}standalone\n {2}not compared {2}.*plumbline plan edge\n {2}last applied commit: none\n/);
    expect(out).not.toContain("in sync");
    expect(out).not.toContain("edge-fw-01");
    expect(out).toContain("uncommitted 1 by mkovacs");
    expect((await world.run("doctor edge")).out).toMatch(/hostname +edge-fw-01/);
  });

  it.each(["status", "explain //address", "get //address", "lint", "plan", "drift"])(
    "%s takes names of targets as arguments",
    async (line) => {
      const { code, err } = await world.run(`${line} edge nowhere`);
      expect([code, err]).toEqual([1, expect.stringMatching(/nowhere.*\[target-unknown\]/)]);
    },
  );

  it("shows the agent's last comparison with its time, pending changes and manual changes", async () => {
    const store = await openStore({ kind: "sqlite", file: join(world.folder, "state/plumbline.db") }, { readOnly: false });
    const start = { target: "edge", pass: "drift", trigger: "timer", started: 0, commit: "c0ffee", runner: "a:1" } as const;
    const end = {
      ended: 1,
      outcome: "pending",
      exitCode: 2,
      reason: "18 changes of the commit not applied: refused",
      durations: {},
    } as const;
    await store.passes.record(start, { ...end, waiting: { changes: 18, held: "refused" }, drift: { items: [] } });
    const lines = async () => (await world.run("status")).out;
    expect(await lines()).toContain("refused  compared by the agent at 1970-01-01 00:00:00 UTC: 18 changes of the commit not applied");
    const drift = { path: "/config/shared", change: "differs", author: "alice", authorTime: undefined, view: {} } as const;
    await store.passes.record(start, { ...end, waiting: { changes: 18, held: "refused" }, drift: { items: [drift] } });
    expect(await lines()).toContain("18 changes of the commit not applied, 1 manual change by alice");
    await store.passes.record(start, { ...end, outcome: "in-sync", exitCode: 0, reason: undefined, drift: { items: [] } });
    expect(await lines()).toContain("  in sync  compared by the agent at 1970-01-01 00:00:00 UTC\n");
    const rollout = { commit: "feedbeef", wave: 1, of: 2, failed: [] as string[], open: ["core"], left: ["edge"] };
    const tell = (state: object | null) =>
      store.notifications.sent({ channel: "rollout-status", subject: "https://git/net.git", state: JSON.stringify(state), at: 2 });
    await tell(rollout);
    expect(await lines()).toContain(
      "changes pending  compared by the agent at 1970-01-01 00:00:00 UTC: commit feedbeef waits for a later wave",
    );
    await tell({ ...rollout, failed: ["core"] });
    expect(await lines()).toMatch(
      /changes pending .* the roll-out of commit feedbeef stopped in wave 1 of 2 at core\. Fix the cause, then run: plumbline reconcile core/,
    );
    await store.passes.record(
      { ...start, commit: "feedbeef" },
      { ...end, outcome: "in-sync", exitCode: 0, reason: undefined, drift: { items: [] } },
    );
    expect(await lines()).toContain("  in sync  compared by the agent");
    expect(await lines()).not.toContain("unmanaged");
    const full = { ...end, outcome: "in-sync", exitCode: 0, reason: undefined } as const;
    await store.passes.record({ ...start, commit: "feedbeef" }, { ...full, unmanaged: 3 });
    await store.passes.record({ ...start, commit: "feedbeef" }, { ...full, outcome: "skipped" });
    expect(await lines()).toContain("  3 unmanaged entries (list them: plumbline drift edge --unmanaged)\n");
    expect(JSON.parse((await world.run("status --format json")).out).targets[0].sync).toMatchObject({ state: "in-sync", unmanaged: 3 });
    await store.close();
  });

  it("refuses unknown targets", async () => {
    const { code, err } = await world.run("status edeg");
    expect(code).toBe(1);
    expect(err).toContain('Did you mean "edge"?');
    expect((await world.run("status nowhere")).err).toContain("Write one of: edge.");
    for (const command of ["plan --target edeg", "plan edeg", "drift edge edeg", "reconcile edeg --yes"])
      expect((await world.run(command)).err).toContain('Did you mean "edge"?');
    expect((await world.run("plan edge --format json")).out).toContain('"target": "edge"');
  });
});

describe("explain", () => {
  const explain = (xpath: string) => world.runWords(["explain", xpath]);

  it("shows the declaring line, the live value and its last author", async () => {
    openRule();
    const { code, out } = await explain(`${RULES}/entry[@name='web-to-db']/source`);
    expect(code).toBe(0);
    expect(out).toMatch(/wanted +\[web-servers\]/);
    expect(out).toMatch(/live +\[any\]/);
    expect(out).toMatch(/changed +by mkovacs at \d{4}/);
    expect(out).toMatch(/source +edge\/rules\/security\.yaml:\d+:\d+/);
    expect(out).toContain("managed: declared");
  });

  it("distinguishes an entry that an exclusive list deletes from an unmanaged one", async () => {
    expect((await explain(`${RULES}/entry[@name='migration-2019']`)).out).toMatch(/it would be deleted\n.*exclusive .*\/rules$/m);
    expect((await explain("/config/mgt-config/users/entry[@name='mkovacs']")).out).toContain(
      "unmanaged: Plumbline does not change or delete it",
    );
  });

  it("accepts the expressions of get, and explains each selected node", async () => {
    const { code, out } = await explain("//rules/entry[@name='web-to-db']/source");
    expect(code).toBe(0);
    expect(out).toMatch(/^edge {2}\/config\/devices.*web-to-db.*\/source\n {2}wanted +\[web-servers\]/);
    expect((await explain("rulebase/security")).err).toContain("selects 0 elements");
    expect((await explain("//rules//*")).err).toMatch(/selects \d{2,} elements[\s\S]*Select at most 20/);
  });

  it("reports a missing node, and refuses an invalid path", async () => {
    expect((await explain(`${RULES}/entry[@name='none']`)).out).toMatch(/wanted +nothing\n +live +nothing/);
    expect((await explain("/config/[[")).code).toBe(1);
  });
});

describe("the command line", () => {
  it("names an unknown flag, and exits 1", async () => {
    const { code, err } = await world.run("plan --targte edge");
    expect(code).toBe(1);
    expect(err).toContain("--target");
  });

  it("prints its version and its help", async () => {
    expect((await world.run("--version")).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await world.run("--help")).out).toContain("reconcile");
  });
});
