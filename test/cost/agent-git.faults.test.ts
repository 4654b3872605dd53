import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { afterTest } from "../after-test.js";
import { AgentWorld } from "../agent/world.js";

/** Git subcommands that open a connection to the remote. */
const CONNECTIONS = new Set(["ls-remote", "fetch", "push", "clone"]);
/** A run of 100 targets takes minutes: PLUMBLINE_GIT_TARGETS=30,100. */
const FLEETS = (process.env.PLUMBLINE_GIT_TARGETS ?? "10").split(",").map(Number);

describe("git connections of an agent for a push to many targets", () => {
  for (const count of FLEETS) {
    it(`${count} targets`, async () => {
      const names = Array.from({ length: count }, (_, at) => `fw${at}`);
      const world = await AgentWorld.startForTest({ targets: names });
      world.write("plumbline.yaml", world.read("plumbline.yaml").replace("guards: {", `guards: { targets: ${count},`));
      world.push("first");
      await world.run();
      await applied(world, 0);
      for (const name of names) world.want(name, { a: "10.0.0.2" });
      world.push("all");
      const from = world.events.length;
      const started = await gitsOf(async () => {
        world.open?.agent.fetchSoon("webhook");
        await applied(world, from);
      });
      for (const name of names) expect(world.addressesOf(name)).toMatchObject({ a: "10.0.0.2" });
      const connections = [...started].reduce((sum, [name, calls]) => (CONNECTIONS.has(name) ? sum + calls : sum), 0);
      const processes = [...started.values()].reduce((sum, calls) => sum + calls, 0);
      console.log(`${count} targets: ${processes} git processes, ${connections} connections`);
      // Before connections were shared, a target needed 6.6.
      expect(connections).toBeLessThanOrEqual(3 * count);
      expect(started.get("push")).toBeLessThan(2 * count);
    }, 900_000);
  }
});

/** Waits until every target has got the commit, and the agent rests. */
async function applied(world: AgentWorld, from: number): Promise<void> {
  const done = () => new Set(world.events.slice(from).flatMap((event) => (event.type === "applied" ? [event.target] : [])));
  while (done().size < world.names.length) await wait(50);
  await world.settle();
}

/** Counts the git programs that `work` starts, by subcommand and without their child processes. */
async function gitsOf(work: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), "git-trace-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "trace");
  process.env.GIT_TRACE2_EVENT = file;
  try {
    await work();
  } finally {
    delete process.env.GIT_TRACE2_EVENT;
  }
  const counts = new Map<string, number>();
  for (const line of existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []) {
    const { event, sid, name } = JSON.parse(line) as { event: string; sid: string; name?: string };
    if (event === "cmd_name" && !sid.includes("/")) counts.set(name ?? "", (counts.get(name ?? "") ?? 0) + 1);
  }
  return counts;
}
