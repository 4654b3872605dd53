import type { Draft, Drafts } from "../../../access/designer.js";
import { endDatesIn } from "../../../access/end-date.js";
import type { JsonObject } from "../../../core/json/value.js";
import { find } from "../../../core/tree/lookup.js";
import { ROOT_PATH } from "../collections.js";
import { type Acl, aclsOf } from "../policy/acl.js";
import { lastOf, type Network, type PolicyRule } from "../policy/fabric.js";
import { ANYWHERE, Links } from "../policy/links.js";
import {
  attachment,
  endWords,
  insertedAt,
  isThere,
  type NewRules,
  newPolicyName,
  portWords,
  serviceWords,
  waysToName,
} from "./policy-edits.js";
import { ethertypeOf, type ListField, policyEntry, portsOf, type RuleWords, rowsOf, sidesOf, withList } from "./rule-rows.js";
import { type Sequence, sequenceBefore, sequenceWords } from "./sequence.js";
import {
  type Fit,
  firstMeeting,
  fitOf,
  hasDeclaredRules,
  meetsRequest,
  missingFields,
  networkAt,
  policiesAt,
  type Site,
  undeclared,
} from "./site.js";

const NONE: Drafts = { drafts: [], obstacles: [] };

/**
 * Returns edits that may allow the request: an entry in a rule of a policy of both networks, a policy attached to the other network, new
 * rules in a policy of both networks, and a new policy.
 */
export function allowingDrafts(site: Site, note: string): Drafts {
  if ([site.from, site.to].some(({ network }) => network === ANYWHERE))
    return refused("Whether routes lead out of the networks is not known, so no edit of policies certainly allows it.");
  const made = newPolicies(site, note);
  if (endDatesIn(note).length > 0) {
    const why = "Only a new policy has a description for the end date: rules of network policies have none.";
    return { drafts: made.drafts, obstacles: [...made.obstacles, why] };
  }
  const policies = policiesAt(site.holders);
  const declared = policies.filter((policy) => hasDeclaredRules(site.place, policy));
  const other = policies
    .filter((policy) => !declared.includes(policy))
    .map((policy) => `No document declares the rules of policy ${lastOf(policy)}.`);
  const acls = aclsOf(site.fabric);
  const isOfAll = (policy: string) => site.holders.every((network) => hasPolicy(network, policy));
  const useful = declared.filter((policy) => isOfAll(policy) || areOthersNaming(site, acls, policy));
  const drafts = [
    ...attached(site).slice(0, MOST.attached),
    ...declared.flatMap((policy) => widened(site, policy)).slice(0, MOST.widened),
    ...inserted(site, useful.filter(isOfAll)).slice(0, MOST.inserted),
    ...inserted(
      site,
      useful.filter((policy) => !isOfAll(policy)),
    ).slice(0, MOST.insertedInOne),
    ...made.drafts,
  ];
  return { drafts, obstacles: [...other, ...made.obstacles] };
}

/** Maximum numbers of drafts of each kind, so that all kinds are tried. */
const MOST = { attached: 4, widened: 8, inserted: 14, insertedInOne: 8 };

const hasPolicy = ({ attached: all }: Network, name: string) => all.some(({ policy }) => policy === name);

/** Returns whether the networks without a policy name the other network already, so that rules of this policy may be enough. */
function areOthersNaming({ holders }: Site, acls: ReadonlyMap<string, Acl>, policy: string): boolean {
  const names = (name: string, other: string) => {
    const named = acls.get(name)?.named;
    return named?.has(other) === true || named?.has("*") === true;
  };
  return holders
    .filter((network) => !hasPolicy(network, policy))
    .every(({ name }) => holders.every((other) => other.name === name || names(name, other.name)));
}

const refused = (...obstacles: readonly string[]): Drafts => ({ drafts: [], obstacles });

