import { running } from "../running.js";

/** What the product imports of `node:timers/promises`, by the clock of the simulation. */
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

/** Gives way to nobody: a process lets another go on only where it waits for something outside of itself. */
export async function setImmediate(): Promise<void> {}
