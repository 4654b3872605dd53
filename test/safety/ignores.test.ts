import { afterEach, describe, expect, it } from "vitest";
import { countEnding } from "../../src/agent/ending-ignores.js";
import type { AgentEvent } from "../../src/agent/events.js";
import { noticeStates } from "../../src/agent/notify/notice-states.js";
import { AgentWorld, addresses } from "../agent/world.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { ADDRESS, BARE, addresses as bareAddresses } from "../engine/apply/scenes.js";

const HOUR = 3_600_000;
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

function ignoring(text: string, until: string): string {
  return text.replace(
    "config:",
    `ignore:\n  - { path: "${ADDRESS}/entry[@name='a']", owner: ann, reason: being replaced, until: ${until} }\nconfig:`,
  );
}

describe("an ignore", () => {
  it("hides nothing from drift after its last day, with a message; a plan still refuses", async () => {
    const world = await LabWorld.start(BARE, { strict: true });
    closing.push(world);
    world.want(bareAddresses({ a: "10.0.0.1" }));
    await world.reconcile();
    const { device } = world.lab;
    device.act("alice", {
      type: "config",
      action: "set",
      xpath: `${ADDRESS}/entry[@name='a']`,
      element: "<ip-netmask>10.9.9.9</ip-netmask>",
    });
    device.act("alice", { type: "commit", cmd: "<commit/>" });
    world.want(ignoring(bareAddresses({ a: "10.0.0.1" }), "2999-12-31"));
    const hidden = await world.drift();
    expect(hidden.drift?.items).toEqual([]);
    world.want(ignoring(bareAddresses({ a: "10.0.0.1" }), "2001-01-01"));
    const shown = await world.drift();
    expect(shown.drift?.items.map(({ change, attribution }) => [change.path.name ?? change.path.parent?.name, attribution?.admin])).toEqual(
      [["a", "alice"]],
    );
    expect(shown.warnings).toContainEqual(expect.stringMatching(/^the ignore of .* ended on 2001-01-01 \(ann: being replaced\)/));
    expect((await world.plan()).plan?.refusals).toMatchObject([{ guard: "expired-ignores" }]);
  });

  it("is an alarm of an observing agent from the day before its last day, and a difference from the day after", async () => {
    const world = await AgentWorld.start({ target: "mode: observe" });
    closing.push(world);
    // The agent's day is the 5th.
    world.write("edge/objects.yaml", ignoring(addresses("edge", { a: "10.0.0.1" }), "2026-01-07"));
    world.push("until the 7th");
    await world.run();
    const first = await world.event("pass-ended");
    expect(first).toMatchObject({ result: "pending", outcome: { lacksLedger: "missing" }, drift: [] });
    expect(world.seen("ignores-ending")).toBe(0);
    const told = await world.after(13 * HOUR, "ignores-ending");
    expect(told).toMatchObject({
      target: "edge",
      ignores: [{ until: "2026-01-07", owner: "ann", reason: "being replaced", isOver: false }],
    });
    await world.after(24 * HOUR, "pass-ended");
    expect(world.seen("ignores-ending")).toBe(1);
    const over = await world.after(24 * HOUR, "ignores-ending");
    expect(over.ignores).toMatchObject([{ isOver: true }]);
    const drift = await world.event("drift-appeared");
    expect(drift.item.change).toMatchObject({ kind: "missing" });
    await world.settle();
    const alarms = await world.store?.history.find({ target: "edge", kinds: ["alarm"], limit: 10 });
    expect(alarms?.entries.map(({ outcome }) => outcome)).toEqual(["ignore-ended", "ignore-ends"]);
  });

  it("is counted for metrics and shown in notifications until it is renewed", () => {
    const ending = { path: "/config/shared", owner: "ann", reason: "being replaced", until: "2026-01-05" };
    const event = (ignores: Extract<AgentEvent, { type: "ignores-ending" }>["ignores"]): AgentEvent => ({
      type: "ignores-ending",
      target: "edge",
      ignores,
      time: 0,
    });
    const at = (day: string) => countEnding([ending], Date.parse(`${day}T12:00:00Z`));
    expect(["2026-01-03", "2026-01-04", "2026-01-05", "2026-01-06"].map(at)).toEqual([
      { ending: 0, ended: 0 },
      { ending: 1, ended: 0 },
      { ending: 1, ended: 0 },
      { ending: 0, ended: 1 },
    ]);
    const [notice] = noticeStates(event([{ ...ending, isOver: true }]));
    expect(notice).toMatchObject({ audience: "people", isUsual: false, notice: { topic: "ignore", title: "edge: an ignore has ended" } });
    expect(noticeStates(event([]))[0]).toMatchObject({ isUsual: true, state: "none" });
  });
});
