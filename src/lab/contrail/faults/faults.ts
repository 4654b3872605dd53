import type { ContrailFault, ContrailFaultEffect, ContrailFaultMatch } from "./fault.js";

interface Armed {
  readonly fault: ContrailFault;
  left: number;
  seen: number;
}

/** What of a request matchers look at. */
export interface MatchableRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** Faults that wait for their requests, and the requests that they hold. */
export class ContrailFaults {
  #armed: Armed[] = [];
  #held: (() => void)[] = [];

  add(fault: ContrailFault): void {
    this.#armed.push({ fault, left: fault.count ?? 1, seen: 0 });
  }

  clear(): void {
    this.#armed = [];
  }

  /** Faults that are not spent. */
  list(): readonly ContrailFault[] {
    return this.#armed.map(({ fault }) => fault);
  }

  /** The effects that a request meets now; counts it. */
  meet(request: MatchableRequest): ContrailFaultEffect[] {
    const effects: ContrailFaultEffect[] = [];
    for (const armed of this.#armed) {
      const { match = {}, effect } = armed.fault;
      if (!fits(match, request)) continue;
      armed.seen++;
      if (match.nth !== undefined && armed.seen !== match.nth) continue;
      armed.left--;
      effects.push(effect);
    }
    this.#armed = this.#armed.filter(({ left }) => left > 0);
    return effects;
  }

  /** Waits until `release` is called. */
  hold(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve));
  }

  /** Lets every held request go on. */
  release(): void {
    for (const release of this.#held.splice(0)) release();
  }
}

function fits({ method, path, body }: ContrailFaultMatch, request: MatchableRequest): boolean {
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || request.url.includes(path)) &&
    (body === undefined || request.body.includes(body))
  );
}
