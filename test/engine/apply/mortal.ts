import type { StepName, StepObserver } from "../../../src/engine/apply/steps.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import { lookedAt } from "./rewired.js";

/** The moment at which a run is killed: before or after the n-th step (from 0). */
export interface Death {
  readonly step: number;
  readonly moment: "before" | "after";
}

/** A process that can be killed. Afterwards none of its requests reach the target. */
export class Mortal {
  readonly steps: StepName[] = [];
  readonly observer: StepObserver;
  #alive = true;

  /** `atDeath` is an action of others at that moment. */
  constructor(death: Death | undefined, atDeath: () => void = () => undefined) {
    const die = (moment: Death["moment"]) => {
      if (death?.moment !== moment || death.step !== this.steps.length - 1) return;
      atDeath();
      this.#alive = false;
      throw new Error("killed");
    };
    this.observer = {
      before: (step) => {
        this.steps.push(step);
        die("before");
      },
      after: () => die("after"),
    };
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  wrap = (target: WriteTarget): WriteTarget =>
    lookedAt(target, () => {
      if (!this.#alive) throw new Error("killed");
    });
}
