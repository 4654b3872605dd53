import type { Draft, Drafts } from "../../../access/designer.js";
import type { Edit } from "../../../access/edit.js";
import { find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { ROOT_PATH } from "../collections.js";
import { lastOf, type PolicyRule } from "../policy/fabric.js";
import { attachment, endWords, insertedAt, type NewRules, newPolicyName, serviceWords } from "./policy-edits.js";
import { ethertypeOf, type ListField, policyEntry, type RuleWords, sidesOf, withList } from "./rule-rows.js";
import { sequenceBefore, sequenceWords } from "./sequence.js";
import { arePortsWithin, firstMeeting, hasDeclaredRules, isSideWithin, meetsRequest, networkAt, policiesAt, type Site } from "./site.js";

/** Maximum number of edits that are compared with the request. */
const MOST_DRAFTS = 40;

/**
 * Returns edits that may close the request, narrowest first: removed entries of rules, removed rules, deny rules, and detached policies.
 */
export function closingDrafts(site: Site): Drafts {
  const policies = policiesAt(site.holders);
  const declared = policies.filter((policy) => hasDeclaredRules(site.place, policy));
  const obstacles = policies
    .filter((policy) => !declared.includes(policy))
    .map((policy) => `No document declares the rules of policy ${lastOf(policy)}.`);
  const ways = declared.flatMap((policy) =>
    (site.fabric.policies.get(policy) ?? [])
      .filter((rule) => rule.action === "allow" && meetsRequest(site, rule))
      .map((rule) => narrowed(site, policy, rule)),
  );
  const drafts = [
    ...ways.flat().filter(({ kind }) => kind === "member"),
    ...ways.flat().filter(({ kind }) => kind === "rule"),
    ...(ways.length > 1 ? [together(ways.map((each) => each[0])), together(ways.map((each) => each.at(-1)))] : []),
    ...declared.flatMap((policy) => denied(site, policy)),
    ...newPolicies(site),
    ...detached(site, policies),
  ];
  return { drafts: drafts.flatMap((draft) => draft ?? []).slice(0, MOST_DRAFTS), obstacles };
}

/** Returns drafts that remove flows of the request from one rule: entries of a list, and then the rule. */
function narrowed(site: Site, policy: string, rule: PolicyRule): readonly Draft[] {
  const node = find(site.place.tree, rule.path);
  if (node === undefined || find(site.place.declared, rule.path) === undefined) return [];
  const name = `rule ${lastOf(policy)}: ${rule.text}`;
  const lists = [
    ["src_addresses", rule.sources.map((side) => isSideWithin(side, site.from))],
    ["dst_addresses", rule.destinations.map((side) => isSideWithin(side, site.to))],
    ["dst_ports", rule.destinationPorts.map((ports) => arePortsWithin(ports, site.service))],
  ] as const;
  const entries = lists.flatMap(([list, isGone]) => withoutEntries(node, rule, { list, isGone, name }));
  return [...entries, { kind: "rule", summary: `remove ${name}`, edits: [{ kind: "remove", at: rule.path }] }];
}

interface Removed {
  readonly list: ListField;
  /** Whether each entry of the list is removed. */
  readonly isGone: readonly boolean[];
  readonly name: string;
}

function withoutEntries(node: TreeNode, { path }: PolicyRule, { list, isGone, name }: Removed): readonly Draft[] {
  if (!isGone.includes(true) || !isGone.includes(false)) return [];
  const entry = withList(node, list, (entries) => entries.filter((_, at) => isGone[at] !== true));
  const siblings = [...isGone.keys()].filter((at) => isGone[at]).length;
  const what = siblings === 1 ? "the entry" : `${siblings} entries`;
  return [
    { kind: "member", summary: `remove ${what} of the request from ${list} of ${name}`, edits: [{ kind: "replace", at: path, entry }] },
  ];
}

/** Combines one draft for each of several rules. */
function together(drafts: readonly (Draft | undefined)[]): Draft | undefined {
  const all = drafts.flatMap((draft) => draft ?? []);
  if (all.length < drafts.length) return undefined;
  return { kind: "rule", summary: all.map(({ summary }) => summary).join(", "), edits: all.flatMap(({ edits }) => edits) };
}

/**
 * Returns the rules that deny the request. After a rule that names networks or addresses, the controller denies all other traffic between
 * them. A further rule allows what was allowed.
 */
function denyRules(site: Site): readonly NewRules[] {
  const { from, to, service } = site;
  const isBare = [from, to].some(({ range }) => range !== undefined);
  return (isBare ? [true, false] : [true]).flatMap((isNamed): readonly NewRules[] => {
    const sides = { from: sidesOf(from, isNamed), to: sidesOf(to, isNamed) };
    const deny: RuleWords = { ...sides, service, direction: ">", action: "deny", ethertype: ethertypeOf(from, to) };
    const every = isNamed ? { from: waysOf(site, "from"), to: waysOf(site, "to") } : sides;
    const rest: RuleWords = { ...deny, ...every, service: "any", action: "pass", ethertype: isNamed ? undefined : deny.ethertype };
    const words = `deny ${serviceWords(site)} ${endWords(from, sides.from[0] ?? {})} > ${endWords(to, sides.to[0] ?? {})}`;
    return [
      { words, above: [deny], last: [] },
      { words: `${words} and allow other traffic`, above: [deny], last: [rest] },
    ];
  });
}

/** Returns the side of a rule for all addresses of the network of an end. */
function waysOf(site: Site, end: "from" | "to") {
  return sidesOf({ ...site[end], range: undefined }, true);
}

function denied(site: Site, policy: string): readonly Draft[] {
  const first = firstMeeting(site, policy, "allow");
  const rules = site.fabric.policies.get(policy) ?? [];
  const indexes = new Set([first ?? rules.length, 0]);
  return [...indexes].flatMap((index) => denyRules(site).flatMap((made) => insertedAt(site, policy, index, made)));
}

/** Returns drafts with a new policy that denies the request in one of the networks, before the policies that allow it. */
function newPolicies(site: Site): readonly Draft[] {
  const name = newPolicyName(site, "");
  return site.holders.flatMap((network) => {
    if (find(site.place.declared, networkAt(network.name)) === undefined) return [];
    const index = network.attached.findIndex(({ policy }) => firstMeeting(site, policy, "allow") !== undefined);
    const sequence = sequenceBefore(network, index === -1 ? network.attached.length : index);
    if (sequence === undefined) return [];
    return denyRules(site).map(({ words, above, last }): Draft => {
      const edits: readonly Edit[] = [
        { kind: "entry", list: ROOT_PATH.child("network-policys"), entry: policyEntry(name, [...above, ...last], "") },
        attachment(network, name, sequence),
      ];
      const where = `attached to ${lastOf(network.name)} (${sequenceWords(sequence)})`;
      return { kind: "rule", summary: `add policy ${lastOf(name)} (${words}), ${where}`, edits };
    });
  });
}

/** Returns drafts that detach a policy with an allowing rule from one of the networks. */
function detached(site: Site, policies: readonly string[]): readonly Draft[] {
  return site.holders.flatMap((network) =>
    policies.flatMap((policy): readonly Draft[] => {
      const at = networkAt(network.name).child("network_policy_refs").entry(policy);
      if (firstMeeting(site, policy, "allow") === undefined || find(site.place.declared, at) === undefined) return [];
      const summary = `detach policy ${lastOf(policy)} from network ${lastOf(network.name)}`;
      return [{ kind: "rule", summary, edits: [{ kind: "remove", at }] }];
    }),
  );
}
