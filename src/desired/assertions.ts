import type { Path } from "../core/tree/path.js";

/** What an assertion says of flows, each as names and literals in the words of the target. Left out: any. */
export const FLOW_FIELDS = ["from", "to", "source", "destination", "service", "application"] as const;
export type FlowField = (typeof FLOW_FIELDS)[number];
export type FlowWords = Readonly<Record<FlowField, readonly string[]>>;

/** One of `assert:` of a document: of flows, of whole paths, or of the configuration (docs/insight.md#assertions). */
export type Assertion = FlowAssertion | PathAssertion | HouseRule;

interface Asserted {
  /** Unique for its target. */
  readonly name: string;
  readonly description: string | undefined;
  /** A run ends as refused as long as it does not hold, whoever broke it. */
  readonly strict: boolean;
  /** Place of its document: what it speaks of. */
  readonly place: Path;
  /** Position in the desired state's source map. */
  readonly origin: number;
}

/** What must be true of flows, whatever rules say so. */
export interface FlowAssertion extends Asserted {
  /** What each of the flows must meet with; with `some` at least one of them. */
  readonly verdict: "allow" | "deny";
  readonly some: boolean;
  readonly flows: FlowWords;
  /** Flows that are left out. */
  readonly except: readonly FlowWords[];
  /** Where the one flow of it must come to, as its sender sends it: addresses after NAT. Undefined: it is about rules alone. */
  readonly reaches?: readonly string[] | undefined;
  /** Why it does where only what is not known could break it; undefined: it does not. */
  readonly acceptsUnknowns: string | undefined;
}

/** What must become of flows on their whole way, through all targets that they meet. */
export interface PathAssertion extends Asserted {
  /** `allow`: each certainly arrives; `deny`: none can. */
  readonly verdict: "allow" | "deny";
  readonly path: PathWords;
  /** As of `FlowAssertion`. */
  readonly acceptsUnknowns: string | undefined;
}

/** Each source to each destination by each service and application; an address, a name of the document's target, or `TARGET:NAME`. */
export interface PathWords extends Omit<FlowWords, "to"> {
  /** Where one that arrives must have come to, behind all NAT; none: wherever that leads. */
  readonly reaches: readonly string[];
  /** The only other targets that are read; all when undefined. */
  readonly through: readonly string[] | undefined;
}

/** What the configuration must not hold, whoever wrote it. */
export interface HouseRule extends Asserted {
  /** XPath 1.0, from the place of the document; it must select nothing. */
  readonly xpath: string;
}

/** Rules of which it is known, and accepted for a while, that they do nothing or nothing that others do not do. */
export interface AcceptedOverlap extends Omit<Asserted, "strict"> {
  /** Names of rules. */
  readonly overlaps: readonly string[];
  readonly reason: string;
  /** ISO date (yyyy-mm-dd), last day on which it is accepted. */
  readonly until: string;
}

export function isAcceptedOverlap(assertion: Assertion | AcceptedOverlap): assertion is AcceptedOverlap {
  return "overlaps" in assertion;
}

export function isHouseRule(assertion: Assertion): assertion is HouseRule {
  return "xpath" in assertion;
}

/** All flows to these. */
export function flowsTo(destination: readonly string[]): FlowWords {
  return { from: [], to: [], source: [], destination, service: [], application: [] };
}

export function isSent({ reaches }: FlowAssertion): boolean {
  return reaches !== undefined;
}

export function isOfFlows(assertion: Assertion): assertion is FlowAssertion {
  return "verdict" in assertion && !isOfPath(assertion);
}

export function isOfPath(assertion: Assertion): assertion is PathAssertion {
  return "path" in assertion;
}

/** The target and the name of a word `TARGET:NAME`; undefined for any other. */
export function targetAndName(word: string): readonly [target: string, name: string] | undefined {
  const [, target, name] = /^([^:]+):([^:]+)$/.exec(word) ?? [];
  return target === undefined || name === undefined ? undefined : [target, name];
}
