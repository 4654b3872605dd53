import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { leaveOut } from "../left-out.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;
const ROUNDS = process.env.PLUMBLINE_SOAK === undefined ? 6 : 100;
const canMount = mayMount();
if (!canMount) leaveOut("an agent on a disk that is full: no file system can be mounted here");

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "mount-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]).status === 0;
  if (mounted) execFileSync("umount", [folder]);
  rmdirSync(folder);
  return mounted;
}

/** Takes all of the disk but so many bytes; the agent may be faster with some of them. */
function fill(folder: string, left: number): void {
  const file = openSync(join(folder, "filler"), "w");
  const piece = Buffer.alloc(4096);
  const { bavail, bsize } = statfsSync(folder);
  try {
    for (let free = bavail * bsize - left; free > 0; free -= piece.length) writeSync(file, piece);
  } catch {
    // Full before it was thought to be.
  }
  closeSync(file);
}

describe.skipIf(!canMount)("an agent whose disk is full", () => {
  let world: AgentWorld | undefined;
  let mounted: string | undefined;
  afterEach(async () => {
    await world?.end();
    if (mounted !== undefined) execFileSync("umount", ["--lazy", mounted]);
    mounted = undefined;
    await world?.close();
  });

  it(
    "at any time continues to read, and reaches the desired state once there is space",
    async () => {
      world = await AgentWorld.start({ agent: "healLimit: 100000\nattempts: 1000\nskipPasses: 0", device: { strict: true } });
      mounted = world.stateFolder;
      mkdirSync(mounted);
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", mounted]);
      await world.run();
      await world.event("applied");
      const rounds = fc.sample(
        fc.record({
          left: fc.oneof(fc.constant(0), fc.nat(300_000)),
          turns: fc.nat(200),
          isRestarted: fc.boolean(),
        }),
        ROUNDS,
      );
      for (const [round, { left, turns, isRestarted }] of rounds.entries()) {
        const value = `10.1.${round}.1`;
        world.want("edge", { a: value });
        // Something that takes room in the clone.
        world.write(`other/${round}.txt`, `${round} `.repeat(20_000));
        const commit = world.push(value);
        world.clock.advance(4 * MINUTE);
        for (let turn = 0; turn < turns; turn++) await new Promise((next) => setImmediate(next));
        fill(mounted, left);
        await world.settle();
        world.meddle("a", "10.9.9.9");
        for (let pass = 0; pass < 3; pass++) {
          const turned = world.event("source-fetched", undefined, world.events.length);
          const failed = world.event("source-failed", undefined, world.events.length);
          world.clock.advance(20 * MINUTE);
          await Promise.race([turned, failed]);
          await world.settle();
        }
        rmSync(join(mounted, "filler"));
        if (isRestarted) {
          await world.end();
          const again = world.event("source-fetched", undefined, world.events.length);
          await world.run();
          await again;
        }
        for (let tries = 0; tries === 0 || world.addressesOf().a !== value; tries++) {
          expect(tries).toBeLessThan(8);
          await world.settle();
          const fetched = world.event("source-fetched", undefined, world.events.length);
          world.clock.advance(35 * MINUTE);
          await fetched;
          await world.settle();
        }
        expect(world.open?.health.ready()).toMatchObject({ ok: true });
        expect(world.device().state.violations).toEqual([]);
        expect((await world.store?.sources.lastGood(world.remote))?.commit).toBe(commit);
      }
      expect(world.seen("store-failed") + world.seen("source-failed")).toBeGreaterThan(0);
    },
    ROUNDS * 30_000,
  );
});
