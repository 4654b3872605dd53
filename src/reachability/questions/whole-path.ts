import { addressNumber } from "../../core/address-range.js";
import { PlumblineError } from "../../core/errors.js";
import { isOnePort } from "../../core/service-range.js";
import { targetAndName } from "../../desired/assertions.js";
import { type Hop, isPassed, isStopped, type WholePath } from "../../outcome/whole-path.js";
import { meeting } from "../flows/may-match.js";
import type { Policy } from "../flows/policy.js";
import type { FlowQuestion, PassingFlow, Rulebase, Transit, TransitWay } from "../policy-role.js";
import { reachIn } from "./format-reach.js";

/** A rulebase of a target, with its routing. */
export interface Part {
  readonly target: string;
  readonly rulebase: Rulebase;
  readonly policy: Policy;
  readonly transit: Transit;
  /** Version of the rulebase. Undefined if there is only one. */
  readonly version?: number | undefined;
}

/** The parts of a target that forward flows, from its running configuration. `failure`: reason if they cannot be read. */
export type Other = { readonly parts: readonly Part[] } | { readonly failure: string };

/** Returns the part of a rulebase that flows can pass in one version. Undefined if flows cannot be followed there. */
export function partOf(target: string, rulebase: Rulebase, version: number): Part | undefined {
  const transit = rulebase.transit?.(version);
  const policy = transit === undefined ? undefined : rulebase.policies()[version];
  if (transit === undefined || policy === undefined) return undefined;
  // Limits of a comparison do not apply, because paths are evaluated per version.
  const limits = policy.limits.filter(({ isOfChange }) => isOfChange !== true);
  return { target, rulebase, policy: { ...policy, limits }, transit, version };
}

/** Maximum hops of a path, and maximum number of paths. */
const MOST_HOPS = 16;
const MOST_PATHS = 64;

/**
 * Returns the paths that a flow may take from a target through all `parts`. The next hop, or else the destination, is searched by address.
 * A path continues after a denying rule, so that all denying rules are found.
 * Throws `flow-not-understood`. `scope`: rulebase on the first target.
 */
export function completePaths(
  parts: readonly Part[],
  start: string,
  question: FlowQuestion,
  unread: readonly string[],
  scope?: string,
): WholePath[] {
  const first = parts.filter(({ target, rulebase }) => target === start && (scope === undefined || rulebase.within.includes(scope)));
  const begun = first.flatMap((part) => flowsOf(question, part, parts).flatMap((flow) => new Walk(parts, unread).from(part, flow)));
  // Prefers virtual systems that know the ingress interface of the flow.
  const known = begun.filter(({ hops: [hop] }) => hop?.way.from !== undefined);
  return known.length > 0 ? known : begun;
}

/** The flows that a question is about: one for each address that its names mean. */
function flowsOf(question: FlowQuestion, part: Part, parts: readonly Part[]): PassingFlow[] {
  const { from, to, application } = question;
  if (to.length > 0) throw notOne("--to", "nothing, because routes and NAT decide");
  const service = serviceOf(question.service);
  const source = addressOf(one(question.source, "--source"), "--source", [part], parts);
  const destination = addressOf(one(question.destination, "--destination"), "--destination", [part], parts);
  return [{ source, destination, service, application, at: undefined, from }];
}

/** Resolves an address, the name of an object on the first target, or `TARGET:NAME`. */
export function addressOf(word: string, flag: string, here: readonly Part[], parts: readonly Part[]): string {
  if (addressNumber(word) !== undefined) return word;
  const [target, name] = targetAndName(word) ?? [];
  const selected = name === undefined ? here : parts.filter((part) => part.target === target);
  const found = new Set(selected.flatMap(({ transit }) => transit.addressesOf(name ?? word)));
  const [address] = found;
  if (address !== undefined && found.size === 1) return address;
  const why = found.size > 1 ? `"${word}" has ${[...found].join(", ")}` : `nothing with a single address is named "${word}" there`;
  throw new PlumblineError("flow-not-understood", `A path is for one flow, and ${flag} needs one address: ${why}.`, {
    next: "Write the address, a server, port or object of the target where it starts, or TARGET:NAME.",
  });
}

