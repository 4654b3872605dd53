import type { Path } from "../core/tree/path.js";
import {
  type AcceptedOverlap,
  FLOW_FIELDS,
  type FlowAssertion,
  type FlowField,
  type FlowWords,
  type HouseRule,
  type PathAssertion,
} from "./assertions.js";
import type { Fleet } from "./fleet.js";
import { itemsWith, type Pairs } from "./header-items.js";
import type { HeaderReader, Pair } from "./header-reader.js";
import { isDate } from "./ignores.js";
import type { DesiredKind } from "./kind.js";
import { readPath } from "./read-path.js";

/** An assertion in a document, with the YAML node of its name. */
export type HeaderAssertion = (
  | Omit<FlowAssertion, "origin">
  | Omit<PathAssertion, "origin">
  | Omit<HouseRule, "origin">
  | Omit<AcceptedOverlap, "origin">
) & {
  readonly node: number;
};

const { items, mapOf, refuse, required, texts } = itemsWith("assertion-invalid");

const OF_ANY = ["name", "description", "strict"];
const OF_FLOWS = ["verdict", "some", ...FLOW_FIELDS, "reaches", "except", "unknowns", "reason"];
const OF_OVERLAPS = ["name", "description", "overlaps", "reason", "until"];
const OF_PATHS = [...OF_ANY, "verdict", "path", "unknowns", "reason"];
const KEYS = [...new Set([...OF_ANY, ...OF_FLOWS, "path", "xpath", ...OF_OVERLAPS])];
/** Fields that an `allow` assertion needs. Without them it would require that more flows pass than the author intends. */
const NEEDED_TO_ALLOW: readonly FlowField[] = ["from", "to", "destination", "service", "application"];
/** Names are used in `--allow assertion=NAME`. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u;

/** Reads `assert:` of a document. */
export function readAssertions(
  reader: HeaderReader,
  pair: Pair | undefined,
  kind: DesiredKind,
  place: Path,
  targets: Fleet["targets"],
): HeaderAssertion[] {
  if (pair === undefined) return [];
  const read = new AssertionReader(reader, kind, place, targets);
  return items(reader, pair, "assert").flatMap((item) => read.assertion(item) ?? []);
}

class AssertionReader {
  readonly #reader: HeaderReader;
  readonly #kind: DesiredKind;
  readonly #place: Path;
  readonly #targets: Fleet["targets"];

  constructor(reader: HeaderReader, kind: DesiredKind, place: Path, targets: Fleet["targets"]) {
    this.#reader = reader;
    this.#kind = kind;
    this.#place = place;
    this.#targets = targets;
  }

