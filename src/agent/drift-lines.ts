import type { AgentEvent } from "./events.js";

/** @internal Maximum number of lines about single differences in one pass. A large difference would print a line for each node. */
export const DRIFT_LINES = 20;

const DRIFT: ReadonlySet<AgentEvent["type"]> = new Set(["drift-appeared", "drift-changed", "drift-resolved"]);

/**
 * Limits the events about single differences that reach a printer. `omitted` gets the number of the others at the end of the pass. One
 * hold of many targets is printed for the first of them. The store and the page have all events.
 */
export function limitDriftLines(
  print: (event: AgentEvent) => void,
  omitted: (target: string, count: number, time: number) => void,
): (event: AgentEvent) => void {
  const counts = new Map<string, number>();
  const isRepeated = repeatedHolds();
  return (event) => {
    if (isRepeated(event)) return;
    const target = "target" in event ? (event.target ?? "") : "";
    if (DRIFT.has(event.type)) {
      const count = (counts.get(target) ?? 0) + 1;
      counts.set(target, count);
      if (count <= DRIFT_LINES) print(event);
      return;
    }
    if (event.type === "pass-started") counts.delete(target);
    const more = (counts.get(target) ?? 0) - DRIFT_LINES;
    if (event.type === "pass-ended" && more > 0) omitted(target, more, event.time);
    if (event.type === "pass-ended") counts.delete(target);
    print(event);
  };
}

/** Returns a function that recognizes a hold which is printed for another target already, and its end while others are on hold. */
function repeatedHolds(): (event: AgentEvent) => boolean {
  const holds = new Map<string, Set<string>>();
  return (event) => {
    if (event.type === "held") {
      const key = `${event.reason} ${event.message}`;
      const targets = holds.get(key) ?? new Set();
      holds.set(key, targets.add(event.target));
      return targets.size > 1;
    }
    if (event.type !== "released") return false;
    const own = [...holds].filter(([key, targets]) => key.startsWith(`${event.reason} `) && targets.delete(event.target));
    for (const [key, targets] of own) if (targets.size === 0) holds.delete(key);
    return own.some(([, targets]) => targets.size > 0);
  };
}
