import { ArmedFaults } from "../../faults/armed-faults.js";
import type { ContrailFault, ContrailFaultEffect, ContrailFaultMatch } from "./fault.js";

/** The parts of a request that matchers read. */
export interface MatchableRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** Armed faults. */
export class ContrailFaults extends ArmedFaults<MatchableRequest, ContrailFaultMatch, ContrailFaultEffect, ContrailFault> {
  protected override fits(match: ContrailFaultMatch, request: MatchableRequest): boolean {
    return fits(match, request);
  }
}

function fits({ method, path, body }: ContrailFaultMatch, request: MatchableRequest): boolean {
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || request.url.includes(path)) &&
    (body === undefined || request.body.includes(body))
  );
}
