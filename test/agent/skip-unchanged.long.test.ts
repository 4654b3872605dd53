import { expect, it } from "vitest";
import { edge, inner, RULES, rule } from "../reachability/two-firewalls.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;
const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";

const asserted = (more: string) => `target: edge
scope: vsys1
assert:
  - { name: db-is-up, verdict: allow, path: { source: 192.0.2.77, destination: "inner:db-01", service: tcp/5432${more} } }
config:
  address:
    a: { ip-netmask: 10.0.0.1 }
`;

/** Two firewalls, of which edge asserts a path through both. */
async function twoFirewalls(more = ""): Promise<AgentWorld> {
  const world = await AgentWorld.startForTest({ targets: ["edge", "inner"] });
  for (const [name, xml] of [
    ["edge", edge()],
    ["inner", inner()],
  ] as const) {
    const network = /<network>(.*?)<\/network><vsys>/.exec(xml)?.[1] ?? "";
    const vsys = /<entry name='vsys1'>(.*)<\/entry><\/vsys>/.exec(xml)?.[1] ?? "";
    world.act(name, { type: "config", action: "set", xpath: `${DEVICE}/network`, element: network });
    world.act(name, { type: "config", action: "set", xpath: `${DEVICE}/vsys/entry[@name='vsys1']`, element: vsys });
  }
  world.write("edge/objects.yaml", asserted(more));
  world.push("asserted");
  await world.run();
  await world.event("applied", ({ target }) => target === "edge");
  await world.event("applied", ({ target }) => target === "inner");
  return world;
}

function closeByHand(world: AgentWorld): void {
  const element = rule("closed", "any", "deny");
  world.act("inner", { type: "config", action: "set", xpath: RULES, element });
  world.act("inner", { type: "config", action: "move", where: "top", xpath: `${RULES}/entry[@name='closed']` });
}

it("a target with path assertions is evaluated in each pass, and detects a change at another target, and its repair", async () => {
  const world = await twoFirewalls();
  const settled = await world.after(20 * MINUTE, "pass-ended", ({ target }) => target === "edge");
  expect([settled.result, settled.outcome?.assertions?.map(({ state }) => state)]).toEqual(["in-sync", ["holds"]]);
  const again = await world.after(20 * MINUTE, "pass-ended", ({ target }) => target === "edge");
  expect([again.result, again.outcome?.assertions?.map(({ state }) => state)]).toEqual(["in-sync", ["holds"]]);
  await world.settle();
  expect(world.events.some((event) => event.type === "pass-ended" && event.target === "inner" && event.result === "skipped")).toBe(true);
  closeByHand(world);
  const changed = await world.after(20 * MINUTE, "assertion-changed");
  expect(changed).toMatchObject({ target: "edge", judged: { name: "db-is-up", state: "broken", before: "broken", isByChange: false } });
  expect(changed.judged.why).toEqual(["192.0.2.77 > inner:db-01  tcp/5432 is stopped by inner: closed."]);
  world.act("inner", { type: "config", action: "delete", xpath: `${RULES}/entry[@name='closed']` });
  expect(await world.after(20 * MINUTE, "assertion-changed")).toMatchObject({ target: "edge", judged: { state: "holds" } });
  expect(world.faults).toEqual([]);
});

it("a commit that would break the path is refused, and the other target stays unchanged", async () => {
  const world = await twoFirewalls(", through: inner");
  await world.settle();
  const deny =
    "  rulebase: { security: { rules: { $position: top, $entries: [{ name: no, from: [any], to: [any], source: [any], destination: [any], application: [any], service: [any], action: deny }] } } }\n";
  world.write("edge/objects.yaml", asserted(", through: inner") + deny);
  world.push("closed");
  const refused = await world.after(20 * MINUTE, "pass-ended", ({ target, outcome }) => target === "edge" && outcome?.error !== undefined);
  expect(refused.outcome?.error).toMatchObject({ code: "plan-refused", message: expect.stringContaining("db-is-up") });
  expect(refused.outcome?.assertions).toMatchObject([{ state: "broken", before: "holds", isByChange: true }]);
});
