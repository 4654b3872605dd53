import { afterEach, describe, expect, it, vi } from "vitest";
import { leaveOut } from "../left-out.js";
import { type AgentProcess, ScaleWorld } from "./world.js";

/** A `dist` of an older version, such as a checkout of it after `npm run build`. */
const OLD = process.env.PLUMBLINE_OLD_DIST;
if (OLD === undefined) leaveOut("two versions side by side as real processes: PLUMBLINE_OLD_DIST names no build of an older one");

const BOUND = 45_000;

let world: ScaleWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

describe.skipIf(OLD === undefined)("an older and a newer version on one store", () => {
  it("share the work while machines are upgraded one after the other, and each commit is applied once", async () => {
    const running = await ScaleWorld.start({ targets: 6 });
    world = running;
    const start = async (dist: string | undefined): Promise<AgentProcess> => {
      const agent = running.startAgent({ dist });
      await agent.said((line) => line.startsWith("commit"));
      return agent;
    };
    const round = async (value: string): Promise<void> => {
      running.want({ a: value, [`n${value}`]: "10.1.0.1" });
      await running.converged(BOUND);
      running.check();
    };
    const applied = ({ lines }: AgentProcess): number => lines.filter((line) => /^pass \S+ applied/.test(line)).length;

    const first = await start(OLD);
    const second = await start(OLD);
    await running.converged(BOUND);
    await round("10.0.8.1");
    await running.kill(first);
    const third = await start(undefined);
    for (const value of ["10.0.8.2", "10.0.8.3", "10.0.8.4"]) await round(value);
    expect([applied(second), applied(third)].map((times) => times > 0)).toEqual([true, true]);
    running.want({ a: "10.0.8.5" });
    await running.kill(second);
    await start(undefined);
    await running.converged(BOUND);
    await round("10.0.8.6");
    // Taken back: the older one goes on where the newer ones were.
    await running.kill(third);
    await start(OLD);
    await round("10.0.8.7");
    const behind = async () => await running.query("select target, state from leases where pending is not null or wave is not null");
    await vi.waitFor(async () => expect(await behind()).toEqual([]), { timeout: BOUND, interval: 200 });
  });
});
