import pLimit from "p-limit";

/** Limit of concurrent requests to a device. Firewalls handle about five, and other clients must not wait for more. */
const AT_ONCE = 5;

/** Calls `query` for each item, five at a time. Returns the results in order. Throws the first error. */
export async function boundedMap<Item, Answer>(items: readonly Item[], query: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const limit = pLimit(AT_ONCE);
  return await Promise.all(items.map((item) => limit(query, item)));
}
