import { expect, it } from "vitest";
import { DRIFT_LINES, limitDriftLines } from "../../src/agent/drift-lines.js";
import type { AgentEvent } from "../../src/agent/events.js";
import { facts, known, passEnded, T0 } from "./events.js";

const drift = (name: string, target = "edge"): AgentEvent => ({ type: "drift-appeared", ...facts, ...known(name), target, time: T0 });
const many = (count: number, target?: string) => Array.from({ length: count }, (_, index) => drift(`a${index}`, target));

function printed(events: readonly AgentEvent[]): string[] {
  const lines: string[] = [];
  const listener = limitDriftLines(
    (event) => lines.push(event.type),
    (target, count) => lines.push(`${count} more of ${target}`),
  );
  for (const event of events) listener(event);
  return lines;
}

it("prints each difference of a small drift", () => {
  expect(printed([...many(DRIFT_LINES), passEnded("pending")])).toEqual([
    ...Array.from({ length: DRIFT_LINES }, () => "drift-appeared"),
    "pass-ended",
  ]);
});

it("prints the first differences of a large drift and the number of the others, for each target and pass", () => {
  const pass = [...many(DRIFT_LINES + 100_000), ...many(3, "core"), passEnded("pending"), passEnded("pending", { target: "core" })];
  const lines = printed([...pass, ...many(1), passEnded("pending")]);
  expect(lines.filter((line) => line === "drift-appeared")).toHaveLength(DRIFT_LINES + 3 + 1);
  expect(lines.filter((line) => line.includes("more"))).toEqual(["100000 more of edge"]);
});

it("starts to count again in the pass after an interrupted one", () => {
  const started = { type: "pass-started", ...facts, time: T0 } as const;
  const lines = printed([...many(DRIFT_LINES + 5), started, ...many(2), passEnded("pending")]);
  expect(lines.filter((line) => line === "drift-appeared")).toHaveLength(DRIFT_LINES + 2);
  expect(lines).not.toContain("5 more of edge");
});

it("prints a hold of many targets once, and its end once, but each hold with another cause", () => {
  const held = (target: string, message = "opens at 22:00") => ({ type: "held", reason: "window", target, message, time: T0 }) as const;
  const released = (target: string) => ({ type: "released", reason: "window", target, time: T0 }) as const;
  const targets = Array.from({ length: 300 }, (_, index) => `fw${index}`);
  expect(printed(targets.map((target) => held(target)))).toEqual(["held"]);
  expect(printed([...targets.map((target) => held(target)), ...targets.map(released), held("fw1")])).toEqual(["held", "released", "held"]);
  expect(printed([held("fw1"), held("fw2", "opens on Monday"), released("fw1"), released("fw2")])).toEqual([
    "held",
    "held",
    "released",
    "released",
  ]);
});
