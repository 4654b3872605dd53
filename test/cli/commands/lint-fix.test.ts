import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../world.js";

const DAY = 86_400_000;
const RULES = "edge/rules/security.yaml";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const file = (name = RULES) => join(world.folder, "desired-state", name);
const document = (name = RULES) => readFileSync(file(name), "utf8");
const git = (...words: string[]) => execFileSync("git", ["-C", world.folder, ...words], { encoding: "utf8" });
const dayAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

/** A rule in the style of the document. */
const rule = (name: string, fields: string, before = "") => `${before}        - name: ${name}
          from: [web]
          to: [db]
          source: [web-servers]
          destination: [db-01]
          source-user: [any]
          category: [any]
          application: [postgres]
          service: [tcp-5432]
          ${fields}

`;
const LOGGED = "action: allow\n          log-setting: to-siem";

/** Adds rules above an existing one. */
function add(above: string, ...rules: readonly string[]): void {
  const text = document();
  const at = text.indexOf(`        - name: ${above}\n`);
  writeFileSync(file(), text.slice(0, at) + rules.join("") + text.slice(at));
}

/** As if the firewall had counted for so many days. */
function countingFor(days: number): void {
  const { hits } = world.lab.device.state.traffic;
  const { running } = world.lab.device.state;
  hits.runs({ ...running, children: [] }, 0);
  hits.runs(running, Date.now() - days * DAY);
}

describe("lint --fix", () => {
  it("prints the removals with their proof and the difference of the documents, and writes nothing", async () => {
    add("collect-metrics", rule("never", LOGGED));
    const before = document();
    const { code, out } = await world.run("lint edge --fix");
    expect(out).toMatch(/- remove never: is never reached \(below web-to-db\) {2}edge\/rules\/security\.yaml:\d+/);
    expect(out).toContain("proven without this rule, every flow gets the same verdict, logs and profiles");
    expect(out).toContain("-        - name: never");
    expect(out).toContain("Not written. Add --write");
    expect(code).toBe(2);
    expect(document()).toBe(before);
  });

  it("with --write restores the text from before the rule was added, and a second run has nothing to do", async () => {
    const before = document().replace(
      "        - name: collect-metrics",
      "        # read by the monitoring\n        - name: collect-metrics",
    );
    writeFileSync(file(), before);
    add("collect-metrics", rule("never", LOGGED));
    // The comment now belongs to the added rule, so it is put back where it was.
    writeFileSync(
      file(),
      document()
        .replace("        # read by the monitoring\n", "")
        .replace("        - name: collect-metrics", "        # read by the monitoring\n        - name: collect-metrics"),
    );
    const { code, out } = await world.run("lint edge --fix --write");
    expect(out).toContain(`written  ${RULES}`);
    expect(code).toBe(0);
    expect(document()).toBe(before);
    const again = await world.run("lint edge --fix --write");
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing to remove")]);
  });

  it("removes the comment directly above a rule, and keeps one above a blank line", async () => {
    const before = document();
    const heading = "        # --- monitoring ---\n\n";
    add("collect-metrics", rule("never", LOGGED, `${heading}        # never needed\n`));
    await world.run("lint edge --fix --write");
    expect(document()).toBe(before.replace("        - name: collect-metrics", `${heading}        - name: collect-metrics`));
  });

  it("keeps one of two rules that make each other redundant, and all flows", async () => {
    // Both allow a part of web-to-db without a difference, and each is redundant because of the other.
    const hosts = (name: string, source: string) =>
      rule(name, "action: allow").replace("source: [web-servers]", `source: [${source}]`).replace("tcp-5432", "tcp-8443");
    add("deny-all", hosts("one", "web-01, web-02"), hosts("two", "web-02, web-03"), hosts("three", "web-01, web-03"));
    const { out } = await world.run("lint edge --fix --write");
    const left = ["one", "two", "three"].filter((name) => document().includes(`- name: ${name}\n`));
    expect(left).toHaveLength(2);
    expect(out).toContain("proven");
  });

  it("keeps a rule whose finding is accepted, and says so", async () => {
    add("collect-metrics", rule("never", LOGGED));
    const assertion = "    overlaps: [never]\n    reason: migration\n    until: 2999-01-01\n";
    writeFileSync(file("edge/expect.yaml"), `target: edge\nscope: vsys1\nassert:\n  - name: known-overlap\n${assertion}`);
    const { code, out } = await world.run("lint edge --fix --write");
    expect(out).toContain("stays never (shadowed): known-overlap accepts the finding");
    expect(code).toBe(0);
    expect(document()).toContain("- name: never");
  });

  it("needs --fix for --write", async () => {
    const { code, err } = await world.run("lint edge --write");
    expect([code, err]).toEqual([1, expect.stringContaining("need --fix")]);
  });
});

