/** A fault that applies to the next queries. */
export interface VerdictFault {
  /**
   * `status`: an error reply with this HTTP status. `drop`: closes the connection. `half`: sends half of the reply. `html`: sends a page
   * with status 200.
   */
  readonly kind: "status" | "drop" | "half" | "html";
  /** HTTP status for `status`. Defaults to 500. */
  readonly status?: number;
  /** Error message for `status`. */
  readonly message?: string;
  /** Number of queries that it applies to. Defaults to 1. */
  readonly times?: number;
}

/** Queue of faults. The first fault is used up before the second applies. */
export class VerdictFaults {
  #line: VerdictFault[] = [];

  add(fault: VerdictFault): void {
    for (let time = 0; time < (fault.times ?? 1); time++) this.#line.push(fault);
  }

  clear(): void {
    this.#line = [];
  }

  next(): VerdictFault | undefined {
    return this.#line.shift();
  }
}
