import type { TreeNode } from "../../../core/tree/node.js";
import { applyEdit } from "../config/apply.js";
import type { Edit, EditContext, EditSettings, Effect } from "../config/edit.js";
import { DeviceError } from "../device-error.js";
import { tooManyChanges } from "../device-messages.js";
import { ReferenceGuard } from "../references/guard.js";
import { ConfigTree } from "../tree/config-tree.js";
import type { Stamp } from "../tree/stamp.js";
import type { PendingEdit } from "./change.js";
import { MatchListGuard } from "./match-lists.js";

export interface CandidateOptions extends EditSettings {
  /** Whether values are checked on writes. */
  readonly checkValues: boolean;
  /** Whether references are checked on writes and when their object is deleted. */
  readonly checkReferences: boolean;
  /** Maximum number of uncommitted edits. Undefined for unlimited. */
  readonly maxPendingChanges: number | undefined;
  /** Called for each violation that `strict` finds after an operation. */
  readonly onViolation: ((violation: Violation) => void) | undefined;
}

/** An operation after which the configuration had a dangling reference or an empty match list. */
export interface Violation {
  readonly admin: string;
  readonly action: string;
  readonly xpath: string;
  readonly problem: string;
}

/** The candidate configuration and its uncommitted edits. A failed edit does not change it. */
export class Candidate {
  readonly tree: ConfigTree;
  readonly #options: CandidateOptions;
  readonly #guard: ReferenceGuard | undefined;
  readonly #matchLists: MatchListGuard | undefined;
  #pending: PendingEdit[] = [];

  constructor(root: TreeNode, options: CandidateOptions) {
    this.tree = new ConfigTree(root);
    this.#options = options;
    this.#guard = options.checkReferences ? new ReferenceGuard(this.tree) : undefined;
    this.#matchLists = options.onViolation === undefined ? undefined : new MatchListGuard(this.tree);
  }

  get pending(): readonly PendingEdit[] {
    return this.#pending;
  }

  /** Applies edits in order, all or no edit. If one fails, calls `refused` with its index, undoes the others and throws its error. */
  perform(
    edits: readonly Edit[],
    stamp: (index: number) => Stamp,
    refused?: (index: number, error: DeviceError) => void,
  ): readonly Effect[] {
    const added: PendingEdit[] = [];
    const effects = this.tree.transaction(() =>
      edits.map((edit, index) => {
        try {
          const mark = stamp(index);
          this.#refuseTooMany(added.length);
          const effect = this.#one(edit, mark);
          added.push({ stamp: mark, edit, effect });
          return effect;
        } catch (error) {
          if (error instanceof DeviceError) refused?.(index, error);
          throw error;
        }
      }),
    );
    this.#pending.push(...added);
    return effects;
  }

  /** Replaces the candidate by another tree with its own pending edits. */
  reset(root: TreeNode, pending: readonly PendingEdit[]): void {
    this.tree.replaceRoot(root);
    this.#pending = [...pending];
  }

  /** Removes committed edits from the pending edits. */
  settle(committed: ReadonlySet<PendingEdit>): void {
    this.#pending = this.#pending.filter((edit) => !committed.has(edit));
  }

  #refuseTooMany(added: number): void {
    const { maxPendingChanges } = this.#options;
    if (maxPendingChanges !== undefined && this.#pending.length + added >= maxPendingChanges) throw tooManyChanges(maxPendingChanges);
  }

  #one(edit: Edit, stamp: Stamp): Effect {
    const { checkValues, onViolation } = this.#options;
    this.#guard?.begin();
    this.#matchLists?.begin();
    const context: EditContext = { tree: this.tree, stamp, settings: this.#options };
    const effect = applyEdit(edit, context, { values: checkValues });
    const report = (problem: string): void => onViolation?.({ admin: stamp.admin, action: edit.action, xpath: effect.xpath, problem });
    for (const problem of this.#matchLists?.problems() ?? []) report(problem);
    try {
      if (edit.action !== "load") this.#guard?.check();
    } catch (error) {
      if (error instanceof DeviceError) report(error.message.trim());
      throw error;
    }
    return effect;
  }
}
