import { type History, live } from "./history.js";
import type { MemoryStore } from "./memory-store.js";
import type { Script } from "./script.js";

/** The script without the steps that are not needed to violate the same rule, and its history. */
export async function shrink(script: Script, memory: MemoryStore): Promise<{ readonly script: Script; readonly history: History }> {
  let smallest = { script, history: await live(script, memory) };
  const rule = smallest.history.violations[0]?.rule;
  for (let at = script.steps.length - 1; at >= 0; at--) {
    const shorter = { ...smallest.script, steps: smallest.script.steps.filter((_, index) => index !== at) };
    const history = await live(shorter, memory);
    if (history.violations.some((violation) => violation.rule === rule)) smallest = { script: shorter, history };
  }
  return smallest;
}
