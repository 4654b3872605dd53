import type { Path } from "../core/tree/path.js";

/** Fields of a flow. Each contains names and literals of the target; undefined means any. */
export const FLOW_FIELDS = ["from", "to", "source", "destination", "service", "application"] as const;
export type FlowField = (typeof FLOW_FIELDS)[number];
export type FlowWords = Readonly<Record<FlowField, readonly string[]>>;

/** An item of `assert:` in a document: about flows, complete paths, or the configuration (docs/insight.md#assertions). */
export type Assertion = FlowAssertion | PathAssertion | HouseRule;

interface Asserted {
  /** Unique within its target. */
  readonly name: string;
  readonly description: string | undefined;
  /** Runs end as refused while it does not hold, whoever broke it. */
  readonly strict: boolean;
  /** Place of its document, which it applies to. */
  readonly place: Path;
  /** Position in the desired state's source map. */
  readonly origin: number;
}

/** A statement about flows, whichever rules apply. */
export interface FlowAssertion extends Asserted {
  /** Required verdict for each flow; with `some` for at least one of them. */
  readonly verdict: "allow" | "deny";
  readonly some: boolean;
  readonly flows: FlowWords;
  /** Excluded flows. */
  readonly except: readonly FlowWords[];
  /** Required destination of the only flow, as the sender sends it: addresses after NAT. Undefined: only rules are checked. */
  readonly reaches?: readonly string[] | undefined;
  /** Why it holds even if only unknown facts could break it. Undefined: then it does not hold. */
  readonly acceptsUnknowns: string | undefined;
}

/** A statement about flows on their complete path, through all targets on the way. */
export interface PathAssertion extends Asserted {
  /** `allow`: each flow certainly arrives. `deny`: no flow can arrive. */
  readonly verdict: "allow" | "deny";
  readonly path: PathWords;
  /** Like `FlowAssertion`. */
  readonly acceptsUnknowns: string | undefined;
}

/**
 * All combinations of source, destination, service and application. An end is an address, a name of the document's target, or
 * `TARGET:NAME`.
 */
export interface PathWords extends Omit<FlowWords, "to"> {
  /** Required destination after all NAT. Empty means any. */
  readonly reaches: readonly string[];
  /** The only other targets to read. Undefined means all. */
  readonly through: readonly string[] | undefined;
}

/** Content that the configuration must not have, whoever wrote it. */
export interface HouseRule extends Asserted {
  /** XPath 1.0 from the place of the document. It must select no node. */
  readonly xpath: string;
}

/** Rules that are known, and temporarily accepted, to have no effect or only a redundant one. */
export interface AcceptedOverlap extends Omit<Asserted, "strict"> {
  /** Names of rules. */
  readonly overlaps: readonly string[];
  readonly reason: string;
  /** Last day of acceptance, yyyy-mm-dd. */
  readonly until: string;
}

export function isAcceptedOverlap(assertion: Assertion | AcceptedOverlap): assertion is AcceptedOverlap {
  return "overlaps" in assertion;
}

export function isHouseRule(assertion: Assertion): assertion is HouseRule {
  return "xpath" in assertion;
}

/** Returns all flows to these destinations. */
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

/** Splits a word `TARGET:NAME`; undefined for any other word. */
export function targetAndName(word: string): readonly [target: string, name: string] | undefined {
  const [, target, name] = /^([^:]+):([^:]+)$/.exec(word) ?? [];
  return target === undefined || name === undefined ? undefined : [target, name];
}
