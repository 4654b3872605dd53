const open: (() => unknown)[] = [];

/**
 * Registers a cleanup for the end of the current test; cleanups run in reverse order. Intended for helper modules: a hook at their top
 * level would apply only to the first test file of a worker, because the files of a worker share modules.
 */
export function afterTest(close: () => unknown): void {
  open.push(close);
}

/** Runs all cleanups, even if one of them fails. */
export async function closeAll(): Promise<void> {
  const errors: unknown[] = [];
  for (const close of open.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, "several things could not be closed");
}
