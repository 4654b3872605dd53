import pLimit from "p-limit";

/** Firewalls bear five calls at a time; whoever else asks meanwhile waits for no more than these. */
const AT_ONCE = 5;

/** What `ask` gives for each, in their order; five are asked at a time. The first error is thrown. */
export async function sideBySide<Item, Answer>(items: readonly Item[], ask: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const limit = pLimit(AT_ONCE);
  return await Promise.all(items.map((item) => limit(ask, item)));
}
