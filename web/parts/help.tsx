import { FILTERS } from "../data/filter.ts";
import { StatePill } from "./bits.tsx";

const MEANING = {
  failed: "the last pass could not do its work; what it said stands beside it",
  refused: "a guard holds the plan back until somebody decides",
  drifted: "somebody changed what runs",
  pending: "a commit waits, and nobody changed anything by hand",
  paused: "no runner writes to it",
  "in-sync": "what runs is what git says",
  new: "no pass has ended yet",
} as const;

const KEYS: readonly (readonly [string, string])[] = [
  ["Ctrl K", "go to or do anything, by its name"],
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
