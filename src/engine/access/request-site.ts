import { accessState, type OtherPolicy } from "../../access/design.js";
import { type Edit, withEdits } from "../../access/edit.js";
import type { AccessState } from "../../access/situation.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { AccessWords } from "../../outcome/access.js";
import { firewallName } from "../../outcome/insight.js";
import { listed } from "../../outcome/shorten-list.js";
import type { Policy } from "../../reachability/flows/policy.js";
import type { Rulebase } from "../../reachability/policy-role.js";
import type { AccessBase } from "./answer-requests.js";
import { AccessRefused, type ResolvedRequest, resolveRequest } from "./endpoints.js";

/** A rulebase that an edit for a request applies to. */
interface CoveredRulebase {
  readonly rulebase: Rulebase;
  readonly policy: Policy;
  /** Undefined if the zones or objects of the request do not exist there. */
  readonly resolved: ResolvedRequest | undefined;
  readonly state: AccessState;
}

/** The rulebases that a request is about, and the place of its rules. */
export interface RequestSite {
  /** Virtual system or device group that new rules are written to. */
  readonly scope: string;
  /** The rulebase that designs are searched in: one that denies the request, if there is one. */
  readonly first: CoveredRulebase & { readonly resolved: ResolvedRequest };
  /** Other firewalls that receive the rules of the same device group. */
  readonly others: readonly CoveredRulebase[];
}

type Compiled = Pick<CoveredRulebase, "rulebase" | "policy">;
const compiled = new WeakMap<TreeNode, readonly Compiled[]>();

/** Returns the rulebases of the current configuration. Requests that change nothing share them. */
function rulebasesOf({ reader, tree, options }: AccessBase): readonly Compiled[] {
  const known = compiled.get(tree);
  if (known !== undefined) return known;
  const made = reader.rulebases([tree], options).flatMap((rulebase): Compiled[] => {
    const [policy] = rulebase.policies();
    return policy === undefined ? [] : [{ rulebase, policy }];
  });
  compiled.set(tree, made);
  return made;
}

interface SiteOptions {
  /** The flows must be denied, and may be those of every application. */
  readonly isRevoked?: boolean;
}

/** Orders in which rulebases are selected: the last state first. */
const DENIED_FIRST: readonly AccessState[] = ["allowed", "empty", "undecided", "conditional", "denied"];
const ALLOWED_FIRST: readonly AccessState[] = ["empty", "denied", "undecided", "conditional", "allowed"];

/** Finds the rulebases of a request. Throws `AccessRefused`. */
export function siteOf(base: AccessBase, words: AccessWords, note: string, may: SiteOptions = {}): RequestSite {
  const { scope } = base;
  const all = rulebasesOf(base);
  const asked = scope === undefined ? all : all.filter(({ rulebase }) => rulebase.within.includes(scope));
  if (asked.length === 0) throw new AccessRefused(scope === undefined ? "The target has no rulebase." : `There is no rulebase "${scope}".`);
  const reasons: string[] = [];
  const covered = asked.map((each): CoveredRulebase => {
    try {
      const resolved = resolveRequest(words, note, each.rulebase, each.policy, { anyApplication: may.isRevoked === true });
      return { ...each, resolved, state: accessState(each.policy, resolved.flows) };
    } catch (error) {
      if (!(error instanceof AccessRefused)) throw error;
      reasons.push(asked.length === 1 ? error.message : `${nameOf(each.rulebase)}: ${error.message}`);
      return { ...each, resolved: undefined, state: "empty" };
    }
  });
  const concerned = covered.filter(({ resolved }) => resolved !== undefined);
  if (concerned.length === 0) throw new AccessRefused([...new Set(reasons)].slice(0, SHOWN).join(" "));
  const places = new Set(scope === undefined ? concerned.map(({ rulebase }) => rulebase.scope) : [scope]);
  const [place = "", ...more] = places;
  if (more.length > 0) throw new AccessRefused(`Several rulebases have these zones: ${[...places].join(", ")}. Set --scope.`);
  const rank = ({ state }: CoveredRulebase) => (may.isRevoked ? ALLOWED_FIRST : DENIED_FIRST).indexOf(state);
  const [first] = concerned.toSorted((a, b) => rank(b) - rank(a));
  const members = covered.filter(({ rulebase }) => rulebase.within.includes(place));
  if (first?.resolved === undefined) throw new Error("a concerned rulebase has flows");
  return { scope: place, first: { ...first, resolved: first.resolved }, others: members.filter((each) => each !== first) };
}

/** Number of firewalls whose reason is shown. */
const SHOWN = 3;

function nameOf({ scope, firewalls }: Rulebase): string {
  return firewalls === undefined ? scope : listed(firewalls.map(firewallName));
}

/** Returns the other firewalls for the search of designs. On a firewall without the zones, the requested flows are those of the zone names. */
export function othersOf({ first, others }: RequestSite): readonly OtherPolicy[] {
  const { flows } = first.resolved;
  return others.map(({ rulebase, policy, resolved, state }) => ({
    name: nameOf(rulebase),
    policy,
    flows: resolved?.flows ?? flows,
    isPartial: resolved === undefined,
    state,
  }));
}

/** Returns notes about the firewalls of a manager that an edit covers. */
export function coverageNotes(site: RequestSite): string[] {
  const notes = firewallNotes(site);
  const all = [site.first, ...site.others];
  const allowed = all.filter(({ resolved, state }) => resolved !== undefined && state === "allowed");
  if (notes.length === 0 || allowed.length === 0 || allowed.length === all.length) return notes;
  return [...notes, `Already allowed on ${firewallNames(allowed)}.`];
}

/** Returns notes about the firewalls of a manager that have a rulebase or lack its zones. Empty for a firewall. */
export function firewallNotes({ scope, first, others }: RequestSite): string[] {
  if (first.rulebase.firewalls === undefined) return [];
  const all = [first, ...others];
  const without = all.filter(({ resolved }) => resolved === undefined);
  return [
    `Rules of ${scope} apply to ${firewallNames(all)}.`,
    ...(without.length === 0 ? [] : [`Some of these zones or objects are not known on ${firewallNames(without)}.`]),
  ];
}

const firewallNames = (some: readonly CoveredRulebase[]): string => firewallNamesOf(some.map(({ rulebase }) => rulebase));

/** Returns the names of the firewalls of rulebases of a manager. Empty if there are none. */
export function firewallNamesOf(rulebases: readonly Rulebase[]): string {
  return listed(rulebases.flatMap(({ firewalls = [] }) => firewalls.map(firewallName)));
}

/** Returns the policies of the covered rulebases after edits: the first one, and the others. */
export function policiesAfter({ reader, tree, options }: AccessBase, { first, others }: RequestSite, edits: readonly Edit[]): Policy[] {
  const after = reader.rulebases([withEdits(tree, edits)], options);
  return [first, ...others].map(({ rulebase }) => {
    const [key] = keysOf(rulebase);
    const policy = after.find((each) => keysOf(each).includes(key ?? ""))?.policies()[0];
    if (policy === undefined) throw new Error(`an edit keeps the rulebase ${rulebase.scope}`);
    return policy;
  });
}

/** Identifies a rulebase in another version, in which other firewalls may share it. */
export function keysOf({ scope, firewalls }: Rulebase): readonly string[] {
  return firewalls === undefined ? [scope] : firewalls.map(({ serial, vsys }) => JSON.stringify([scope, serial, vsys]));
}