describe("lint --fix of an ended rule", () => {
  it("shows the flows that close, and lint reports the end before and after it", async () => {
    add("collect-metrics", rule("short", `description: CHG-1 [until ${dayAgo(1)}]\n          ${LOGGED}`).replace("tcp-5432", "tcp-8443"));
    add("collect-metrics", rule("soon", `description: CHG-2 [until ${dayAgo(-3)}]\n          ${LOGGED}`).replace("tcp-5432", "tcp-80"));
    const objects = document("edge/objects.yaml");
    writeFileSync(
      file("edge/objects.yaml"),
      objects.replace("    tcp-8443:", "    tcp-80: { protocol: { tcp: { port: 80 } } }\n    tcp-8443:"),
    );
    const { code, out } = await world.run("lint edge --fix --write");
    expect(out).toContain(`- remove short: ended (last day ${dayAgo(1)})`);
    expect(out).toMatch(/closes web > db {2}.*tcp\/8443 · postgres/);
    expect(out).not.toContain("opens");
    expect(code).toBe(0);
    expect(document()).not.toContain("- name: short");
    expect(document()).toContain("- name: soon");
  });

  it("removes a member after its last day, and its note", async () => {
    const text = document().replace(
      "          source: [web-servers]\n          destination: [db-01]",
      `          description: old [until ${dayAgo(2)} for source web-09] [until ${dayAgo(3)} for source web-08]\n          source: [web-servers, web-08, web-09]\n          destination: [db-01]`,
    );
    writeFileSync(file(), text);
    const objects = document("edge/objects.yaml").replace(
      "    web-01:",
      "    web-08: { ip-netmask: 10.110.0.98 }\n    web-09: { ip-netmask: 10.110.0.99 }\n    web-01:",
    );
    writeFileSync(file("edge/objects.yaml"), objects);
    const { code, out } = await world.run("lint edge --fix --write");
    expect(out).toContain(`remove web-09 from source of rule web-to-db: ended (last day ${dayAgo(2)})`);
    expect(out).toContain("closes web > db");
    expect(code).toBe(0);
    expect(document()).toContain("          description: old\n          source: [web-servers]\n");
  });
});

describe("lint --fix --unused", () => {
  it("removes an allow rule without sessions, with the evidence, and keeps a deny rule whose removal opens flows", async () => {
    countingFor(100);
    world.lab.device.state.traffic.hits.note("vsys1", "staff-internet", Date.now() - 60 * DAY);
    for (const name of ["resolve-names", "publish-web", "web-to-db"])
      world.lab.device.state.traffic.hits.note("vsys1", name, Date.now() - DAY);
    const { code, out } = await world.run("lint edge --fix --unused 30d");
    expect(out).toMatch(
      new RegExp(`- remove staff-internet: had no session \\(last session ${dayAgo(60)}, counted since ${dayAgo(100)}\\)`),
    );
    expect(out).toMatch(/closes office > /);
    expect(out).toContain("The other member of an HA pair counts separately.");
    expect(out).not.toContain("- remove web-to-db");
    expect(code).toBe(2);
  });

  it("says which rules were not counted for long enough", async () => {
    countingFor(10);
    const { code, out } = await world.run("lint edge --fix --unused 30d");
    expect(out).toContain("Not counted for long enough: resolve-names");
    expect(code).toBe(0);
  });

  it("keeps a rule that an assertion needs", async () => {
    countingFor(100);
    const allow =
      "    verdict: allow\n    some: true\n    from: [office]\n    to: [untrust]\n    service: [tcp/443]\n    application: [ssl]\n";
    writeFileSync(file("edge/expect.yaml"), `target: edge\nscope: vsys1\nassert:\n  - name: staff-works\n${allow}`);
    const { out } = await world.run("lint edge --fix --unused 30d");
    expect(out).toMatch(/stays staff-internet \(unused\): It contradicts assertion staff-works/);
  });
});