const FIELDS: Readonly<Record<keyof Fit, readonly [there: ListField, back: ListField] | undefined>> = {
  from: ["src_addresses", "dst_addresses"],
  to: ["dst_addresses", "src_addresses"],
  ports: ["dst_ports", "src_ports"],
  sourcePorts: undefined,
  protocol: undefined,
};

/** Returns drafts that add the request to one list of a rule. */
function widened(site: Site, policy: string): readonly Draft[] {
  const rules = (site.fabric.policies.get(policy) ?? []).filter(({ action, services }) => action === "allow" && services.length === 0);
  return rules.flatMap((rule) => {
    const ways = rule.isMirrored ? [false, true] : [false];
    return ways.flatMap((isReversed) => {
      const [field, ...more] = missingFields(fitOf(site, rule, isReversed));
      const lists = field === undefined || more.length > 0 ? undefined : FIELDS[field];
      const list = lists?.[isReversed ? 1 : 0];
      return field === undefined || list === undefined ? [] : additions(site, policy, rule, field, list);
    });
  });
}

function additions(site: Site, policy: string, rule: PolicyRule, field: keyof Fit, list: ListField): readonly Draft[] {
  const node = find(site.place.tree, rule.path);
  if (node === undefined || find(site.place.declared, rule.path) === undefined) return [];
  const end = field === "from" ? site.from : site.to;
  const choices = field === "ports" ? [portsOf(site.service)] : waysToName(end).map((isNamed) => sidesOf(end, isNamed));
  return choices.flatMap((items): readonly Draft[] => {
    const entry = withList(node, list, (entries) => [...entries, ...rowsOf(list, items)]);
    if (isThere(site, policy, entry)) return [];
    const what = field === "ports" ? `port ${portWords(site)}` : endWords(end, items[0] ?? {});
    const summary = `add ${what} to ${list} of rule ${lastOf(policy)}: ${rule.text}`;
    return [{ kind: "member", summary, edits: [{ kind: "replace", at: rule.path, entry }] }];
  });
}

/** Returns drafts that attach a policy with a fitting rule to the network that lacks it. */
function attached(site: Site): readonly Draft[] {
  const { holders, fabric } = site;
  const [one, other, ...more] = holders;
  if (one === undefined || other === undefined || more.length > 0) return [];
  const pairs = [
    [one, other],
    [other, one],
  ] as const;
  return pairs.flatMap(([having, lacking]) =>
    having.attached.flatMap(({ policy }): readonly Draft[] => {
      const isAttached = lacking.attached.some((each) => each.policy === policy);
      const hasRule = (fabric.policies.get(policy) ?? []).some((rule) => rule.action === "allow" && meetsRequest(site, rule));
      if (isAttached || !hasRule || find(site.place.declared, networkAt(lacking.name)) === undefined) return [];
      return places(site, lacking).map((sequence): Draft => {
        const summary = `attach policy ${lastOf(policy)} to network ${lastOf(lacking.name)} (${sequenceWords(sequence)})`;
        return { kind: "member", summary, edits: [attachment(lacking, policy, sequence)] };
      });
    }),
  );
}

/** Returns sequences for a policy: before the policies that stop the request, after all others, or before all. */
function places(site: Site, network: Network): readonly Sequence[] {
  const stopping = network.attached.findIndex(({ policy }) => firstMeeting(site, policy, "deny") !== undefined);
  const last = network.attached.length;
  const wanted = [stopping === -1 ? last : stopping, 0].map((index) => sequenceBefore(network, index));
  const found = new Map(wanted.flatMap((sequence) => (sequence === undefined ? [] : [[sequenceWords(sequence), sequence] as const])));
  return [...found.values()];
}

/**
 * Returns the rules that allow the request. After a rule that names networks or addresses, the controller denies all other traffic between
 * them in its direction, and allows other traffic in the other direction. Further rules keep these flows as they were.
 */
