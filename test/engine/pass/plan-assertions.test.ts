import { beforeEach, describe, expect, it } from "vitest";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import { outcomeCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { notWorkedOut } from "../../../src/reachability/changes/analysis.js";
import { replacing } from "../apply/replacing.js";
import { setAddress, setMember, VSYS } from "../apply/scenes.js";
import { World } from "../apply/world.js";

const RULES = `${VSYS}/rulebase/security/rules`;
const GROUP = `${VSYS}/address-group/entry[@name='clients']/static`;

const member = (text: string): string => `<member>${text}</member>`;
const field = (tag: string, text: string): string => `<${tag}>${member(text)}</${tag}>`;
const rule = (name: string, from: string, to: string, source: string, service: string, action: string): string =>
  `<entry name='${name}'>${field("from", from)}${field("to", to)}${field("source", source)}${field("destination", "any")}${field("application", "any")}${field("service", service)}<action>${action}</action></entry>`;

/** Two zones, clients of which one may reach the database, and a clean-up. */
const LIVE = [
  "<config><devices><entry name='localhost.localdomain'><vsys><entry name='vsys1'>",
  "<zone><entry name='office'/><entry name='db'/></zone>",
  "<address><entry name='pc-1'><ip-netmask>10.1.0.1</ip-netmask></entry><entry name='outside'><fqdn>guest.example.org</fqdn></entry></address>",
  "<address-group><entry name='clients'><static><member>pc-1</member></static></entry></address-group>",
  "<service><entry name='pg'><protocol><tcp><port>5432</port></tcp></protocol></entry><entry name='ssh'><protocol><tcp><port>22</port></tcp></protocol></entry></service>",
  "<rulebase><security><rules>",
  rule("clients-to-db", "office", "db", "clients", "pg", "allow"),
  rule("deny-all", "any", "any", "any", "any", "deny"),
  "</rules></security></rulebase></entry></vsys></entry></devices><shared></shared></config>",
].join("");

const ONLY_POSTGRES = `  - name: db-only-postgres
    description: the office reaches db with nothing but PostgreSQL
    verdict: deny
    from: [office]
    to: [db]
    except:
      - { service: [tcp/5432] }
`;

/** A document that asserts, and wants a rule on top from `source` to db on `service`. */
function wanting(assertions: string, rules: readonly (readonly [name: string, source: string, service: string])[] = []): string {
  const entries = rules.map(
    ([name, source, service]) =>
      `          - { name: ${name}, from: [office], to: [db], source: [${source}], destination: [any], application: [any], service: [${service}], action: allow }\n`,
  );
  const config =
    rules.length === 0
      ? ""
      : `owns: { rulebase/security/rules: shared }\nconfig:\n  rulebase:\n    security:\n      rules:\n        $position: top\n        $entries:\n${entries.join("")}`;
  return `target: edge\nscope: vsys1\nassert:\n${assertions}${config}`;
}

const states = ({ assertions }: TargetOutcome): unknown[] =>
  (assertions ?? []).map(({ name, state, before, isByChange }) => [name, state, before, isByChange]);
const guards = ({ plan }: TargetOutcome): unknown[] => (plan?.refusals ?? []).map(({ guard, stops, allow }) => [guard, stops, allow]);
const allow = (name: string) => ({ pass: { allow: new Map([["assertion", name]]) } });

/** A manual change of an administrator, committed. */
function byHand(world: World, ...operations: Parameters<World["device"]["write"]>[1]): void {
  world.device.write("mkovacs", operations);
  world.device.commit("mkovacs", "by hand", false);
}

const setRule = (xml: string): Parameters<World["device"]["write"]>[1][number] => ({
  action: "set",
  at: parsePath(RULES),
  element: parseXml(Buffer.from(xml)),
});

let world: World;
beforeEach(() => {
  world = new World(LIVE);
});

const TAGGED = `  - name: rules-have-a-tag
    description: whoever reads a rule sees whose it is
    xpath: rulebase/security/rules/entry[not(tag/member)][@name != 'deny-all' and @name != 'clients-to-db']
`;

describe("forbidden configuration", () => {
  it("is evaluated with unmanaged parts, of any author", async () => {
    world.want(wanting(`  - { name: no-guests, xpath: "address/entry[fqdn]", strict: true }\n`));
    const outcome = await world.plan();
    expect(states(outcome)).toEqual([["no-guests", "broken", "broken", false]]);
    expect(guards(outcome)).toEqual([["assertion", "subtree", '--allow "assertion=no-guests"']]);
    expect(outcome.assertions?.[0]?.selected).toEqual({ count: 1, places: [{ xpath: `${VSYS}/address/entry[@name='outside']` }] });
  });

  it("refuses a plan that would add it, with the declaring line", async () => {
    world.want(wanting(TAGGED, [["more", "clients", "pg"]]));
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "plan-refused", message: expect.stringContaining("/rules/entry[@name='more']") });
    expect(outcome.assertions?.[0]).toMatchObject({
      state: "broken",
      isByChange: true,
      selected: { places: [{ file: "edge/policy.yaml", line: 14 }] },
    });
    expect(world.device.events.map(({ kind }) => kind)).toEqual(["lock", "unlock"]);
  });

  it("is reported in drift, with its author", async () => {
    const open = `  - { name: closed, xpath: "rulebase/security/rules/entry[action='allow'][service/member='any']" }\n`;
    world.want(wanting(open, [["more", "clients", "pg"]]));
    expect((await world.reconcile()).error).toBeUndefined();
    byHand(world, setMember(`${RULES}/entry[@name='more']/service`, "any"));
    const attribution = async () => ({ admin: "mkovacs", time: "2026/01/02 03:04:05" });
    const outcome = await world.drift({ wrap: (target) => replacing(target, { attribution }) });
    expect(states(outcome)).toEqual([["closed", "broken", "holds", true]]);
    expect(outcome.assertions?.[0]?.selected).toMatchObject({ count: 1, admin: "mkovacs" });
  });
});

