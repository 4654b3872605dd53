/** Something that goes wrong with the next queries. */
export interface VerdictFault {
  /** `status`: that HTTP status with an error reply; `drop`: the connection closes; `half`: half of the reply; `html`: a page with status 200. */
  readonly kind: "status" | "drop" | "half" | "html";
  /** Of `status`; 500 when left out. */
  readonly status?: number;
  /** Its words; of `status`. */
  readonly message?: string;
  /** Queries that it meets; 1 when left out. */
  readonly times?: number;
}

/** Faults wait in line: the first one is used up before the second begins. */
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
