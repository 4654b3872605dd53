import { FILTERS } from "../data/filter.ts";
import { MODIFIER } from "../data/hooks.ts";
import { StatePill } from "./small-parts.tsx";

const MEANING = {
  failed: "the last pass failed; its message is shown",
  refused: "a guard refuses the plan",
  drifted: "the target was changed manually",
  pending: "a commit is pending, and there are no manual changes",
  paused: "no runner writes to it",
  "in-sync": "the target matches git",
  new: "no pass has ended yet",
} as const;

const KEYS: readonly (readonly [string, string])[] = [
  [`${MODIFIER} K`, "search for a target or an action"],
  ["/", "search"],
  ["j k or ↓ ↑", "next, previous"],
  ["Enter", "open"],
  ["Esc", "back, or clear the search"],
  ["p", "plan the target now"],
  ["r", "reconcile the target now"],
  ["?", "this help"],
];

export function Help() {
  return (
    <div class="help">
      <h3>Keys</h3>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <h3>States</h3>
      <dl class="states">
        {FILTERS.map((state) => (
          <div key={state}>
            <dt>
              <StatePill state={state} />
            </dt>
            <dd>{MEANING[state]}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
