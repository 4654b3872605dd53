/** Number of list items that are shown before the rest is counted. */
const SHOWN = 6;

/** Returns the first items of a list that is separated by `, `, and the number of the others. */
export function shortened(list: string): string {
  const items = list.split(", ");
  const more = items.length - SHOWN;
  return more > 0 ? `${items.slice(0, SHOWN).join(", ")} and ${more} more` : list;
}
