const open: (() => unknown)[] = [];

/**
 * Has something closed when the test that runs has ended, the last one first. For helpers: a hook at the top of their own
 * modules would hold for the first test file of a worker alone, since the files of a worker share their modules.
 */
export function afterTest(close: () => unknown): void {
  open.push(close);
}

/** Closes all that was left to it, also where one of them fails. */
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
