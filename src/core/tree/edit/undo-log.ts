/**
 * Takes back edits, newest first. Every edit of `tree/edit.ts` adds what undoes it, at a cost of the edit's own size,
 * so that a failed transaction never needs a copy of the tree:
 *
 *     const log = new UndoLog();
 *     try { for (const operation of batch) perform(root, operation, log); } catch (error) { log.rollback(); throw error; }
 */
export class UndoLog {
  readonly #steps: (() => void)[] = [];

  /** What `rollback` needs to come back to here. */
  get mark(): number {
    return this.#steps.length;
  }

  add(undo: () => void): void {
    this.#steps.push(undo);
  }

  /** Takes back all edits since `mark`, or all there are. */
  rollback(mark = 0): void {
    while (this.#steps.length > mark) this.#steps.pop()?.();
  }
}
