import { type Machine, thisMachine } from "../../src/engine/pass/machine.js";

/** Runs of one world, each as a separate process, which is gone afterwards like a killed one. */
export class Processes {
  readonly #alive = new Set<number>();
  #last = 1000;

  /** Does `work` as a process that lives until it ends. */
  async run<T>(fields: Partial<Machine>, work: (machine: Machine) => Promise<T>): Promise<T> {
    this.#last += 1;
    const pid = this.#last;
    this.#alive.add(pid);
    try {
      return await work({ ...thisMachine, pid, isAlive: (other) => this.#alive.has(other), ...fields });
    } finally {
      this.#alive.delete(pid);
    }
  }
}
