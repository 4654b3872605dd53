import { ArmedFaults } from "../../faults/armed-faults.js";
import type { ServiceRequest } from "../http/request.js";
import type { Effect, Fault, Match } from "./fault.js";

/** A request and its user, if known. */
interface Matchable {
  readonly request: ServiceRequest;
  readonly user: string | undefined;
}

/** Armed faults of the cloud's services. */
export class Faults extends ArmedFaults<Matchable, Match, Effect, Fault> {
  protected override fits(match: Match, { request, user }: Matchable): boolean {
    return fits(match, request, user);
  }
}

function fits(match: Match, { service, method, rawPath, query, body }: ServiceRequest, user: string | undefined): boolean {
  const equal = (wanted: string | undefined, value: string | undefined): boolean => wanted === undefined || wanted === value;
  const holds = (wanted: string | undefined, value: () => string): boolean => wanted === undefined || value().includes(wanted);
  return (
    equal(match.service, service) &&
    equal(match.method, method) &&
    equal(match.user, user) &&
    holds(match.path, () => rawPath) &&
    holds(match.query, () => query.toString()) &&
    holds(match.body, () => JSON.stringify(body ?? null))
  );
}
