import { running } from "../running.js";

/** Functions of `node:timers/promises` that the product imports, on the clock of the simulation. */
export async function setTimeout<T>(
  milliseconds: number,
  value?: T,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T | undefined> {
  const aborted = new Promise<never>((_, reject) => {
    const end = (): void => reject(new Error("aborted"));
    if (signal?.aborted === true) end();
    signal?.addEventListener("abort", end, { once: true });
  });
  await Promise.race([running().scheduler.wait(milliseconds), aborted]);
  return value;
}

/** Does not yield: a process lets another continue only while it waits for something external. */
export async function setImmediate(): Promise<void> {}