describe("a plan", () => {
  it("that breaks an assertion is refused at the assertion's line; others are reported to hold", async () => {
    const held = "  - { name: db-is-silent, verdict: deny, from: [db], to: [office] }\n";
    world.want(wanting(ONLY_POSTGRES + held, [["ssh-in", "clients", "ssh"]]));
    const outcome = await world.plan();
    expect(outcomeCode(outcome)).toBe(3);
    expect(states(outcome)).toEqual([
      ["db-only-postgres", "broken", "holds", true],
      ["db-is-silent", "holds", "holds", false],
    ]);
    expect(guards(outcome)).toEqual([["assertion", undefined, '--allow "assertion=db-only-postgres"']]);
    expect(outcome.assertions?.[0]).toMatchObject({
      where: { file: "edge/policy.yaml", line: 4 },
      witness: { rule: { name: "ssh-in" }, flow: { from: "office", to: "db", service: "tcp/22" }, condition: "" },
    });
    const { error } = await world.reconcile();
    expect(error).toMatchObject({ code: "plan-refused", severity: "refused", where: { line: 4 } });
    expect(world.device.events.map(({ kind }) => kind)).toEqual(["lock", "unlock"]);
  });

  it("is refused if the analysis does not answer, and passes with the next pass that does", async () => {
    world.want(wanting(ONLY_POSTGRES, [["more", "clients", "pg"]]));
    const ended = () => Promise.reject(notWorkedOut("the process that did it ended (SIGKILL)"));
    const insightWork = { between: ended, judge: ended };
    const outcome = await world.reconcile({ pass: { insightWork } });
    expect(outcome.error).toMatchObject({ code: "plan-refused", message: expect.stringContaining("could not be judged") });
    expect(states(outcome)).toEqual([["db-only-postgres", "unknown", "unknown", true]]);
    expect(outcome.assertions?.[0]?.why).toEqual([
      "It could not be judged: The flow analysis failed: the process that did it ended (SIGKILL).",
    ]);
    expect(world.device.events.map(({ kind }) => kind)).toEqual(["lock", "unlock"]);
    const plan = await world.plan({ pass: { insight: true, insightWork } });
    expect(plan.insight).toEqual({ scopes: [], failure: expect.stringContaining("The flow analysis failed") });
    expect((await world.reconcile()).applied?.proven).toBe(true);
  });

  it("is allowed once by name, and by no other name", async () => {
    world.want(wanting(ONLY_POSTGRES, [["ssh-in", "clients", "ssh"]]));
    expect((await world.reconcile(allow("db-is-silent"))).error?.code).toBe("plan-refused");
    const passed = await world.reconcile(allow("other\ndb-only-postgres"));
    expect(passed.error).toBeUndefined();
    expect(passed.applied?.proven).toBe(true);
    expect(states(passed)).toEqual([["db-only-postgres", "broken", "broken", true]]);
    const next = await world.reconcile();
    expect(next.error).toBeUndefined();
    expect(states(next)).toEqual([["db-only-postgres", "broken", "broken", false]]);
  });

  it("is not stopped by an earlier failure, but if it adds to it", async () => {
    byHand(world, setRule(rule("hand", "office", "db", "pc-1", "ssh", "allow")), {
      action: "move",
      at: parsePath(`${RULES}/entry[@name='hand']`),
      where: "top",
    });
    world.want(wanting(ONLY_POSTGRES, [["more", "clients", "pg"]]));
    const beside = await world.plan();
    expect([outcomeCode(beside), states(beside)]).toEqual([2, [["db-only-postgres", "broken", "broken", false]]]);
    world.want(wanting(ONLY_POSTGRES, [["more", "10.9.0.0/16", "ssh"]]));
    const adding = await world.plan();
    expect([outcomeCode(adding), states(adding)]).toEqual([3, [["db-only-postgres", "broken", "broken", true]]]);
    expect(adding.assertions?.[0]?.witness).toMatchObject({ rule: { name: "more" }, flow: { source: "10.9.0.0/16" } });
  });

  it("that breaks an assertion only depending on unknowns counts as breaking it, unless accepted with a reason", async () => {
    world.want(wanting(ONLY_POSTGRES, [["guest", "outside", "ssh"]]));
    const outcome = await world.plan();
    expect(states(outcome)).toEqual([["db-only-postgres", "unknown", "holds", true]]);
    expect(outcome.assertions?.[0]?.witness?.condition).toBe("the source is in guest.example.org (FQDN)");
    expect(outcomeCode(outcome)).toBe(3);
    world.want(wanting(`${ONLY_POSTGRES}    unknowns: accept\n    reason: guests are few\n`, [["guest", "outside", "ssh"]]));
    const accepted = await world.plan();
    expect([outcomeCode(accepted), states(accepted)]).toEqual([2, [["db-only-postgres", "unknown", "holds", false]]]);
  });

  it("is doubted if a part of the rulebase is not modelled, and not for a changed zone name", async () => {
    const override = "<rules><entry name='o'/></rules>";
    const doubted = new World(LIVE.replace("<rulebase>", `<rulebase><application-override>${override}</application-override>`));
    doubted.want(wanting(ONLY_POSTGRES));
    const outcome = await doubted.plan();
    expect(states(outcome)).toEqual([["db-only-postgres", "unknown", "unknown", false]]);
    expect(outcome.assertions?.[0]?.why.join()).toContain("application override");
    const nat =
      "config:\n  rulebase:\n    nat:\n      rules:\n        $position: top\n        $entries:\n          - { name: n, from: [office], to: [db], source: [any], destination: [any], service: any }\n";
    world.want(`${wanting(ONLY_POSTGRES)}${nat}`);
    expect(states(await world.plan())).toEqual([["db-only-postgres", "holds", "holds", false]]);
  });

  it("ends as refused if an assertion matches nothing, and does its work anyway", async () => {
    world.want(
      wanting(`${ONLY_POSTGRES}${ONLY_POSTGRES.replace("db-only-postgres", "typo").replace("[db]", "[dbb]")}`, [["more", "clients", "pg"]]),
    );
    const outcome = await world.reconcile();
    expect(outcome.assertions?.[1]).toMatchObject({ name: "typo", state: "empty", why: ['There is no zone "dbb" in this rulebase.'] });
    expect(outcome.applied?.commit).toBe("committed");
    expect(outcome.error).toMatchObject({ code: "plan-refused" });
    expect(outcome.error?.message).toContain('assertion: "typo" (vsys1) matches nothing');
  });

  it("ends as refused while a strict assertion fails, and fixes what it can", async () => {
    byHand(world, setRule(rule("hand", "office", "db", "pc-1", "ssh", "allow")), {
      action: "move",
      at: parsePath(`${RULES}/entry[@name='hand']`),
      where: "top",
    });
    world.want(wanting(`${ONLY_POSTGRES}    strict: true\n`, [["more", "clients", "pg"]]));
    const outcome = await world.reconcile();
    expect([outcome.applied?.commit, outcome.error?.code]).toEqual(["committed", "plan-refused"]);
    expect((await world.reconcile(allow("db-only-postgres"))).error).toBeUndefined();
  });
});

