/** Number of items that a text shows before it counts the rest. */
const SHOWN = 6;

/** Joins the first items of a list, and adds the number of the others: `a, b and 3 more`. */
export function listed(items: readonly string[], shown = SHOWN): string {
  const more = items.length - shown;
  return more > 0 ? `${items.slice(0, shown).join(", ")} and ${more} more` : items.join(", ");
}

/** Shortens a text that contains a complete list, separated by `, `. */
export function shortened(list: string): string {
  return listed(list.split(", "));
}
