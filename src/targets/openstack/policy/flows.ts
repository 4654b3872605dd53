import { suggest } from "../../../desired/suggest.js";
import type { FlowSet } from "../../../reachability/flows/policy.js";
import { type FlowTexts, flowSetOf, notUnderstood } from "../../../reachability/kit/literal-flows.js";
import type { FlowQuestion } from "../../../reachability/policy-role.js";
import { ANYWHERE, type Zone } from "./members.js";

const TEXTS: FlowTexts = {
  place: "project",
  noApplications: "Omit it: security groups have none.",
  addresses: "Write an address or a network. Groups, ports and servers belong in --from and --to.",
};

/** Returns the flows that a question describes in a project. Throws `flow-not-understood`. */
export function flowsIn(zones: readonly Zone[], version: number, question: FlowQuestion): FlowSet {
  return flowSetOf(question, (name) => meant(name, zones, version), TEXTS);
}

/** Returns the zones of a word: the ports of a group, a port, a server, or a zone name of an answer. */
function meant(word: string, zones: readonly Zone[], version: number): readonly string[] {
  if (word === ANYWHERE) return [ANYWHERE];
  const found = zones.filter(
    ({ name, groups, holders }) =>
      name === word ||
      groups[version]?.has(word) === true ||
      holders.some((holder) => holder === word || holder.replace(/^\w+ /, "") === word),
  );
  if (found.length > 0) return found.map(({ name }) => name);
  const known = [ANYWHERE, ...zones.flatMap(({ name, holders }) => [name, ...holders])];
  throw notUnderstood("group, port or server", word, TEXTS.place, suggest(word, known));
}
