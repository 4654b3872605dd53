import { during } from "../../core/observe.js";

/**
 * The steps of one apply, in order. Batches and commits may occur several times.
 * @internal Exported for tests that make one.
 */
export type StepName =
  | "lock"
  | "settle-jobs"
  | "revert-leftovers"
  | "foreign-check"
  | "re-read"
  | "verify-identity"
  | "ledger-before"
  | "snapshot"
  | "remove-snapshots"
  | "journal"
  | "write"
  | "ledger-made"
  | "settle"
  | "validate"
  | "watch-baseline"
  | "watch-begin"
  | "commit"
  | "restore"
  | "read-back"
  | "ledger-after"
  | "watch"
  | "watch-decide"
  | "watch-end"
  | "take-back"
  | "unlock"
  | "push-wait"
  | "push-local"
  | "push-validate"
  | "push"
  | "push-arrival";

/** Called before and after every step. An error that it throws ends the run immediately: tests use this to kill a run at each step. */
export interface StepObserver {
  before(step: StepName): Promise<void> | void;
  after(step: StepName): Promise<void> | void;
}

export type Step = <T>(name: StepName, work: () => Promise<T>) => Promise<T>;

/** Wraps the work of each step in the calls of the observer. */
export function stepper(observer: StepObserver | undefined): Step {
  return async (name, work) => {
    await observer?.before(name);
    const result = await during(name, work);
    await observer?.after(name);
    return result;
  };
}