  assertion(item: number): HeaderAssertion | undefined {
    const keys = mapOf(this.#reader, item, KEYS, "An assertion");
    if (keys === undefined) return undefined;
    if (keys.has("overlaps")) return this.#overlap(item, keys);
    if (keys.has("xpath")) return this.#houseRule(item, keys);
    if (this.#kind.flowWordFault === undefined) {
      const message = `An assertion about flows is not possible here: targets of kind ${this.#kind.kind} have no flow analysis.`;
      const next = "Write it in a document of a firewall that carries the traffic, or one of the configuration with xpath:.";
      return refuse(this.#reader, item, message, next);
    }
    const path = keys.get("path");
    return path === undefined ? this.#ofFlows(item, keys) : this.#ofPath(item, keys, path);
  }

  #overlap(item: number, keys: Pairs): HeaderAssertion | undefined {
    const reader = this.#reader;
    if (this.#kind.flowWordFault === undefined) {
      const message = `overlaps: is not possible here: targets of kind ${this.#kind.kind} have no flow analysis.`;
      return refuse(reader, item, message, "Write it in a document of the firewall whose rules overlap, or of its manager.");
    }
    const other = [...keys.keys()].find((key) => !OF_OVERLAPS.includes(key));
    if (other !== undefined)
      return refuse(reader, keys.get(other)?.key ?? item, `${other}: is not allowed next to overlaps:.`, "Write two items of assert:.");
    const [name, reason, until] = [this.#name(item, keys), ...["reason", "until"].map((key) => required(reader, item, keys, key))];
    const rules = texts(reader, keys.get("overlaps"), "overlaps").map(({ text }) => text);
    const description = this.#text(keys, "description");
    if (name === undefined || reason === undefined || until === undefined || description === undefined) return undefined;
    if (rules.length === 0)
      return refuse(reader, keys.get("overlaps")?.key ?? item, "overlaps: names no rule.", "Write the names of rules that lint finds.");
    if (!isDate(until))
      return refuse(reader, keys.get("until")?.value ?? item, `until: cannot be "${until}".`, "Write the last day as yyyy-mm-dd.");
    const node = keys.get("name")?.value ?? item;
    return { name, description: description.text, overlaps: rules, reason, until, place: this.#place, node };
  }

  #houseRule(item: number, keys: Pairs): HeaderAssertion | undefined {
    const reader = this.#reader;
    const other = OF_FLOWS.find((key) => keys.has(key));
    if (other !== undefined) {
      const next = "Write two assertions: one of flows, and one of the configuration.";
      return refuse(reader, keys.get(other)?.key ?? item, `${other}: is about flows, and is not allowed next to xpath:.`, next);
    }
    const [name, xpath] = [this.#name(item, keys), required(reader, item, keys, "xpath")];
    const [strict, description] = [this.#flag(keys, "strict"), this.#text(keys, "description")];
    if (name === undefined || xpath === undefined || strict === undefined || description === undefined) return undefined;
    return { name, description: description.text, strict, xpath, place: this.#place, node: keys.get("name")?.value ?? item };
  }

  #ofPath(item: number, keys: Pairs, pair: Pair): HeaderAssertion | undefined {
    const other = [...keys.keys()].find((key) => !OF_PATHS.includes(key));
    if (other !== undefined) {
      const next = "Describe the flow within path: with source, destination, service, application, from.";
      return refuse(this.#reader, keys.get(other)?.key ?? item, `${other}: is not allowed next to path:.`, next);
    }
    const [name, verdict, strict] = [this.#name(item, keys), this.#verdict(item, keys), this.#flag(keys, "strict")];
    const [path, accepts] = [readPath(this.#reader, pair, verdict, this.#targets), this.#unknowns(item, keys)];
    const description = this.#text(keys, "description");
    if (name === undefined || verdict === undefined || strict === undefined) return undefined;
    if (path === undefined || accepts === undefined || description === undefined) return undefined;
    const node = keys.get("name")?.value ?? item;
    const common = { description: description.text, acceptsUnknowns: accepts.reason };
    return { name, verdict, strict, path, ...common, place: this.#place, node };
  }

  #ofFlows(item: number, keys: Pairs): HeaderAssertion | undefined {
    const reader = this.#reader;
    const name = this.#name(item, keys);
    const verdict = this.#verdict(item, keys);
    const [some, strict] = [this.#flag(keys, "some"), this.#flag(keys, "strict")];
    const flows = this.#flows(keys);
    const except = this.#except(keys.get("except"));
    const accepts = this.#unknowns(item, keys);
    const description = this.#text(keys, "description");
    if (name === undefined || verdict === undefined || some === undefined || strict === undefined) return undefined;
    if (flows === undefined || except === undefined || accepts === undefined || description === undefined) return undefined;
    const reaches = this.#reaches(item, keys, verdict, flows);
    if (reaches === undefined) return undefined;
    const missing =
      verdict === "allow" && !some && reaches.words === undefined ? NEEDED_TO_ALLOW.find((field) => !keys.has(field)) : undefined;
    if (missing !== undefined)
      return refuse(
        reader,
        item,
        `${missing}: is missing: an assertion that every flow is allowed must name the flows.`,
        `Write ${missing}: with a list, or [any]. some: true requires only one flow.`,
      );
    const node = keys.get("name")?.value ?? item;
    const common = { description: description.text, acceptsUnknowns: accepts.reason, reaches: reaches.words };
    return { name, verdict, some, strict, flows, except, ...common, place: this.#place, node };
  }

  /** Reads `reaches:`, with which the assertion is about one sent flow. */
  #reaches(
    item: number,
    keys: Pairs,
    verdict: FlowAssertion["verdict"],
    flows: FlowWords,
  ): { readonly words: readonly string[] | undefined } | undefined {
    const pair = keys.get("reaches");
    if (pair === undefined) return { words: undefined };
    const reader = this.#reader;
    const other = ["some", "except"].find((key) => keys.has(key));
    if (other !== undefined || verdict === "deny") {
      const what = other === undefined ? "verdict: deny" : `${other}:`;
      return refuse(reader, pair.key, `${what} is not allowed next to reaches:.`, "It is about one allowed flow.");
    }
    const vague = (["source", "destination", "service"] as const).find((field) => flows[field].length !== 1);
    if (vague !== undefined)
      return refuse(
        reader,
        keys.get(vague)?.key ?? item,
        `${vague}: must have one value next to reaches:.`,
        "It is about one flow, as sent.",
      );
    const words = this.#words(pair, "destination");
    if (words === undefined) return undefined;
    if (words.length > 0) return { words };
    return refuse(reader, pair.value, "reaches: cannot be any.", "Write the addresses behind NAT, or names of objects.");
  }

  #name(item: number, keys: Pairs): string | undefined {
    const name = required(this.#reader, item, keys, "name");
    if (name === undefined || NAME.test(name)) return name;
    return refuse(
      this.#reader,
      keys.get("name")?.value ?? item,
      `"${name}" is no name.`,
      "Write it with letters, digits, . _ - and blanks.",
    );
  }

  #verdict(item: number, keys: Pairs): FlowAssertion["verdict"] | undefined {
    const word = required(this.#reader, item, keys, "verdict");
    if (word === undefined || word === "allow" || word === "deny") return word;
    return refuse(this.#reader, keys.get("verdict")?.value ?? item, `verdict: cannot be "${word}".`, "Write allow or deny.");
  }

  #flag(keys: Pairs, name: string): boolean | undefined {
    const pair = keys.get(name);
    if (pair === undefined) return false;
    const word = this.#reader.text(pair, name);
    if (word === undefined) return undefined;
    if (word === "true" || word === "false") return word === "true";
    return refuse(this.#reader, pair.value, `${name}: cannot be "${word}".`, "Write true or false.");
  }

  #text(keys: Pairs, name: string): { readonly text: string | undefined } | undefined {
    const pair = keys.get(name);
    if (pair === undefined) return { text: undefined };
    const text = this.#reader.text(pair, name);
    return text === undefined ? undefined : { text };
  }

  /** Reads `unknowns:` and the reason for `accept`. */
  #unknowns(item: number, keys: Pairs): { readonly reason: string | undefined } | undefined {
    const [word, reason] = [this.#text(keys, "unknowns"), this.#text(keys, "reason")];
    if (word === undefined || reason === undefined) return undefined;
    const at = keys.get("unknowns")?.value ?? item;
    if (word.text !== undefined && word.text !== "deny" && word.text !== "accept")
      return refuse(this.#reader, at, `unknowns: cannot be "${word.text}".`, "Write deny or accept.");
    if (word.text === "accept" && reason.text === undefined)
      return refuse(this.#reader, at, "unknowns: accept needs a reason:.", "Write why unknowns are accepted.");
    if (word.text !== "accept" && reason.text !== undefined)
      return refuse(this.#reader, keys.get("reason")?.key ?? item, "reason: requires unknowns: accept.", "Write description:.");
    return { reason: reason.text };
  }

  #except(pair: Pair | undefined): FlowWords[] | undefined {
    if (pair === undefined) return [];
    const read = items(this.#reader, pair, "except").map((item) => {
      const keys = mapOf(this.#reader, item, FLOW_FIELDS, "An item of except:");
      if (keys === undefined) return undefined;
      if (keys.size > 0) return this.#flows(keys);
      return refuse(this.#reader, item, "An item of except: is empty, and would exclude every flow.", "Write which flows it excludes.");
    });
    const good = read.filter((each) => each !== undefined);
    return good.length === read.length && good.length > 0 ? good : undefined;
  }

  #flows(keys: Pairs): FlowWords | undefined {
    const words = FLOW_FIELDS.map((field) => [field, this.#words(keys.get(field), field)] as const);
    if (words.some(([, list]) => list === undefined)) return undefined;
    return Object.fromEntries(words) as unknown as FlowWords;
  }

  /** Returns an empty array for a missing field and for `any`. */
  #words(pair: Pair | undefined, field: FlowField): string[] | undefined {
    if (pair === undefined) return [];
    const read = texts(this.#reader, pair, field);
    if (read.length === 0) return this.#reader.doc.kind(pair.value) === "sequence" ? this.#empty(pair, field) : undefined;
    const any = read.find(({ text }) => text === "any");
    if (any !== undefined && read.length > 1)
      return refuse(this.#reader, any.node, `${field}: contains "any" next to other values.`, "Write [any], or only the others.");
    const faults = read.map(({ text, node }) => ({ node, fault: any === undefined ? this.#kind.flowWordFault?.(field, text) : undefined }));
    for (const { node, fault } of faults) if (fault !== undefined) refuse(this.#reader, node, fault.message, fault.next);
    if (faults.some(({ fault }) => fault !== undefined)) return undefined;
    return any === undefined ? read.map(({ text }) => text) : [];
  }

  #empty(pair: Pair, field: FlowField): undefined {
    return refuse(this.#reader, pair.key, `${field}: is an empty list: it would match no flow.`, "Write its values, or [any].");
  }
}
