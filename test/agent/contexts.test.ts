import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;

it("reads the key of its digests once, not per pass", async () => {
  const world = await AgentWorld.start();
  await world.run();
  await world.event("applied");
  expect(await world.after(20 * MINUTE, "pass-ended")).toMatchObject({ result: "in-sync" });
  expect(await world.after(20 * MINUTE, "pass-ended")).toMatchObject({ result: "skipped" });
  rmSync(join(world.stateFolder, "fingerprint.key"));
  expect(await world.after(20 * MINUTE, "pass-ended")).toMatchObject({ result: "skipped" });
});
