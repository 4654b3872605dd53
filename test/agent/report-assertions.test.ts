import { afterEach, beforeEach, expect, it } from "vitest";
import { eventText } from "../../src/agent/event-text.js";
import { noticeStates } from "../../src/agent/notify/notice-states.js";
import { plain } from "../../src/report/style.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;
const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const member = (tag: string, text: string): string => `<${tag}><member>${text}</member></${tag}>`;
const OPEN = `${member("from", "office")}${member("to", "db")}${["source", "destination", "application", "service"].map((tag) => member(tag, "any")).join("")}<action>allow</action>`;

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.start({ agent: "skipPasses: 5" });
  world.act("edge", { type: "config", action: "set", xpath: `${VSYS}/zone`, element: "<entry name='office'/><entry name='db'/>" });
  world.write(
    "edge/expect.yaml",
    "target: edge\nscope: vsys1\nassert:\n  - { name: no-way-in, verdict: deny, from: [office], to: [db] }\n",
  );
  world.push("assert");
});
afterEach(() => world.close());

const openByHand = (): void => {
  world.act("edge", { type: "config", action: "set", xpath: `${VSYS}/rulebase/security/rules/entry[@name='hand']`, element: OPEN });
};

/** The store keeps the assertions of the newest pass of the target for the page. */
async function kept(): Promise<unknown> {
  await world.settle();
  const found = await world.store?.history.find({ target: "edge", kinds: ["pass"], limit: 1 });
  return found?.entries[0]?.detail.asserted;
}

it("an unmanaged rule breaks an assertion even without other changes, and it holds again after its removal", async () => {
  await world.run();
  await world.event("applied");
  await world.after(20 * MINUTE, "pass-ended");
  await world.after(20 * MINUTE, "pass-ended", ({ result }) => result === "skipped");
  expect(world.seen("assertion-changed")).toBe(0);
  openByHand();
  const broken = await world.after(20 * MINUTE, "assertion-changed");
  expect(broken.judged).toMatchObject({ name: "no-way-in", state: "broken", witness: { rule: { name: "hand" } } });
  expect(eventText(broken, plain)).toContain(
    'edge  assertion "no-way-in" is broken; office > db  any > any  any service · any application; by rule hand',
  );
  expect(noticeStates(broken)).toMatchObject([
    {
      state: "broken",
      isUsual: false,
      notice: { topic: "assertion", title: 'edge: assertion "no-way-in" is broken', lines: expect.arrayContaining(["by rule hand"]) },
    },
  ]);
  expect(await kept()).toMatchObject({ holding: 0, more: 0, others: [{ name: "no-way-in", state: "broken", isSettled: false }] });
  await world.after(20 * MINUTE, "pass-ended");
  expect(world.seen("assertion-changed")).toBe(1);
  world.act("edge", { type: "config", action: "delete", xpath: `${VSYS}/rulebase/security/rules/entry[@name='hand']` });
  const mended = await world.after(20 * MINUTE, "assertion-changed");
  expect([mended.judged.state, noticeStates(mended)[0]?.isUsual]).toEqual(["holds", true]);
  expect(await kept()).toEqual({ holding: 1, others: [], more: 0 });
  await world.settle();
  const { entries } = (await world.store?.history.find({ target: "edge", kinds: ["alarm"], limit: 10 })) ?? { entries: [] };
  expect(entries.map(({ outcome }) => outcome)).toEqual(["assertion-holds", "assertion-broken"]);
});

it("a commit that breaks an assertion is refused by the agent, and drift shows the opened flows", async () => {
  await world.run();
  await world.event("applied");
  const rule =
    "{ name: way-in, from: [office], to: [db], source: [any], destination: [any], application: [any], service: [any], action: allow }";
  const rules = (action: string) =>
    `target: edge\nscope: vsys1\nconfig:\n  rulebase:\n    security:\n      rules:\n        $position: top\n        $entries:\n          - ${rule.replace("allow", action)}\n`;
  world.write("edge/rules.yaml", rules("allow"));
  world.push("open");
  const refused = await world.after(4 * MINUTE, "plan-refused");
  expect(refused.refusals).toMatchObject([{ guard: "assertion" }]);
  world.write("edge/rules.yaml", rules("deny"));
  world.push("shut");
  await world.after(4 * MINUTE, "applied");
  world.act("edge", {
    type: "config",
    action: "edit",
    xpath: `${VSYS}/rulebase/security/rules/entry[@name='way-in']/action`,
    element: "<action>allow</action>",
  });
  const drifted = await world.after(20 * MINUTE, "pass-ended", ({ result }) => result === "drifted");
  const [notice] = noticeStates(drifted).flatMap((state) =>
    state.audience === "people" && state.notice.topic === "drift" ? [state.notice] : [],
  );
  expect(notice?.lines).toContainEqual(expect.stringMatching(/^allows office > db/));
});
