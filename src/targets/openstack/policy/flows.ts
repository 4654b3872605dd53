import { addressRange } from "../../../core/address-range.js";
import { PlumblineError } from "../../../core/errors.js";
import { literalService } from "../../../core/service-range.js";
import { suggest } from "../../../desired/nearest.js";
import type { FlowQuestion } from "../../../engine/policies.js";
import type { FlowSet, Match } from "../../../insight/policy.js";
import { ANYWHERE, type Zone } from "./members.js";

/** The flows that words mean among the ports of a project. Throws `flow-not-understood`. */
export function flowsIn(zones: readonly Zone[], version: number, question: FlowQuestion): FlowSet {
  const [application] = question.application;
  if (application !== undefined) throw notUnderstood("application", application, "Leave it out: security groups know none.");
  const named = (names: readonly string[]) =>
    names.length === 0 ? "any" : [...new Set(names.flatMap((name) => meant(name, zones, version)))];
  return {
    zones: { type: "universal", from: named(question.from), to: named(question.to) },
    source: addresses(question.source),
    destination: addresses(question.destination),
    traffic: [{ applications: "any", services: values("service", question.service, literalService, "Write tcp/443, udp/53, icmp.") }],
    users: "any",
    conditions: [],
  };
}

/** The zones of a word: all ports in a group, a port, a server, or a zone as answers call it. */
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
  throw notUnderstood("group, port or server", word, suggest(word, known));
}

function addresses(words: readonly string[]): FlowSet["source"] {
  const range = (word: string) => {
    const found = addressRange(word);
    return found === undefined ? undefined : [found];
  };
  return values("address", words, range, "Write an address or a network; groups, ports and servers stand in --from and --to.");
}

function values<Value>(
  kind: string,
  words: readonly string[],
  read: (word: string) => readonly Value[] | undefined,
  next: string,
): Match<Value> {
  if (words.length === 0) return "any";
  const objects = words.map((word) => {
    const found = read(word);
    if (found === undefined) throw notUnderstood(kind, word, next);
    return { id: word, name: word, values: found, members: [], unknowns: [] };
  });
  return { negated: false, objects };
}

function notUnderstood(kind: string, word: string, next: string | undefined): PlumblineError {
  return new PlumblineError("flow-not-understood", `There is no ${kind} "${word}" in this project.`, { next });
}
