import { describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { reasonsNotInSync } from "../../src/outcome/in-sync.js";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { lastLine } from "../../src/report/last-line.js";
import { formats, renderers } from "../../src/report/renderers.js";
import { plain } from "../../src/report/style.js";
import { AgentWorld } from "../agent/world.js";
import { VSYS } from "../engine/apply/scenes.js";
import { type RunOptions, World } from "../engine/apply/world.js";

// Rules decide traffic together. A rule that an administrator adds next to declared rules is drift, unless `owns:` allows it.

const RULES = `${VSYS}/rulebase/security/rules`;

/** A firewall with one rule, `web`. */
const RUNNING = [
  "<config><devices><entry name='localhost.localdomain'><vsys><entry name='vsys1'>",
  "<rulebase><security><rules><entry name='web'><from><member>any</member></from><to><member>any</member></to>",
  "<source><member>10.0.0.0/8</member></source><destination><member>any</member></destination><application><member>any</member></application>",
  "<service><member>any</member></service><action>deny</action></entry></rules></security></rulebase></entry></vsys></entry></devices></config>",
].join("");

/** Declares the rule `web`. `owns` is the value of `owns:` for the rulebase. */
function document(owns?: string): string {
  return [
    "target: edge",
    "scope: vsys1",
    ...(owns === undefined ? [] : [`owns: { rulebase/security/rules: ${owns} }`]),
    "config:",
    "  rulebase:",
    "    security:",
    "      rules:",
    "        - { name: web, from: [any], to: [any], source: [10.0.0.0/8], destination: [any], application: [any], service: [any], action: deny }",
    "",
  ].join("\n");
}

/** An administrator adds the rule `evil`. */
function addRule(world: World, source: string, where: "top" | "bottom"): void {
  const lists = { from: "any", to: "any", source, destination: "any", application: "any", service: "any" };
  const element = new TreeNode("entry", "evil", "", [
    ...Object.entries(lists).map(([tag, text]) => new TreeNode(tag, undefined, "", [new TreeNode("member", undefined, text)])),
    new TreeNode("action", undefined, "allow"),
  ]);
  world.device.write("alice", [
    { action: "set", at: parsePath(RULES), element },
    { action: "move", at: parsePath(RULES).entry("evil"), where },
  ]);
  world.device.commit("alice", "", false);
}

function rulesOf(world: World): (string | undefined)[] {
  return (find(world.device.running, parsePath(RULES))?.children ?? []).map(({ name }) => name);
}

const kinds = ({ drift }: TargetOutcome) => drift?.items.map(({ change }) => `${change.kind} ${change.path.name}`);
const WITH_INSIGHT: RunOptions = { pass: { insight: true } };

const PLACES = [
  { what: "an any/any rule at the top", source: "any", where: "top" },
  { what: "a narrow rule at the top", source: "192.0.2.7", where: "top" },
  { what: "a narrow rule at the bottom", source: "192.0.2.7", where: "bottom" },
] as const;

describe("a rule that no document declares, in a rulebase with a declared rule", () => {
  for (const { what, source, where } of PLACES)
    for (const adopted of [true, false])
      it(`is drift ${adopted ? "after adopt" : "without a ledger"}: ${what}`, async () => {
        const world = new World(RUNNING).want(document());
        if (adopted) expect((await world.adopt()).error).toBeUndefined();
        addRule(world, source, where);
        const drift = await world.drift();
        expect(kinds(drift)).toEqual(["unmanaged evil"]);
        expect(exitCode([drift])).toBe(2);
        const plan = await world.plan();
        expect(plan.plan?.operations).toEqual([]);
        expect(exitCode([plan])).toBe(2);
        expect(rulesOf(world)).toContain("evil");
      });

  it("is in every output format of drift and plan", async () => {
    const world = new World(RUNNING).want(document());
    addRule(world, "any", "top");
    for (const [command, outcome] of [
      ["drift", await world.drift()],
      ["plan", await world.plan()],
    ] as const) {
      for (const format of formats) {
        const render = await renderers[format].load();
        const text = render(command, [outcome], plain) + lastLine(command, [outcome]);
        expect(text, `${command} ${format}`).toContain("unmanaged");
        expect(text, `${command} ${format}`).toContain("evil");
        expect(text, `${command} ${format}`).not.toMatch(/no drift|(?<!not )in sync|no changes/i);
      }
    }
  });

  it("is part of the reachability section, with and without a ledger", async () => {
    const world = new World(RUNNING).want(document());
    addRule(world, "any", "top");
    const opened = async () => (await world.drift(WITH_INSIGHT)).insight?.scopes.flatMap(({ rows }) => rows.map((row) => row.change));
    expect(await opened()).toContain("opened");
    await world.adopt();
    expect(await opened()).toContain("opened");
  });

  it("does not hide other differences before the first reconcile", async () => {
    const world = new World(RUNNING.replace("<action>deny", "<action>allow")).want(document());
    const drift = await world.drift(WITH_INSIGHT);
    expect(drift.insight?.scopes.flatMap(({ rows }) => rows.map((row) => row.change))).toEqual(["opened"]);
  });

  it("is not deleted by reconcile, which reports it", async () => {
    const world = new World(RUNNING).want(document());
    addRule(world, "any", "top");
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(2);
    expect(rulesOf(world)).toEqual(["evil", "web"]);
  });
});

describe("owns: for a rulebase", () => {
  it("shared reports the rules of others as information", async () => {
    const world = new World(RUNNING).want(document("shared"));
    addRule(world, "any", "top");
    const drift = await world.drift();
    expect(kinds(drift)).toEqual([]);
    expect(exitCode([drift])).toBe(0);
    expect(drift.drift?.findings).toContainEqual(
      expect.objectContaining({ kind: "unmanaged", message: '1 rule is managed by someone else (owns: shared): "evil".', refuses: false }),
    );
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("exclusive deletes them", async () => {
    const world = new World(RUNNING).want(document("exclusive"));
    expect((await world.adopt()).error).toBeUndefined();
    addRule(world, "any", "top");
    expect(kinds(await world.drift())).toEqual(["extra evil"]);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(rulesOf(world)).toEqual(["web"]);
  });

  it("shared for a container covers the rulebases below it", async () => {
    const world = new World(RUNNING).want(document("shared").replace("rulebase/security/rules: shared", "rulebase: shared"));
    addRule(world, "any", "top");
    expect(kinds(await world.drift())).toEqual([]);
  });

  it("shared and exclusive for one list are an error", async () => {
    const world = new World(RUNNING).want(document("shared"));
    world.add("other", RUNNING, document("exclusive"));
    await expect(world.drift()).rejects.toThrow(/owns: is .* in another document/);
  });
});

describe("rules that are not unmanaged", () => {
  it("are those of a rulebase without a declared rule, ignored ones, and those that a manager pushed", async () => {
    const world = new World(RUNNING).want("target: edge\nscope: vsys1\nconfig:\n  address:\n    a: { ip-netmask: 10.0.0.1 }\n");
    expect(kinds(await world.drift())).toEqual(["missing undefined"]);
    const ignore = `ignore: [{ path: "${RULES}/entry[@name='evil']", owner: secops, reason: their own }]\n`;
    const other = new World(RUNNING.replace("<entry name='web'>", "<entry name='pushed' loc='group'/><entry name='web'>"));
    other.want(document().replace("config:", `${ignore}config:`));
    addRule(other, "any", "top");
    expect(kinds(await other.drift())).toEqual([]);
  });
});

describe("an agent", () => {
  it("reports an unmanaged rule as drift, and neither deletes it nor tries to", async () => {
    const world = await AgentWorld.startForTest({ agent: "source: { interval: 24h }" });
    world.write("edge/objects.yaml", document());
    world.push("a rule");
    await world.once();
    const rule = (action: string) =>
      `<from><member>any</member></from><to><member>any</member></to><source><member>any</member></source><destination><member>any</member></destination><application><member>any</member></application><service><member>any</member></service><action>${action}</action>`;
    world.act("edge", { type: "config", action: "set", xpath: `${RULES}/entry[@name='evil']`, element: rule("allow") });
    const commits = () => world.events.filter(({ type }) => type === "applied").length;
    const before = commits();
    expect([...(await world.once())]).toEqual([["edge", "drifted"]]);
    expect([...(await world.once())]).toEqual([["edge", "drifted"]]);
    expect(commits()).toBe(before);
    const appeared = world.events.filter((event) => event.type === "drift-appeared");
    expect(appeared.map(({ item: { change, attribution } }) => [change.kind, change.path.name, attribution?.admin])).toEqual([
      ["unmanaged", "evil", "alice"],
    ]);
  });
});

describe("a change of another administrator that is not committed yet", () => {
  it("does not hide a rule that still runs", async () => {
    const world = new World(RUNNING);
    world.want(document());
    expect(exitCode([await world.reconcile()])).toBe(0);
    addRule(world, "any", "top");
    world.device.write("alice", [{ action: "delete", at: parsePath(RULES).entry("evil") }]);
    for (const outcome of [await world.reconcile(), await world.plan()]) {
      expect(reasonsNotInSync(outcome)).toMatchObject([{ reason: "differs", xpath: expect.stringContaining("evil") }]);
      expect(exitCode([outcome])).toBe(2);
    }
    world.device.commit("alice", "", false);
    expect(exitCode([await world.reconcile()])).toBe(0);
  });

  it("does not hide a virtual system that does not run yet", async () => {
    const world = new World(RUNNING);
    world.want(document());
    expect(exitCode([await world.reconcile()])).toBe(0);
    const vsys = parsePath(VSYS);
    const running = find(world.device.running, vsys);
    if (running === undefined) throw new Error("no vsys");
    world.device.write("alice", [{ action: "delete", at: vsys }]);
    world.device.commit("alice", "", false);
    world.device.write("alice", [{ action: "set", at: vsys.parent ?? vsys, element: running }]);
    const outcome = await world.plan();
    expect([outcome.plan?.commitOnly, exitCode([outcome])]).toEqual([true, 2]);
    const refused = await world.reconcile();
    expect([refused.error?.code, exitCode([refused])]).toEqual(["foreign-change", 3]);
    world.device.commit("alice", "", false);
    expect(exitCode([await world.reconcile()])).toBe(0);
  });
});
