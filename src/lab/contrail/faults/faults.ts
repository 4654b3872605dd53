import { ArmedFaults } from "../../faults/armed-faults.js";
import type { ContrailFault, ContrailFaultEffect, ContrailFaultMatch } from "./fault.js";

/** What of a request matchers look at. */
export interface MatchableRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** Faults that wait for their requests, and the requests that they hold. */
export class ContrailFaults extends ArmedFaults<MatchableRequest, ContrailFaultMatch, ContrailFaultEffect, ContrailFault> {
  #held: (() => void)[] = [];

  protected override fits(match: ContrailFaultMatch, request: MatchableRequest): boolean {
    return fits(match, request);
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
