/** Processes the items in order, at most `bound` concurrently. Resolves with all results when every item is done. */
export async function settleAll<Item, Result>(
  bound: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const done: Promise<Result>[] = [];
  const waiting = items.entries();
  const hand = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      const doing = work(item);
      done[index] = doing;
      await doing.catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: bound }, hand));
  return await Promise.allSettled(done);
}
