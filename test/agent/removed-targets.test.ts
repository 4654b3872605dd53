import { expect, it } from "vitest";
import { eventText } from "../../src/agent/event-text.js";
import type { Happening } from "../../src/agent/events.js";
import { logEvents } from "../../src/agent/log.js";
import { removedTargetsListener } from "../../src/agent/removed-targets.js";
import { plain } from "../../src/report/style.js";
import { AgentWorld } from "./world.js";

const WARNING = "target core left the configuration; 1 managed path stays on the device. See plumbline ledger rename and forget.";

it("an agent reports a target that left the configuration, in events and its log, until it is back", async () => {
  const world = await AgentWorld.startForTest({ targets: ["edge", "core"] });
  const configuration = world.read("plumbline.yaml");
  await world.run();
  for (const name of ["edge", "core"]) await world.event("applied", ({ target }) => target === name);
  await world.settle();
  expect(world.seen("targets-departed")).toBe(0);
  const without = configuration.replace(/^ {2}core: .*\n/m, "").replace("[edge, core]", "[edge]");
  world.write("plumbline.yaml", without);
  world.push("remove a target");
  world.open?.agent.fetchSoon("webhook");
  const departed = await world.event("targets-departed");
  expect(departed.warnings).toEqual([WARNING]);
  expect(eventText(departed, plain)).toContain(WARNING);
  const lines: unknown[] = [];
  const write = (level: string) => (fields: unknown) => void lines.push([level, fields]);
  logEvents({ info: write("info"), warn: write("warn"), error: write("error") }, () => ({}))(departed);
  expect(lines).toEqual([["warn", { event: "targets-departed", commit: departed.commit, warnings: [WARNING] }]]);
  world.write("plumbline.yaml", configuration);
  world.push("add it again");
  world.open?.agent.fetchSoon("webhook");
  expect((await world.event("targets-departed", ({ commit }) => commit !== departed.commit)).warnings).toEqual([]);
});

it("an unreadable ledger store is reported, and equal reports are not repeated", async () => {
  const told: Happening[] = [];
  const source = { inForce: { commit: "a", configuration: {} as never } };
  const find = async (): Promise<string[]> => {
    throw new Error("no route to host");
  };
  const listener = removedTargetsListener({ source, find, events: { emit: async (event) => void told.push(event) } });
  for (const commit of ["a", "a", "b"]) {
    source.inForce = { ...source.inForce, commit };
    await listener({ type: "source-fetched", commit, moved: false, time: 0 });
  }
  const warnings = ["targets that left the configuration are not known: no route to host"];
  expect(told).toEqual([{ type: "targets-departed", commit: "a", warnings }]);
});