describe("a second actor", () => {
  it("who opens the path before the lock makes the plan refused: the live state is evaluated again", async () => {
    const noneBut = ONLY_POSTGRES.replace(
      "    except:\n      - { service: [tcp/5432] }\n",
      "    source: [clients]\n    service: [tcp/22]\n",
    );
    world.want(wanting(noneBut, [["ssh-in", "10.7.0.0/16", "ssh"]]));
    expect(outcomeCode(await world.plan())).toBe(2);
    let isDone = false;
    const observer = {
      before: (step: string) => {
        if (step !== "lock" || isDone) return;
        isDone = true;
        byHand(world, setAddress(`${VSYS}/address`, "pc-7", "10.7.0.7"), setMember(GROUP, "pc-7"));
      },
      after: () => undefined,
    };
    const outcome = await world.reconcile({ observer });
    expect(isDone).toBe(true);
    expect(outcome.error).toMatchObject({ code: "plan-refused" });
    expect(outcome.error?.message).toContain("db-only-postgres");
    expect(world.device.locks).toEqual([]);
  });

  it("without a commit does not interfere, but a killed run does: its work would be committed", async () => {
    world.device.write("mkovacs", [
      setRule(rule("theirs", "office", "db", "pc-1", "ssh", "allow")),
      { action: "move", at: parsePath(`${RULES}/entry[@name='theirs']`), where: "top" },
    ]);
    world.want(wanting(ONLY_POSTGRES));
    expect(states(await world.plan())).toEqual([["db-only-postgres", "broken", "broken", false]]);
    const ours = new World(LIVE);
    ours.device.write("netops", [
      setRule(rule("ssh-in", "office", "db", "clients", "ssh", "allow")),
      { action: "move", at: parsePath(`${RULES}/entry[@name='ssh-in']`), where: "top" },
    ]);
    ours.want(wanting(ONLY_POSTGRES, [["ssh-in", "clients", "ssh"]]));
    const outcome = await ours.plan();
    expect([outcomeCode(outcome), states(outcome)]).toEqual([3, [["db-only-postgres", "broken", "holds", true]]]);
  });

  it("who changes a rule manually is named by drift", async () => {
    world.want(wanting(ONLY_POSTGRES, [["more", "clients", "pg"]]));
    expect((await world.reconcile()).error).toBeUndefined();
    byHand(world, {
      action: "edit",
      at: parsePath(`${RULES}/entry[@name='more']/service`),
      element: new TreeNode("service", undefined, "", [new TreeNode("member", undefined, "ssh")]),
    });
    const attribution = async () => ({ admin: "mkovacs", time: "2026/01/02 03:04:05" });
    const outcome = await world.drift({ wrap: (target) => replacing(target, { attribution }) });
    expect(states(outcome)).toEqual([["db-only-postgres", "broken", "holds", true]]);
    expect(outcome.assertions?.[0]?.witness).toMatchObject({ rule: { name: "more" }, admin: "mkovacs" });
    expect(outcome.error).toBeUndefined();
  });
});

it("is unknown, and never holds, if rules cannot be read; a plan that writes is refused, and can be overridden", async () => {
  world.want(wanting(ONLY_POSTGRES, [["more", "clients", "pg"]]));
  const wrap = (target: WriteTarget): WriteTarget =>
    replacing(target, {
      read: (...asked) =>
        asked[0].some((path) => path.tag === "shared") ? Promise.reject(new Error("we may not read that")) : target.read(...asked),
    });
  const outcome = await world.plan({ wrap });
  expect(states(outcome)).toEqual([["db-only-postgres", "unknown", "unknown", true]]);
  expect(outcome.assertions?.[0]?.why).toEqual(["It could not be judged: we may not read that"]);
  expect(outcomeCode(outcome)).toBe(3);
  expect((await world.reconcile({ wrap, ...allow("db-only-postgres") })).applied?.commit).toBe("committed");
  const after = await world.plan({ wrap });
  expect([outcomeCode(after), states(after)]).toEqual([0, [["db-only-postgres", "unknown", "unknown", false]]]);
});
