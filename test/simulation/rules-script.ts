import { Chance } from "./chance.js";
import type { RulesChange, RulesScript } from "./rules.js";
import type { Entries, Machine, Step } from "./script.js";

/** Draws the rulebase of a history, and the steps that are about it, independently of all other steps. */
export function rulesOf(
  seed: number,
  active: number,
  entriesOf: (chance: Chance) => Entries,
): { readonly rules: RulesScript | undefined; readonly steps: readonly Step[] } {
  const chance = new Chance(seed, "rules script");
  if (!chance.isLikely(0.15)) return { rules: undefined, steps: [] };
  const kind = chance.weighed({ unmanaged: 4, anchor: 4, place: 3, both: 2 });
  const rules: RulesScript = {
    hasAnchor: kind === "anchor" || kind === "both",
    hasPlace: kind === "place" || kind === "both",
    isRepaired: chance.isLikely(0.5),
  };
  const changes: readonly [RulesChange, ...RulesChange[]] = rules.hasAnchor
    ? rules.hasPlace
      ? ["delete-anchor", "delete-place", "move"]
      : ["delete-anchor", "delete-anchor", "move", "add"]
    : rules.hasPlace
      ? ["delete-place", "delete-place", "add"]
      : ["add", "add", "move"];
  return { rules, steps: stepsOf(chance, Math.round(chance.next() * active * 0.35), changes, entriesOf) };
}

/** A run, a change of another administrator, and more runs. Sometimes a commit follows, or the administrator restores the initial state. */
function stepsOf(
  chance: Chance,
  at: number,
  changes: readonly [RulesChange, ...RulesChange[]],
  entriesOf: (chance: Chance) => Entries,
): Step[] {
  const on = chance.of(["hand", "ci"] as const);
  const run = (after: number): Step => runOf(chance, at + after, on);
  return [
    { at, do: "push", entries: entriesOf(chance), isProbed: false },
    { at: at + 100, do: "reconcile", on, pull: true },
    { at: at + 50_000, do: "meddle-with-rules", change: chance.of(changes) },
    run(50_000 + chance.whole(100, 20_000)),
    ...(chance.isLikely(0.3) ? [{ at: at + 80_000, do: "meddle-with-rules" as const, change: chance.of(changes) }] : []),
    run(80_000 + chance.whole(100, 10_000)),
    ...(chance.isLikely(0.6) ? [{ at: at + 100_000, do: "push" as const, entries: entriesOf(chance), isProbed: false }] : []),
    { at: at + 100_100, do: "reconcile", on, pull: true },
    ...(chance.isLikely(0.3) ? [{ at: at + 130_000, do: "meddle-with-rules" as const, change: "restore" as const }] : []),
    run(130_000 + chance.whole(100, 10_000)),
  ];
}

function runOf(chance: Chance, at: number, on: Machine): Step {
  return { at, do: chance.of(["reconcile", "plan", "drift"] as const), on, pull: true };
}