describe("lint --fix --disable", () => {
  it("disables first, and a later run removes the rule", async () => {
    add("collect-metrics", rule("never", LOGGED));
    const first = await world.run("lint edge --fix --disable --write");
    expect(first.out).toContain("- disable never: is never reached");
    expect(document()).toContain("disabled: yes");
    expect(document()).toContain(`[disabled ${dayAgo(0)}]`);
    expect((await world.run("lint edge --fix --disable --write")).out).toContain("nothing to remove");
    writeFileSync(file(), document().replace(`[disabled ${dayAgo(0)}]`, `[disabled ${dayAgo(31)}]`));
    const later = await world.run("lint edge --fix --disable --write");
    expect(later.out).toContain(`- remove never: is disabled (since ${dayAgo(31)})`);
    expect(document()).not.toContain("never");
  });

  it("leaves a disabled rule without a day, and an enabled one with a day", async () => {
    add("deny-all", rule("paused", "disabled: yes\n          action: allow").replace("tcp-5432", "tcp-8443"));
    const back = `description: back again [disabled ${dayAgo(99)}]\n          ${LOGGED}`;
    add("web-to-db", rule("back", back).replace("tcp-5432", "tcp-8443"));
    const { out } = await world.run("lint edge --fix");
    expect(out).toContain("nothing to remove");
  });
});

describe("lint --fix --propose", () => {
  it("commits the edit to a branch, once", async () => {
    git("config", "user.email", "t@example.net");
    git("config", "user.name", "t");
    add("collect-metrics", rule("never", LOGGED));
    world.commit("a rule that is never reached");
    const { code, out } = await world.run("lint edge --fix --propose --no-push");
    const [, branch = ""] = /proposed on branch (\S+)/.exec(out) ?? [];
    expect(code).toBe(0);
    expect(git("log", "-1", "--format=%B", branch)).toContain("Clean up rule never of edge\n\n- remove never: is never reached");
    expect(git("status", "--porcelain", "desired-state")).toBe("");
    expect((await world.run("lint edge --fix --propose --no-push")).out).toContain(`proposed before on branch ${branch}`);
  });
});

describe("lint", () => {
  it("reports the end of a rule after its last day, and announces it one week before", async () => {
    await world.close();
    const xml = readFileSync("test/fixtures/edge/lab/edge.xml", "utf8");
    const noted = (text: string, name: string, note: string) =>
      text.replace(new RegExp(`(<entry name="${name}" uuid="[^"]*0[0-9]">)`), `$1<description>${note}</description>`);
    const folder = mkdtempSync(join(tmpdir(), "plumbline-ends-"));
    const config = join(folder, "edge.xml");
    const ended = noted(xml, "migration-2019", `CHG-1 [until ${dayAgo(1)}]`);
    writeFileSync(config, noted(ended, "staff-internet", `CHG-2 [until ${dayAgo(-7)}] [until ${dayAgo(-8)} for source inside]`));
    world = await openWorld(config);
    const { code, out } = await world.run("lint edge");
    expect(out).toContain(`migration-2019 ended: last day ${dayAgo(1)}`);
    expect(out).toContain(`staff-internet ends: last day ${dayAgo(-7)}`);
    expect(out).not.toContain("inside in source");
    expect(code).toBe(2);
    const json = JSON.parse((await world.run("lint edge --format json")).out);
    const found = json.targets[0].rulebases[0].findings.filter(({ until }: { until?: string }) => until !== undefined);
    expect(found).toMatchObject([
      { kind: "expired", rule: "migration-2019", until: dayAgo(1) },
      { kind: "expires-soon", rule: "staff-internet" },
    ]);
    rmSync(folder, { recursive: true });
  });
});

describe("status", () => {
  it("lists rules in the documents that have ended or end within a week", async () => {
    add("collect-metrics", rule("short", `description: CHG-1 [until ${dayAgo(1)}]\n          ${LOGGED}`));
    add("collect-metrics", rule("soon", `description: CHG-2 [until ${dayAgo(-7)}]\n          ${LOGGED}`));
    add("collect-metrics", rule("later", `description: CHG-3 [until ${dayAgo(-8)}]\n          ${LOGGED}`));
    const { out } = await world.run("status edge");
    expect(out).toContain(`  ended short  last day ${dayAgo(1)}\n  ends soon  last day ${dayAgo(-7)}\n`);
    expect(out).not.toContain("later");
  });
});
