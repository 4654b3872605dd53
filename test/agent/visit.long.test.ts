import { join } from "node:path";
import { expect, it } from "vitest";
import { thisMachine } from "../../src/engine/pass/machine.js";
import { reconcileTargets } from "../../src/engine/reconcile.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { passOptions } from "../pass-options.js";
import { AgentWorld, CONNECTIONS } from "./world.js";

const MINUTE = 60_000;

it("a commit whose run was killed before its checks decided is not in sync, and the agent decides on it after a delay", async () => {
  const world = await AgentWorld.startForTest();
  const { port } = new URL(world.device().plainUrl ?? "");
  const probe = `probe:\n  - { tcp: { host: 127.0.0.1, port: ${port} }, attempts: 1 }\n`;
  world.write("edge/objects.yaml", world.read("edge/objects.yaml").replace("config:", `${probe}config:`));
  world.push("probed");
  await world.run();
  await world.event("applied");
  await world.settle();
  world.meddle("a", "10.9.9.9");
  const killed = (step: string) => (step === "ledger-after" ? Promise.reject(new Error("killed")) : undefined);
  const kinds = new Map([["panos", panosKind]]);
  const machine = { ...thisMachine, host: "elsewhere", now: () => world.clock.now() };
  const [outcome] = await reconcileTargets(
    passOptions({
      configurationFile: join(world.work, "plumbline.yaml"),
      stateFolder: join(world.folder, "by-hand"),
      kinds,
      targets: [],
      environment: world.environment,
      machine,
    }),
    { takeover: true, lockTimeout: 0, sleep: async () => undefined, observer: { before: () => undefined, after: killed } },
    CONNECTIONS,
  );
  expect(outcome?.error).toMatchObject({ message: expect.stringContaining("killed") });
  expect(world.addressesOf().a).toBe("10.0.0.1");
  const seen = await world.after(20 * MINUTE, "pass-ended", ({ outcome: found }) => found?.undecided !== undefined);
  expect([seen.result, seen.outcome?.warnings]).toEqual(["pending", [expect.stringContaining("is not decided on by its checks yet")]]);
  const decided = await world.after(20 * MINUTE, "pass-ended", ({ result }) => result === "in-sync");
  expect(decided.outcome?.undecided).toBeUndefined();
  expect(world.addressesOf().a).toBe("10.0.0.1");
  expect(world.faults).toEqual([]);
});
