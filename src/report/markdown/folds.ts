import type { TargetOutcome } from "../../outcome/outcome.js";
import { differencesOf } from "../../plan/model.js";
import { type Item, sectionsOf } from "../sections.js";
import { notesOf } from "./notes.js";

/**
 * One item for every target of a fold. `item` belongs to the first target. `others` are those of the other targets, for authors and places.
 */
export interface SharedItem {
  readonly scope: string;
  readonly group: string;
  readonly item: Item;
  readonly others: readonly Item[];
}

/** Changes that a set of targets has in common: a fold of the comment. */
export interface Fold {
  readonly outcomes: readonly TargetOutcome[];
  readonly items: SharedItem[];
  readonly notes: string[];
}

interface Shared {
  readonly targets: number[];
  readonly scope: string;
  readonly group: string;
  readonly items: Item[];
  readonly note: string | undefined;
}

/**
 * Groups changes by their targets, so that equal changes on many targets appear once. Folds, items and notes keep the order of their first
 * occurrence.
 */
export function foldsOf(outcomes: readonly TargetOutcome[]): Fold[] {
  const found = new Map<string, Shared>();
  const add = (target: number, scope: string, group: string, item: Item | undefined, note: string | undefined) => {
    const key = JSON.stringify([scope, group, item?.mark, item?.name, item?.details, note]);
    const known = found.get(key);
    if (known === undefined) found.set(key, { targets: [target], scope, group, items: item === undefined ? [] : [item], note });
    else {
      known.targets.push(target);
      if (item !== undefined) known.items.push(item);
    }
  };
  outcomes.forEach((outcome, target) => {
    const { drift, plan, shape, sources } = outcome;
    const changes = drift !== undefined ? drift.items : differencesOf(plan).map((change) => ({ change }));
    if (shape !== undefined)
      for (const { scope, group, items } of sectionsOf(changes, shape, sources))
        for (const item of items) add(target, scope, group, item, undefined);
    for (const note of notesOf(outcome)) add(target, "", "", undefined, note);
  });
  const folds = new Map<string, Fold>();
  for (const { targets, scope, group, items, note } of found.values()) {
    const key = targets.join(",");
    let fold = folds.get(key);
    if (fold === undefined) {
      fold = { outcomes: targets.flatMap((at) => outcomes[at] ?? []), items: [], notes: [] };
      folds.set(key, fold);
    }
    const [item, ...others] = items;
    if (item !== undefined) fold.items.push({ scope, group, item, others });
    else if (note !== undefined) fold.notes.push(note);
  }
  return [...folds.values()];
}
