import { suggest } from "../../../desired/suggest.js";
import type { FlowSet } from "../../../reachability/flows/policy.js";
import { flowSetOf, notUnderstood } from "../../../reachability/kit/literal-flows.js";
import type { FlowQuestion } from "../../../reachability/policy-role.js";
import { ANYWHERE } from "./links.js";

const TEXTS = {
  place: "controller",
  noApplications: "Omit it: network policies have none.",
  addresses: "Write an address or a network's prefix. Virtual networks belong in --from and --to.",
};

/** Labels of networks in answers: the shortest unique suffix of each name. */
export function labelsOf(names: readonly string[]): ReadonlyMap<string, string> {
  const all = new Set(names);
  const times = new Map<string, number>([[ANYWHERE, 2]]);
  for (const word of [...all].flatMap(endsOf)) times.set(word, (times.get(word) ?? 0) + 1);
  return new Map([...all].map((name) => [name, endsOf(name).find((word) => times.get(word) === 1) ?? name]));
}

/** `web`, `demo:web`, `default-domain:demo:web`. */
function endsOf(name: string): string[] {
  const parts = name.split(":");
  return parts.map((_, at) => parts.slice(parts.length - 1 - at).join(":"));
}

/**
 * Parses a flow query between networks.
 * @throws PlumblineError `flow-not-understood`.
 */
export function flowsIn(labels: ReadonlyMap<string, string>, question: FlowQuestion): FlowSet {
  return flowSetOf(question, (word) => meant(word, labels), TEXTS);
}

function meant(word: string, labels: ReadonlyMap<string, string>): readonly string[] {
  if (word === ANYWHERE) return [ANYWHERE];
  const found = [...labels].filter(([name]) => endsOf(name).includes(word));
  const [only] = found;
  if (only !== undefined && found.length === 1) return [only[1]];
  const next =
    found.length > 1 ? `Write one of: ${found.map(([, label]) => label).join(", ")}.` : suggest(word, [ANYWHERE, ...labels.values()]);
  throw notUnderstood(found.length > 1 ? "single network" : "network", word, TEXTS.place, next);
}
