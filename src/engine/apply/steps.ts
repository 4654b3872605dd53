import { during } from "../../core/observe.js";

/**
 * The steps of one apply, in order; batches and commits may come several times.
 *
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

/** Told before and after every step. What it throws ends the run there and then: tests kill a run at each step with it. */
export interface StepObserver {
  before(step: StepName): Promise<void> | void;
  after(step: StepName): Promise<void> | void;
}

export type Step = <T>(name: StepName, work: () => Promise<T>) => Promise<T>;

/** Runs the work of a step between the observer's two calls. */
export function stepper(observer: StepObserver | undefined): Step {
  return async (name, work) => {
    await observer?.before(name);
    const result = await during(name, work);
    await observer?.after(name);
    return result;
  };
}
