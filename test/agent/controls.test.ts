import { renameSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { defineMetrics } from "../../src/agent/metrics/definitions.js";
import { MetricsListener } from "../../src/agent/metrics/listener.js";
import { AgentWorld } from "./world.js";

let world: AgentWorld;
afterEach(async () => await world.close());

it("reconciles immediately on request, pauses for every runner, and resumes", async () => {
  world = await AgentWorld.start();
  await world.run();
  await world.event("applied");
  await world.settle();
  const { controls } = world.open ?? {};
  if (controls === undefined) throw new Error("no agent");
  expect([...controls.targets()]).toEqual([["edge", { kind: "panos", mode: "enforce", approve: "none", labels: "" }]]);

  world.meddle("a", "10.9.9.9");
  const from = world.events.length;
  await controls.visit("edge", "reconcile");
  await world.event("applied", () => true, from);
  expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1" });

  expect(await controls.pause({ target: "edge", reason: "work", by: "ann (page)", since: world.clock.now(), until: undefined })).toEqual(
    [],
  );
  const told = await world.event("paused", ({ pause }) => pause.onlyHere !== true, from);
  expect(told.pause).toMatchObject({ target: "edge" });
  expect(await controls.pauses()).toContainEqual(expect.objectContaining({ target: "edge", by: "ann (page)" }));
  expect(await controls.resume("edge", "ann (page)")).toBe(true);
  await world.event("resumed", () => true, from);
  expect(await controls.resume("edge", "ann (page)")).toBe(false);
  expect(await controls.pauses()).toEqual([]);
});

it("pauses only this agent if others cannot be notified, and reports it everywhere", async () => {
  world = await AgentWorld.start();
  await world.run();
  await world.event("applied");
  await world.settle();
  const { controls, events } = world.open ?? {};
  if (controls === undefined || events === undefined) throw new Error("no agent");
  const metrics = defineMetrics();
  const listener = new MetricsListener(metrics);
  events.listen((event) => listener.listen(event));
  renameSync(world.remote, `${world.remote}.away`);
  const from = world.events.length;
  const pause = { target: "edge", reason: "work", by: "ann (page)", since: world.clock.now(), until: undefined };
  await expect(controls.pause(pause)).rejects.toMatchObject({ code: "notices-unwritable" });
  await world.after(6000, "paused");
  await world.settle();
  expect(await controls.pauses()).toEqual([{ ...pause, onlyHere: true }]);
  expect(await metrics.registry.metrics()).not.toContain('plumbline_paused{target="edge"}');
  renameSync(`${world.remote}.away`, world.remote);
  expect(await controls.pause(pause)).toEqual([]);
  await world.event("paused", ({ pause: { onlyHere } }) => onlyHere !== true, from);
  expect(await controls.pauses()).toEqual([pause]);
  expect(await metrics.registry.metrics()).toContain('plumbline_paused{target="edge"} 1');
});
