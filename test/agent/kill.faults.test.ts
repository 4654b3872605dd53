import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgentWorld } from "./world.js";

const VICTIM = fileURLToPath(new URL("victim.mjs", import.meta.url));
const ROUNDS = process.env.PLUMBLINE_SOAK === undefined ? 5 : 200;

function argument(world: AgentWorld, isOnce: boolean): string {
  return JSON.stringify({ remote: world.remote, stateFolder: world.stateFolder, once: isOnce });
}

/** Kills it once it has a commit, or immediately: during the start, the fetch or the checkout. */
async function begin(world: AgentWorld, hasCommit = true): Promise<ChildProcess> {
  const child = spawn(process.execPath, [VICTIM, argument(world, false)], { stdio: ["ignore", "pipe", "inherit"] });
  if (hasCommit && child.stdout !== null) await once(child.stdout, "data");
  return child;
}

/** Not synchronously: the lab answers from this very process. */
async function runOnce(world: AgentWorld): Promise<string> {
  return (await promisify(execFile)(process.execPath, [VICTIM, argument(world, true)], { timeout: 30_000 })).stdout;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

describe("an agent killed with SIGKILL", () => {
  it(
    "at any time leaves work that the next one completes: nothing is done twice, nothing is lost",
    async () => {
      const world = await AgentWorld.start({ device: { strict: true } });
      const moments = fc.sample(fc.record({ delay: fc.integer({ min: 0, max: 900 }), meddle: fc.boolean(), early: fc.boolean() }), ROUNDS);
      try {
        let wanted = 0;
        for (const { delay, meddle, early } of moments) {
          wanted += 1;
          const child = await begin(world, !early);
          world.want("edge", { a: `10.0.0.${1 + (wanted % 200)}`, [`n${wanted}`]: "10.1.0.1" });
          world.push(`commit ${wanted}`);
          if (meddle) world.meddle("a", "10.9.9.9");
          await wait(early ? 2 * delay : delay);
          await kill(child);
          const said = await runOnce(world);
          const { results, faults } = JSON.parse(said.trim().split("\n").at(-1) ?? "{}");
          expect(faults).toEqual([]);
          expect(results.filter(([, result]: [string, string]) => result !== "applied" && result !== "in-sync")).toEqual([]);
          expect(world.addressesOf()).toEqual({ theirs: "192.0.2.9", a: `10.0.0.${1 + (wanted % 200)}`, [`n${wanted}`]: "10.1.0.1" });
          expect(world.device().state.violations).toEqual([]);
        }
        await world.openAgent();
        const page = await world.store?.history.find({ limit: 1000, kinds: ["pass"] });
        expect(page?.entries.filter(({ outcome }) => outcome === undefined || outcome === null)).toEqual([]);
      } finally {
        await world.close();
      }
    },
    ROUNDS * 20_000,
  );

  it("does not block the store for the next one", async () => {
    const world = await AgentWorld.start();
    try {
      const first = await begin(world);
      const second = spawn(process.execPath, [VICTIM, argument(world, true)], { stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      second.stderr?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
      const [code] = await once(second, "exit");
      expect(code).not.toBe(0);
      expect(said).toContain("store-claimed");
      await kill(first);
      await runOnce(world);
      expect(world.addressesOf().a).toBe("10.0.0.1");
    } finally {
      await world.close();
    }
  }, 60_000);
});
