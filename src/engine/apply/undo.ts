import { applyOperation } from "../../core/apply-operation.js";
import type { Operation } from "../../core/operation.js";
import { cloneTree, UndoLog } from "../../core/tree/edit/edit-tree.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import { touchedBy } from "./changed-nodes.js";
import { differingUnitButSecrets } from "./differing-node.js";
import { inverseOf } from "./inverse.js";

/** The state before the first write since the last commit, and the operations since then. */
export class Undo {
  static readonly nothing = new Undo(new TreeNode("nothing"), "");

  /** The candidate before the first write. */
  readonly base: TreeNode;
  /** Pending changes of other administrators at that time, in the format of `othersText`. */
  readonly others: string;
  readonly #executed: Operation[] = [];
  #inFlight: readonly Operation[] = [];
  #uncertain = false;

  constructor(base: TreeNode, others: string) {
    this.base = base;
    this.others = others;
  }

  /** Every operation that may be in effect on the target. */
  get sent(): readonly Operation[] {
    return [...this.#executed, ...this.#inFlight];
  }

  begin(batch: readonly Operation[]): void {
    this.#inFlight = batch;
  }

  done(): void {
    this.#executed.push(...this.#inFlight);
    this.#inFlight = [];
  }

  /** Decides from `current` whether the batch with a lost reply was executed. */
  settle(current: TreeNode, shape: Shape): void {
    const units = touchedBy(this.sent).units;
    const isAsAfter = (operations: readonly Operation[]) =>
      differingUnitButSecrets(replay(this.base, operations).after, current, units, shape) === undefined;
    if (!isAsAfter(this.sent) && isAsAfter(this.#executed)) this.#inFlight = [];
    else {
      this.#uncertain ||= !isAsAfter(this.sent);
      this.done();
    }
  }

  /** After a commit there is nothing left to restore. */
  forget(): void {
    this.#executed.length = 0;
    this.#inFlight = [];
  }

  /**
   * Returns the operations that restore the base, newest first. Returns undefined if a touched node is no longer as we left it: the
   * operations would then undo another administrator's work.
   */
  inverses(current: TreeNode, shape: Shape): Operation[] | undefined {
    if (this.#uncertain) return undefined;
    const units = touchedBy(this.sent).units;
    return [this.#executed, this.sent]
      .map((operations) => replay(this.base, operations))
      .find(({ after }) => differingUnitButSecrets(after, current, units, shape) === undefined)?.inverses;
  }
}

function replay(base: TreeNode, operations: readonly Operation[]): { after: TreeNode; inverses: Operation[] } {
  const after = cloneTree(base);
  const groups: Operation[][] = [];
  const log = new UndoLog();
  for (const operation of operations) {
    groups.push(inverseOf(operation, after).map(detached));
    applyOperation(after, operation, log);
  }
  return { after, inverses: groups.reverse().flat() };
}

/** The replayed tree keeps changing. The content of an inverse must not change with it. */
function detached(operation: Operation): Operation {
  return "element" in operation ? { ...operation, element: cloneTree(operation.element) } : operation;
}
