import { addressRange } from "../../core/address-range.js";
import { PlumblineError } from "../../core/errors.js";
import { literalService } from "../../core/service-range.js";
import type { FlowSet, Match } from "../flows/policy.js";
import type { FlowQuestion } from "../policy-role.js";

/** Error texts of a target without applications and address names. */
export interface FlowTexts {
  /** For example `project`. */
  readonly place: string;
  /** Advice for applications, which are not supported. */
  readonly noApplications: string;
  /** Valid addresses, and the fields that accept names. */
  readonly addresses: string;
}

/** Returns the flows that a question describes, with `zonesOf` for zone names. Throws `flow-not-understood`. */
export function flowSetOf(question: FlowQuestion, zonesOf: (word: string) => readonly string[], texts: FlowTexts): FlowSet {
  const { place } = texts;
  const [application] = question.application;
  if (application !== undefined) throw notUnderstood("application", application, place, texts.noApplications);
  const named = (names: readonly string[]) => (names.length === 0 ? "any" : [...new Set(names.flatMap(zonesOf))]);
  const range = (word: string) => {
    const found = addressRange(word);
    return found === undefined ? undefined : [found];
  };
  const addresses = (words: readonly string[]) => values({ kind: "address", place, next: texts.addresses }, words, range);
  const services = values({ kind: "service", place, next: "Write tcp/443, udp/53, icmp." }, question.service, literalService);
  return {
    zones: { type: "universal", from: named(question.from), to: named(question.to) },
    source: addresses(question.source),
    destination: addresses(question.destination),
    traffic: [{ applications: "any", services }],
    users: "any",
    conditions: [],
  };
}

interface Kind {
  readonly kind: string;
  readonly place: string;
  readonly next: string;
}

function values<Value>(
  { kind, place, next }: Kind,
  words: readonly string[],
  read: (word: string) => readonly Value[] | undefined,
): Match<Value> {
  if (words.length === 0) return "any";
  const objects = words.map((word) => {
    const found = read(word);
    if (found === undefined) throw notUnderstood(kind, word, place, next);
    return { id: word, name: word, values: found, members: [], unknowns: [] };
  });
  return { negated: false, objects };
}

/** Builds the error for an unknown word. */
export function notUnderstood(kind: string, word: string, place: string, next: string | undefined): PlumblineError {
  return new PlumblineError("flow-not-understood", `There is no ${kind} "${word}" in this ${place}.`, { next });
}
