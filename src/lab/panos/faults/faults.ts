import { ArmedFaults } from "../../faults/armed-faults.js";
import type { Effect, Fault, Match, Matchable } from "./fault.js";

/** Faults that wait for requests to firewalls. */
export class Faults extends ArmedFaults<Matchable, Match, Effect, Fault> {
  protected override fits(match: Match, request: Matchable): boolean {
    return fits(match, request);
  }
}

function fits(match: Match, { device, admin, params }: Matchable): boolean {
  const equal = (wanted: string | undefined, value: string | undefined): boolean => wanted === undefined || wanted === value;
  const holds = (wanted: string | undefined, name: string): boolean => wanted === undefined || params.get(name)?.includes(wanted) === true;
  return (
    equal(match.device, device) &&
    equal(match.admin, admin) &&
    equal(match.type, params.get("type")) &&
    equal(match.action, params.get("action")) &&
    equal(match.target, params.get("target")) &&
    holds(match.xpath, "xpath") &&
    holds(match.cmd, "cmd") &&
    holds(match.element, "element")
  );
}