function newRules(site: Site): readonly NewRules[] {
  const { from, to, service, holders, fabric } = site;
  const link = holders.length === 1 ? [] : new Links(fabric, aclsOf(fabric)).between(from.network, to.network);
  const isBare = link !== undefined && [from, to].some(({ range }) => range !== undefined);
  const [here, there] = [from, to].map((end) => sidesOf({ ...end, range: undefined }, true)) as [JsonObject[], JsonObject[]];
  const deny: RuleWords = { from: here, to: there, service: "any", direction: ">", action: "deny", ethertype: undefined };
  const back: RuleWords = { ...deny, from: there, to: here };
  return (isBare ? [true, false] : [true]).flatMap((isNamed): readonly NewRules[] => {
    const sides = { from: sidesOf(from, isNamed), to: sidesOf(to, isNamed) };
    const pass: RuleWords = { ...sides, service, direction: ">", action: "pass", ethertype: ethertypeOf(from, to) };
    const ends = (arrow: string) => `${endWords(from, sides.from[0] ?? {})} ${arrow} ${endWords(to, sides.to[0] ?? {})}`;
    const words = `${serviceWords(site)} ${ends(">")}`;
    const alone: NewRules = { words, above: [pass], last: [] };
    if (holders.length === 1) return [alone];
    const rest: NewRules = { words: `${words} and allow other traffic`, above: [pass], last: [{ ...pass, service: "any" }] };
    if (link !== undefined) return [alone, rest];
    return [
      alone,
      { words: `${serviceWords(site)} ${ends("<>")}`, above: [{ ...pass, direction: "<>" }], last: [] },
      { words: `${words} and deny ${to.label} > ${from.label}`, above: [back, pass], last: [] },
      { words: `${words} and deny other traffic`, above: [pass, { ...deny, direction: "<>" }], last: [] },
      { words: `${words} and deny all other traffic`, above: [back, pass, deny], last: [] },
    ];
  });
}

/** Returns drafts with new rules in policies, fewest rules first. */
function inserted(site: Site, policies: readonly string[]): readonly Draft[] {
  return newRules(site).flatMap((made) =>
    policies.flatMap((policy) => {
      const rules = site.fabric.policies.get(policy) ?? [];
      const indexes = new Set([firstMeeting(site, policy, "deny") ?? rules.length, 0]);
      return [...indexes].flatMap((index) => insertedAt(site, policy, index, made));
    }),
  );
}

/** Returns drafts with a new policy that is attached to the networks. */
function newPolicies(site: Site, note: string): Drafts {
  const { holders } = site;
  const missing = undeclared(site);
  if (missing.length > 0) return refused(`A policy cannot be attached: no document declares network ${missing.map(lastOf).join(" and ")}.`);
  const [first] = holders;
  if (first === undefined) return NONE;
  const choices = placements(site);
  if (choices.length === 0)
    return refused("A policy cannot be attached before the policies that stop the request, because no sequence is free.");
  const name = newPolicyName(site, note);
  const networks = holders.map((network) => lastOf(network.name)).join(" and ");
  const drafts = choices.flatMap((sequences) =>
    newRules(site).map(({ words: ofRules, above, last }): Draft => {
      const entry = policyEntry(name, [...above, ...last], note);
      const attachments = holders.map((network, at) => attachment(network, name, sequences[at] as Sequence));
      const at = [...new Set(sequences.map(sequenceWords))].join(" and ");
      return {
        kind: "rule",
        summary: `add policy ${lastOf(name)} (${ofRules}), attached to ${networks} (${at})`,
        edits: [{ kind: "entry", list: ROOT_PATH.child("network-policys"), entry }, ...attachments],
      };
    }),
  );
  return { drafts, obstacles: [] };
}

/** Returns one sequence for each network: at the best places, and before all policies. */
function placements(site: Site): readonly (readonly Sequence[])[] {
  const each = site.holders.map((network) => places(site, network));
  if (each.some((sequences) => sequences.length === 0)) return [];
  const first = each.map((sequences) => sequences[0] as Sequence);
  const top = each.map((sequences) => sequences.at(-1) as Sequence);
  return JSON.stringify(first) === JSON.stringify(top) ? [first] : [first, top];
}