function one([word, ...more]: readonly string[], flag: string): string {
  if (word === undefined || more.length > 0) throw notOne(flag, "one address");
  return word;
}

function serviceOf(words: readonly string[]): string {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0 || !isOnePort(word))
    throw notOne("--service", "one service with one port, for example tcp/443");
  return word;
}

function notOne(flag: string, needed: string): PlumblineError {
  return new PlumblineError("flow-not-understood", `A path needs a single flow: ${flag} needs ${needed}.`, {
    next: "Without --whole-path the question may be about any set of flows.",
  });
}

interface Course {
  readonly hops: readonly Hop[];
  /** The parts that the flow has entered, to detect loops. */
  readonly entered: ReadonlySet<string>;
  readonly conditions: readonly string[];
  /** Those of the conditions that state which target has the next address. */
  readonly assumptions: readonly string[];
  /** Further checks that must allow the flow. Ignored if a rule denies it. */
  readonly passes: readonly string[];
}

const BEGINNING: Course = { hops: [], entered: new Set(), conditions: [], assumptions: [], passes: [] };

class Walk {
  #paths = 0;

  constructor(
    readonly parts: readonly Part[],
    /** Targets that could not be read. */
    readonly unread: readonly string[],
  ) {}

  from(part: Part, flow: PassingFlow, before: Course = BEGINNING): WholePath[] {
    const { source, destination, service, at } = flow;
    const here = [part.target, part.rulebase.scope, source, destination, service, at].join(" ");
    if (before.entered.has(here)) return [this.#end(before, "it is in a loop", false)];
    if (before.hops.length === MOST_HOPS) return [this.#end(before, `it passes more than ${MOST_HOPS} targets`, false)];
    const entered = new Set([...before.entered, here]);
    return part.transit.ways(flow).flatMap((way) => this.#along(part, flow, way, { ...before, entered }));
  }

  #along(part: Part, flow: PassingFlow, way: TransitWay, before: Course): WholePath[] {
    const { checks, unread = [], after, next, doubts: own = [], ...shown } = way;
    const ruled = checks === undefined ? ruledBy(part, flow, way) : { checks, doubts: [] };
    const { source, destination, service } = flow;
    const doubts = [...own, ...ruled.doubts];
    const hop: Hop = {
      target: part.target,
      scope: part.rulebase.scope,
      flow: { source, destination, service },
      way: shown,
      ...ruled,
      doubts,
    };
    const conditions = [...before.conditions, ...way.conditions];
    const course = { ...before, hops: [...before.hops, hop], conditions, passes: [...before.passes, ...unread] };
    if (this.#paths >= MOST_PATHS)
      return [this.#end(course, `more than ${MOST_PATHS} paths are possible, and the rest was not followed`, false)];
    if (way.ends !== undefined || after === undefined || next === undefined) return [this.#end(course, way.ends ?? "it ends here", false)];
    if ("arrived" in next) return [this.#end(course, `${next.arrived} of ${part.target} has it`, true)];
    return this.#onward(part, { ...flow, ...after, from: [] }, next, course, way);
  }

  /** Continues at the owner of the next hop, or at candidates for it. */
  #onward(
    part: Part,
    flow: PassingFlow,
    next: Exclude<NonNullable<TransitWay["next"]>, { arrived: string }>,
    course: Course,
    way: TransitWay,
  ) {
    const others = this.parts.filter((each) => each !== part);
    const at = "address" in next ? next.address : undefined;
    const owners = at === undefined ? [] : others.filter(({ transit }) => transit.ownerOf(at) !== undefined);
    if (at !== undefined && owners.length > 0) {
      const ownerOf = ({ target, transit }: Part) => (owners.length === 1 ? [] : [`${at} is ${transit.ownerOf(at)} of ${target}`]);
      return owners.flatMap((each) =>
        this.from(each, { ...flow, at }, { ...course, conditions: [...course.conditions, ...ownerOf(each)] }),
      );
    }
    const isLast = at !== undefined && at === flow.destination;
    const address = "address" in next ? next.address : next.networkOf;
    const words = "address" in next ? `answers for ${next.address}` : next.words;
    const skipped = others.flatMap((each) => {
      const name = each.transit.neighbourOf(address, !isLast);
      return name === undefined ? [] : [{ each, condition: `${name} of ${each.target} ${words}` }];
    });
    if (skipped.length > 0) return this.#handed(skipped, flow, address, course);
    const door = way.to?.interface ?? way.to?.zone ?? "";
    const missing = this.unread.length === 0 ? "" : `, unless ${this.unread.join(", ")} would, which could not be read`;
    if (isLast) {
      const unread = ("address" in next && next.unread) || undefined;
      const last = unread === undefined ? course : { ...course, passes: [...course.passes, unread] };
      return [this.#end(last, `it is sent to ${at} in the network of ${door} of ${part.target}${missing}`, this.unread.length === 0)];
    }
    const behind = others.flatMap((each) => {
      const name = at === undefined || this.unread.length > 0 ? undefined : each.transit.behind?.(flow.destination);
      return name === undefined ? [] : [{ each, condition: `${at} leads to ${name} of ${each.target}` }];
    });
    if (behind.length > 0) return this.#handed(behind, flow, address, course);
    const nextHop =
      at === undefined ? `where ${door} of ${part.target} leads` : `who has ${at}, to whom ${part.target} hands it by ${door}`;
    return [this.#end(course, `${nextHop}, no target says${missing}`, false)];
  }

  /** Continues at each candidate, on the condition that it is the right one. */
  #handed(all: readonly { readonly each: Part; readonly condition: string }[], flow: PassingFlow, at: string, course: Course) {
    return all.flatMap(({ each, condition }): WholePath[] =>
      this.from(
        each,
        { ...flow, at },
        { ...course, conditions: [...course.conditions, condition], assumptions: [...course.assumptions, condition] },
      ),
    );
  }

  #end({ hops, conditions, assumptions, passes }: Course, ends: string, isThere: boolean): WholePath {
    this.#paths += 1;
    const verdict = verdictOf(hops, isThere);
    const all = verdict === "stopped" ? conditions : [...conditions, ...passes];
    return { verdict, hops, conditions: all, assumptions: [...assumptions, ...passes], isComplete: isThere, ends };
  }
}

/** Verdict of the rules of a part on a path, by its zones. */
function ruledBy(
  { rulebase, policy, version = 0 }: Part,
  flow: PassingFlow,
  { from, to, ends }: TransitWay,
): Pick<Hop, "checks" | "doubts"> {
  if (from === undefined || to === undefined || ends !== undefined || flow.source === undefined) return { checks: [], doubts: [] };
  const { source, destination, service } = flow;
  // A policy without applications decides equally for all of them.
  const application = policy.withoutApplications === true ? [] : flow.application;
  const selected = { from: [from.zone], to: [to.zone], source: [source], destination: [destination], service: [service], application };
  const flows = rulebase.flows(version, selected);
  const { answers, doubts } = reachIn(meeting(policy, [flows]), flows);
  return { checks: [answers], doubts };
}

function verdictOf(hops: readonly Hop[], isThere: boolean): WholePath["verdict"] {
  const checks = hops.flatMap((hop) => hop.checks);
  const isDoubtful = hops.some(({ doubts }) => doubts.length > 0);
  const isStoppedThere = checks.some(isStopped);
  if (isStoppedThere && !isDoubtful) return "stopped";
  if (isStoppedThere || !isThere) return "unknown";
  return !isDoubtful && checks.every(isPassed) ? "arrives" : "may arrive";
}
