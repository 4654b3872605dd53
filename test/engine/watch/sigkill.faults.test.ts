import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { LabWorld } from "../apply/lab-world.js";
import { ledgerOf } from "./ledger-of.js";
import { BAD, CLIENT, GOOD, meaning, OPEN, WATCH } from "./scene.js";

const VICTIM = fileURLToPath(new URL("../apply/victim.mjs", import.meta.url));
const HOUR = 3_600_000;
/** From just before the watch begins (test/engine/apply/sigkill.faults.test.ts has the steps before) to more than a run has. */
const STEPS = Array.from({ length: 28 }, (_, index) => 12 + index);

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A lab by the system's clock, whose client comes every 10 ms. */
async function scene(): Promise<{ readonly world: LabWorld; readonly before: string }> {
  const world = await LabWorld.start(OPEN, { strict: true });
  worlds.push(world);
  world.sleep = async () => await wait(20);
  world.want(GOOD.replace(WATCH, ""));
  const first = await world.reconcile();
  if (first.error !== undefined) throw first.error;
  world.lab.device.state.traffic.add([{ ...CLIENT, every: 10 }]);
  world.want(BAD);
  return { world, before: meaning(world.lab.device.state.running) };
}

/** Runs a process to its death at a step, or to its end when it never gets there. Resolves to whether it was killed. */
async function kill(world: LabWorld, death: { readonly step: number; readonly moment: "before" | "after" }): Promise<boolean> {
  const child = spawn(process.execPath, [VICTIM, JSON.stringify({ files: world.files, death })], { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.on("data", (chunk: Buffer) => {
    if (chunk.toString().split("\n").includes("here")) child.kill("SIGKILL");
  });
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => child.on("close", (_, by) => resolve(by)));
  return signal === "SIGKILL";
}

describe("a process killed with SIGKILL during the decision about its commit", () => {
  it("leaves the decision to the next one, on the same machine or on another", async () => {
    let killed = 0;
    for (const step of STEPS) {
      const { world, before } = await scene();
      const keepState = step % 2 === 0;
      if (!(await kill(world, { step, moment: step % 4 < 2 ? "before" : "after" }))) break;
      killed += 1;
      const codes: (string | undefined)[] = [];
      for (let run = 0; run < 3 && codes.at(-1) !== "plan-refused"; run++) {
        if (!keepState) world.emptyState();
        const machine = keepState ? {} : { host: "another", isAlive: () => true };
        const { error } = await world.reconcile({ machine });
        // A lock that remains is an hour old by the device's own clock.
        if (error?.message.includes(") is active") === true) world.later(HOUR);
        else codes.push(error?.code);
      }
      expect([step, ...codes].at(-1)).toBe("plan-refused");
      expect(meaning(world.lab.device.state.running)).toBe(before);
      expect(ledgerOf(world)).toMatchObject({ refused: { why: expect.stringContaining("traffic log") } });
      await world.close();
      worlds.splice(0);
    }
    expect(killed).toBeGreaterThan(12);
    expect(killed).toBeLessThan(STEPS.length);
  }, 300_000);
});
