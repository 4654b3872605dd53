import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LoadLimits, loadInProcess } from "../../../src/agent/loading/load-in-process.js";
import { AgentWorld } from "../world.js";

// A pusher can push a commit that no loader survives. Other targets must not be affected.

const MINUTE = 60_000;
const built = (file: string): string => new URL(`../../../dist/${file}`, import.meta.url).href;

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.start({ targets: ["edge", "other"] });
});
afterEach(async () => await world.close());

/** Loads as the agent does, but while there is a file `bomb` it never ends. */
function loadsApart(limits: LoadLimits): { readonly bomb: string } {
  const [bomb, program] = [join(world.folder, "bomb"), join(world.folder, "load.mjs")];
  writeFileSync(
    program,
    `import { existsSync } from "node:fs";
     import { serveLoading } from ${JSON.stringify(built("agent/loading/serve.js"))};
     import { kinds } from ${JSON.stringify(built("targets/registry.js"))};
     while (existsSync(${JSON.stringify(bomb)}));
     await serveLoading(kinds);`,
  );
  world.loader = (stop) => loadInProcess({ program, limits, stop });
  return { bomb };
}

it("a commit that hangs its loader leaves page and heals working, is then refused, and the next one is used", async () => {
  const { bomb } = loadsApart({ time: 10_000, memory: 512, visit: MINUTE });
  await world.run();
  const { commit: good } = await world.event("commit-in-force");
  await world.event("applied", ({ target }) => target === "other");
  await world.event("applied", ({ target }) => target === "edge");
  const server = await world.open?.serve(new Map());
  await world.settle();
  writeFileSync(bomb, "");
  world.want("edge", { a: "10.0.0.2" });
  const heavy = world.push("heavy");
  world.meddle("a", "10.9.9.9", "other");
  world.clock.advance(20 * MINUTE);
  await world.event("drift-resolved", ({ target, how }) => target === "other" && how === "healed");
  expect(world.seen("commit-refused")).toBe(0);
  expect((await fetch(`${server?.url}/healthz`)).status).toBe(200);
  const refused = await world.event("commit-refused", ({ commit }) => commit === heavy);
  expect(refused).toMatchObject({ inForce: good, error: { code: "commit-too-heavy", severity: "refused" } });
  rmSync(bomb);
  await world.after(20 * MINUTE, "source-fetched");
  await world.settle();
  expect(world.seen("commit-in-force")).toBe(1);
  world.want("edge", { a: "10.0.0.3" });
  const next = world.push("light");
  await world.after(4 * MINUTE, "applied", ({ commit }) => commit === next);
  expect(world.addressesOf("edge").a).toBe("10.0.0.3");
  await server?.close();
});

it("an agent with a hanging loader stops on request", async () => {
  const { bomb } = loadsApart({ time: 600_000, memory: 512, visit: MINUTE });
  writeFileSync(bomb, "");
  await world.run();
  await world.event("source-fetched");
  await world.end();
  expect(world.events.filter(({ type }) => type === "commit-broken" || type === "commit-refused")).toEqual([]);
});

it("a desired state above the loader's limit is refused, and the active commit stays", async () => {
  world.loader = (stop) =>
    loadInProcess({ program: fileURLToPath(built("cli/load-commit.js")), limits: { time: MINUTE, memory: 40, visit: MINUTE }, stop });
  await world.run();
  await world.event("applied", ({ target }) => target === "edge");
  world.want("edge", Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`host-${at}`, "10.0.0.1"])));
  world.push("large");
  const { error, inForce } = await world.after(4 * MINUTE, "commit-refused");
  expect(error.code).toBe("commit-too-heavy");
  expect(error.message).toContain("needs more memory to load than 40 MiB");
  expect(inForce).toBeDefined();
});
