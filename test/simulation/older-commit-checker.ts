import type { Commit, Violation } from "./checker.js";
import { OUR_ADMIN } from "./documents.js";
import type { World } from "./world.js";

/** A run at a commit older than the last applied one writes no value that the newer commit does not declare. */
export function judgeOlderCommits(world: World): Violation[] {
  const order = [...world.wanted.keys()];
  const found: Violation[] = [];
  /** The newest commit that was applied, and when. */
  let newest: { readonly index: number; readonly at: number } | undefined;
  for (const event of world.firewall.events) {
    if (event.kind !== "commit" || event.admin !== OUR_ADMIN || event.isLate) continue;
    const { at } = event;
    const isRestored = world.restored.some(({ until }) => until <= at && until > (newest?.at ?? 0));
    if (isRestored) newest = undefined;
    // A rollback names the commit that it reverts, and restores the former ledger, too.
    if (event.description.startsWith("plumbline rollback")) {
      newest = undefined;
      continue;
    }
    const index = order.findIndex((commit) => event.description.includes(commit));
    if (index < 0) continue;
    const wanted = world.wanted.get(order[newest?.index ?? index] ?? "") ?? {};
    const old = world.wanted.get(order[index] ?? "") ?? {};
    const names = newest === undefined || newest.index <= index ? [] : formerValues(event, old, wanted);
    if (names.length > 0) found.push({ rule: "former value", message: `${event.source} put back former values of ${names.join()}` });
    if (index >= (newest?.index ?? 0)) newest = { index, at };
  }
  return found;
}

type Values = Readonly<Record<string, string>>;

/** Names whose values the commit changed to those of the older commit, although the newer commit declares others. */
function formerValues({ before, after }: Commit, old: Values, wanted: Values): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
  return names.filter((name) => after.get(name) === old[name] && old[name] !== wanted[name]);
}
