import { beforeEach, describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import { outcomeCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import type { Device } from "../../engine/apply/device.js";
import { replacing } from "../../engine/apply/replacing.js";
import { World } from "../../engine/apply/world.js";
import { DENY, edge, inner, RULES, rule } from "../two-firewalls.js";

const path = (port: string, more = "") => `path: { source: 192.0.2.77, destination: "inner:db-01", service: [${port}]${more} }`;
const ALLOWED = `  - { name: db-is-up, verdict: allow, ${path("tcp/5432")} }\n`;
const NO_SSH = `  - { name: no-ssh, verdict: deny, ${path("tcp/22")} }\n`;

/** A document of edge that asserts, and wants rules on top. */
function wanting(
  assertions: string,
  ...rules: readonly (readonly [name: string, service: string, action: string, source?: string])[]
): string {
  const entries = rules.map(
    ([name, service, action, source = "any"]) =>
      `          - { name: ${name}, from: [any], to: [any], source: [${source}], destination: [any], application: [any], service: [${service}], action: ${action} }\n`,
  );
  const config = `config:\n  rulebase:\n    security:\n      rules:\n        $position: top\n        $entries:\n${entries.join("")}`;
  return `target: edge\nscope: vsys1\nassert:\n${assertions}${rules.length === 0 ? "" : config}`;
}

let world: World;
let other: Device;
const on = (mine = edge(), theirs = inner()): World => {
  world = new World(mine);
  other = world.add("inner", theirs, "target: inner\nscope: vsys1\nassert: [{ name: quiet, xpath: nothing }]\n");
  return world;
};
beforeEach(() => on());

const EDGE = { targets: ["edge"] };
const plan = (more: Parameters<World["plan"]>[0] = {}) => world.plan({ ...more, pass: { ...EDGE, ...more.pass } });
const reconcile = (more: Parameters<World["reconcile"]>[0] = {}) => world.reconcile({ ...more, pass: { ...EDGE, ...more.pass } });
const drift = (more: Parameters<World["drift"]>[0] = {}) => world.drift({ ...more, pass: EDGE });

const states = ({ assertions = [] }: TargetOutcome): unknown[] =>
  assertions.map(({ name, state, before, isByChange }) => [name, state, before, isByChange]);
const why = ({ assertions = [] }: TargetOutcome): readonly string[] => assertions.flatMap((each) => each.why);

/** Another administrator opens or closes the inner firewall and commits. */
function byHand(device: Device, xml: string): void {
  device.write("mkovacs", [
    { action: "set", at: parsePath(RULES), element: parseXml(Buffer.from(xml)) },
    { action: "move", at: parsePath(`${RULES}/entry[@name='${/name='([^']*)/.exec(xml)?.[1]}']`), where: "top" },
  ]);
  device.commit("mkovacs", "by hand", false);
}

/** `name` is unreachable while `isAway` returns true. */
const away =
  (name: string, isAway = () => true) =>
  (target: WriteTarget): WriteTarget =>
    target.name !== name
      ? target
      : replacing(target, { open: () => (isAway() ? Promise.reject(new Error("nobody answers")) : target.open()) });

describe("an assertion about a complete path", () => {
  it("holds if each path certainly arrives, or none can", async () => {
    world.want(wanting(ALLOWED + NO_SSH));
    const outcome = await plan();
    expect(states(outcome)).toEqual([
      ["db-is-up", "holds", "holds", false],
      ["no-ssh", "holds", "holds", false],
    ]);
    expect(outcomeCode(outcome)).toBe(0);
  });

  it("refuses a plan that stops it, at the assertion's line, with the rule", async () => {
    world.want(wanting(ALLOWED, ["closed", "any", "deny"]));
    const outcome = await plan();
    expect(outcomeCode(outcome)).toBe(3);
    expect(states(outcome)).toEqual([["db-is-up", "broken", "holds", true]]);
    expect(outcome.assertions?.[0]).toMatchObject({ where: { line: 4 }, witness: { rule: { name: "closed", where: { line: 11 } } } });
    expect(why(outcome)).toEqual(["192.0.2.77 > inner:db-01  tcp/5432 is stopped by edge: closed."]);
    const { error } = await reconcile();
    expect(error).toMatchObject({ code: "plan-refused", message: expect.stringContaining("db-is-up") });
    expect(world.device.events.map(({ kind }) => kind)).toEqual(["lock", "unlock"]);
    expect((await reconcile({ pass: { allow: new Map([["assertion", "db-is-up"]]) } })).applied?.commit).toBe("committed");
  });

  it("is not broken by a plan that opens what another target stops, and an earlier failure of the other is reported as such", async () => {
    world.want(wanting(NO_SSH, ["ssh", "tcp-22", "allow"]));
    expect(states(await plan())).toEqual([["no-ssh", "holds", "holds", false]]);
    on(edge(), inner(DENY)).want(wanting(ALLOWED, ["ssh", "tcp-22", "allow"]));
    const outcome = await plan();
    expect(states(outcome)).toEqual([["db-is-up", "broken", "broken", false]]);
    expect(why(outcome)).toEqual(["192.0.2.77 > inner:db-01  tcp/5432 is stopped by inner: deny-all."]);
    expect(outcome.assertions?.[0]?.witness).toBeUndefined();
    expect(outcomeCode(outcome)).toBe(2);
  });

  it("is evaluated per flow: a plan that breaks one more is refused", async () => {
    const both = `  - { name: up, verdict: allow, ${path("tcp/5432, tcp/22")} }\n`;
    world.want(wanting(both, ["more", "tcp-22", "deny"]));
    expect(states(await plan())).toEqual([["up", "broken", "broken", false]]);
    world.want(wanting(both, ["more", "tcp-5432", "deny"]));
    const outcome = await plan();
    expect(states(outcome)).toEqual([["up", "broken", "broken", true]]);
    expect(why(outcome)).toEqual(["192.0.2.77 > inner:db-01  tcp/5432 is stopped by edge: more.", "1 other flow does not hold, either."]);
  });

  it("is unknown if a container in a rule of another firewall may contain the application of the question", async () => {
    on(edge(), inner(rule("social", "tcp-5432", "allow", "facebook") + DENY));
    const denied = (application: string) => `  - { name: closed, verdict: deny, ${path("tcp/5432", `, application: ${application}`)} }\n`;
    world.want(wanting(denied("facebook-base")));
    expect(states(await plan())).toEqual([["closed", "unknown", "unknown", false]]);
    world.want(wanting(denied("ssl")));
    expect(states(await plan())).toEqual([["closed", "holds", "holds", false]]);
  });

  it("is broken if a part of it certainly fails: an application that one rule allows and others do not", async () => {
    const some = rule("ssl-alone", "tcp-5432", "allow", "ssl") + DENY;
    const all = `  - { name: all, verdict: allow, ${path("tcp/5432")} }\n`;
    const none = `  - { name: none, verdict: deny, ${path("tcp/5432")} }\n`;
    const ssl = `  - { name: ssl, verdict: allow, ${path("tcp/5432", ", application: ssl")} }\n`;
    on(edge(some)).want(wanting(all + none + ssl));
    expect(states(await plan()).map((each) => (each as unknown[])[1])).toEqual(["broken", "broken", "holds"]);
  });

  it("is unknown if an unread name decides", async () => {
    const guest = rule("guest", "tcp-22").replace("<source><member>any", "<source><member>guest");
    const named = (xml: string) => xml.replace("<address>", "<address><entry name='guest'><fqdn>guest.example.org</fqdn></entry>");
    on(named(edge(guest + DENY)), inner(rule("all", "any"))).want(wanting(NO_SSH));
    expect(states(await plan())).toEqual([["no-ssh", "unknown", "unknown", false]]);
    const accepted = NO_SSH.replace("verdict", "unknowns: accept, reason: guests are few, verdict");
    const opens = ["guest", "tcp-22", "allow", "guest"] as const;
    on(named(edge()), inner(rule("all", "any"))).want(wanting(accepted, opens));
    expect(states(await plan())).toEqual([["no-ssh", "unknown", "holds", false]]);
    world.want(wanting(NO_SSH, opens));
    const outcome = await plan();
    expect(states(outcome)).toEqual([["no-ssh", "unknown", "holds", true]]);
    expect(outcome.assertions?.[0]?.witness?.condition).toContain("guest.example.org");
  });

  it("is unknown for unmodelled parts that the plan does not change; NAT changes of a plan are followed", async () => {
    const override = (xml: string) =>
      xml.replace("<rulebase>", "<rulebase><application-override><rules><entry name='o'/></rules></application-override>");
    on(override(edge())).want(wanting(ALLOWED + NO_SSH));
    const outcome = await plan();
    expect(states(outcome)).toEqual([
      ["db-is-up", "unknown", "unknown", false],
      ["no-ssh", "unknown", "unknown", false],
    ]);
    expect(why(outcome).join()).toContain("application override");
    world.want(wanting(ALLOWED + NO_SSH, ["closed", "any", "deny"]));
    expect(states(await plan())).toEqual([
      ["db-is-up", "unknown", "unknown", true],
      ["no-ssh", "unknown", "unknown", false],
    ]);
    const nat =
      "config:\n  rulebase:\n    nat:\n      rules:\n        $position: top\n        $entries:\n          - { name: n, from: [untrust], to: [core], source: [any], destination: [10.2.0.99], service: any, destination-translation: { translated-address: 192.0.2.50 } }\n";
    on().want(wanting(ALLOWED) + nat);
    expect(states(await plan())).toEqual([["db-is-up", "holds", "holds", false]]);
  });

  it("with reaches names the final destination behind NAT", async () => {
    const nat =
      "config:\n  rulebase:\n    nat:\n      rules:\n        $position: top\n        $entries:\n          - { name: n, from: [untrust], to: [core], source: [any], destination: [db-01], service: any, destination-translation: { translated-address: 192.0.2.50 } }\n";
    const reaching = (words: string) => `  - { name: db-is-up, verdict: allow, ${path("tcp/5432", `, reaches: ${words}`)} }\n`;
    world.want(wanting(reaching("[10.2.0.21]")) + nat);
    const outcome = await plan();
    expect(states(outcome)).toEqual([["db-is-up", "broken", "holds", true]]);
    expect(why(outcome)).toEqual(["192.0.2.77 > inner:db-01  tcp/5432 comes to 192.0.2.50, and not to 10.2.0.21."]);
    world.want(wanting(ALLOWED) + nat);
    expect(states(await plan())).toEqual([["db-is-up", "holds", "holds", false]]);
    world.want(wanting(reaching('"inner:db-01"')));
    expect(states(await plan())).toEqual([["db-is-up", "holds", "holds", false]]);
    world.want(wanting(reaching('"inner:db-07"')));
    expect(states(await plan())).toEqual([["db-is-up", "empty", "empty", false]]);
  });

  it("matches nothing if a name is empty: the run ends as refused", async () => {
    world.want(wanting(ALLOWED.replace("inner:db-01", "inner:db-09")));
    const outcome = await plan();
    expect(states(outcome)).toEqual([["db-is-up", "empty", "empty", false]]);
    expect(why(outcome)).toEqual([
      expect.stringContaining('destination: needs one address: nothing with a single address is named "inner:db-09"'),
    ]);
    expect(outcomeCode(outcome)).toBe(3);
    world.want(wanting(ALLOWED.replace("inner:db-01", "db-net")));
    expect(states(await plan())).toEqual([["db-is-up", "empty", "empty", false]]);
  });

  it("starts at the target that its source names, and resolves names there", async () => {
    const back = 'path: { source: "inner:db-01", destination: db-01, service: tcp/5432, from: db }';
    world.want(wanting(`  - { name: back, verdict: deny, ${back} }\n`));
    expect(why(await plan())).toEqual([expect.stringMatching(/^inner:db-01 > db-01 {2}tcp\/5432 arrives: .* of inner\.$/)]);
  });

  it("reads only the targets on the path, and treats no others as the next hop", async () => {
    const asked: string[] = [];
    const wrap = (target: WriteTarget) =>
      replacing(target, {
        open: () => {
          asked.push(target.name);
          return target.open();
        },
      });
    world.add("far", inner(), "target: far\nscope: vsys1\nassert: [{ name: quiet, xpath: nothing }]\n");
    world.want(wanting(`  - { name: up, verdict: allow, ${path("tcp/5432", ", through: [inner]")} }\n`));
    expect(states(await plan({ wrap }))).toEqual([["up", "holds", "holds", false]]);
    expect(asked.sort()).toEqual(["edge", "inner"]);
    world.want(wanting(ALLOWED));
    expect(states(await plan({ wrap }))).toEqual([["db-is-up", "unknown", "unknown", false]]);
  });
});

describe("a second actor", () => {
  it("who opens another target between plan and lock makes the plan refused before a write", async () => {
    world.want(wanting(NO_SSH, ["ssh", "tcp-22", "allow"]));
    expect(outcomeCode(await plan())).toBe(2);
    const observer = {
      before: (step: string) => void (step === "lock" && byHand(other, rule("hand", "any"))),
      after: () => undefined,
    };
    const outcome = await reconcile({ observer });
    expect(outcome.error).toMatchObject({ code: "plan-refused", message: expect.stringContaining("no-ssh") });
    expect(states(outcome)).toEqual([["no-ssh", "broken", "holds", true]]);
    expect(world.device.events.map(({ kind }) => kind)).toEqual(["lock", "unlock"]);
    expect(other.locks).toEqual([]);
  });

  it("who closes another target is reported by drift, and not as a manual change of this one", async () => {
    world.want(wanting(ALLOWED));
    byHand(other, rule("closed", "any", "deny"));
    const outcome = await drift();
    expect(states(outcome)).toEqual([["db-is-up", "broken", "broken", false]]);
    byHand(world.device, rule("own", "any", "deny"));
    world.want(wanting(ALLOWED, ["keep", "any", "allow"]));
    expect(outcomeCode(await drift())).toBe(2);
  });

  it("whose change after the lock is seen after the commit", async () => {
    world.want(wanting(ALLOWED, ["ssh", "tcp-22", "allow"]));
    const observer = {
      before: (step: string) => void (step === "commit" && byHand(other, rule("closed", "any", "deny"))),
      after: () => undefined,
    };
    const outcome = await reconcile({ observer });
    expect(outcome.applied?.commit).toBe("committed");
    expect(states(outcome)).toEqual([["db-is-up", "broken", "broken", false]]);
  });
});

describe("an unreadable target", () => {
  const UNREAD = "inner could not be read: nobody answers.";

  it("makes it unknown, and stops no plan without affected flows", async () => {
    world.want(`${wanting(ALLOWED)}config: { tag: { blue: { color: color1 } } }\n`);
    const outcome = await reconcile({ wrap: away("inner") });
    expect(states(outcome)).toEqual([["db-is-up", "unknown", "unknown", false]]);
    expect(why(outcome)).toEqual([UNREAD]);
    expect(outcome.error).toBeUndefined();
    expect(outcome.applied?.commit).toBe("committed");
  });

  it("stops a plan that may affect it, unless allowed or accepted", async () => {
    const rules = ["more", "tcp-22", "allow"] as const;
    world.want(wanting(ALLOWED, rules));
    const outcome = await plan({ wrap: away("inner") });
    expect([outcomeCode(outcome), states(outcome)]).toEqual([3, [["db-is-up", "unknown", "unknown", true]]]);
    expect(why(outcome)).toEqual([UNREAD, "The change may affect it."]);
    world.want(wanting(ALLOWED.replace("verdict", "unknowns: accept, reason: inner is often away, verdict"), rules));
    expect(outcomeCode(await plan({ wrap: away("inner") }))).toBe(2);
  });

  it("never counts as a target that stops the flow", async () => {
    world.want(wanting(`  - { name: no-ssh, verdict: deny, ${path("tcp/22").replace("inner:db-01", "10.2.0.21")} }\n`));
    const outcome = await plan({ wrap: away("inner") });
    expect(states(outcome)).toEqual([["no-ssh", "unknown", "unknown", false]]);
    expect(why(outcome)).toEqual([UNREAD]);
  });

  it("between plan and apply prevents the write", async () => {
    world.want(wanting(ALLOWED, ["ssh", "tcp-22", "allow"]));
    let isLocked = false;
    const observer = {
      before: (step: string) => {
        if (step === "lock") isLocked = true;
      },
      after: () => undefined,
    };
    const outcome = await reconcile({ observer, wrap: away("inner", () => isLocked) });
    expect(outcome.error).toMatchObject({ code: "plan-refused", message: expect.stringContaining("nobody answers") });
    expect(world.device.events.map(({ kind }) => kind)).toEqual(["lock", "unlock"]);
    expect((await reconcile()).applied?.commit).toBe("committed");
  });
});
