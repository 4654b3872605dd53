/**
 * Reverts edits, newest first. Every edit of `edit-tree.ts` adds its reverse, at the cost of the edit itself, so a failed transaction never
 * needs a copy of the tree:
 * const log = new UndoLog();
 * try { for (const operation of batch) perform(root, operation, log); } catch (error) { log.rollback(); throw error; }
 */
export class UndoLog {
  readonly #steps: (() => void)[] = [];

  /** Position for `rollback`. */
  get mark(): number {
    return this.#steps.length;
  }

  add(undo: () => void): void {
    this.#steps.push(undo);
  }

  /** Reverts all edits since `mark`, or all edits. */
  rollback(mark = 0): void {
    while (this.#steps.length > mark) this.#steps.pop()?.();
  }
}
