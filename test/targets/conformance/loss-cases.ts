import { expect } from "vitest";
import { leaseLost } from "../../../src/core/write-lease.js";
import { isLost } from "../../../src/engine/apply/errors.js";
import { leaseFence } from "../../../src/engine/apply/fences.js";
import { always, type Case, quiet, type Scene, there } from "./scene.js";

const absent = ({ bench }: Scene) => bench.loseReply === undefined && "there is no wire on which a reply could be lost";

export const lossCases: readonly Case[] = [
  {
    name: "has done a write whose reply is lost once, and says that it was lost or looks itself",
    absent,
    run: async (scene) => {
      there(scene.bench.loseReply)("write");
      const failure: unknown = await scene.make("one", "1").catch((error: unknown) => error);
      if (failure !== undefined) expect(isLost(failure)).toBe(true);
      expect(await scene.writer.builds?.settle(quiet)).toEqual(scene.writer.builds === undefined ? undefined : []);
      expect((await scene.names()).filter((name) => name?.startsWith(scene.bench.named("one")))).toEqual([scene.bench.named("one")]);
    },
  },
  {
    name: "finds the job of a commit whose reply is lost",
    absent: (scene) => absent(scene) || (scene.writer.commits === undefined && "there is no candidate"),
    run: async (scene) => {
      await scene.make("one", "1");
      there(scene.bench.loseReply)("commit");
      const failure: unknown = await scene.commit("plumbline run1 abc").catch((error: unknown) => error);
      expect(isLost(failure)).toBe(true);
      expect(await scene.commits.settleJobs("plumbline run1 abc", quiet)).toMatchObject([{ ok: true }]);
      expect(await scene.text("one", "running")).toBe("1");
    },
  },
  {
    name: "writes nothing once the lease is lost, in any role",
    absent: always,
    run: async (scene) => {
      let losses = 0;
      const lost = leaseFence({ fence: 1, mayWrite: () => throwing(leaseLost(scene.target.name)) }, () => void losses++);
      const { write, locks, commits, snapshots, builds } = scene.target.writer.behind(lost);
      const calls = [
        write([scene.making("one", "1")]),
        locks?.lock("plumbline/1 conformance run1 abc", [scene.bench.list]),
        commits?.commit({ description: "plumbline", partial: true }, quiet),
        snapshots?.save("before"),
        snapshots?.remove("before"),
        builds?.settle(quiet),
      ].filter((call) => call !== undefined);
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: "lease-lost" });
      expect([losses, await scene.text("one"), (await scene.target.pendingAndLocks?.locks()) ?? []]).toEqual([calls.length, undefined, []]);
    },
  },
];

function throwing(error: Error): never {
  throw error;
}
