import type { Draft } from "../../../access/designer.js";
import type { Edit } from "../../../access/edit.js";
import { freeName } from "../../../access/rule-name.js";
import { find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import { parentOf } from "../collections.js";
import { lastOf, type Network } from "../policy/fabric.js";
import type { End } from "./ends.js";
import { type RuleWords, ruleRow, rulesAt } from "./rule-rows.js";
import type { Sequence } from "./sequence.js";
import { networkAt, type Site } from "./site.js";

const USUAL_NAME = "{from}-to-{to}";
const LONGEST_NAME = 120;

/** New rules: directly above the rule that stops the request, and at the end of the policy. */
export interface NewRules {
  readonly words: string;
  readonly above: readonly RuleWords[];
  readonly last: readonly RuleWords[];
}

/** Returns a draft with new rules in a policy, above the rule at an index. Empty if the policy has one of these rules. */
export function insertedAt(site: Site, policy: string, index: number, { words, above, last }: NewRules): readonly Draft[] {
  const rows = find(site.place.tree, rulesAt(policy))?.children ?? [];
  const list = rulesAt(policy);
  const edits: Edit[] = [];
  const add = (words: readonly RuleWords[], start: string) => {
    let after = start;
    for (const entry of words.map(ruleRow)) {
      edits.push({ kind: "entry", list, entry, after });
      after = entry.name ?? "";
    }
  };
  add(above, rows[index - 1]?.name ?? "");
  const end = index === rows.length ? above.map(ruleRow).at(-1)?.name : rows.at(-1)?.name;
  add(last, end ?? "");
  const names = edits.flatMap((edit) => (edit.kind === "entry" ? [edit.entry] : []));
  if (names.some((entry) => isThere(site, policy, entry)) || new Set(names.map(({ name }) => name)).size < names.length) return [];
  const below = site.fabric.policies.get(policy)?.[index];
  const where = below === undefined ? "at the end" : `above rule ${below.text}`;
  return [{ kind: "rule", summary: `add rule ${words} to policy ${lastOf(policy)}, ${where}`, edits }];
}

/** Returns whether a policy has a rule with the key of another one. */
export function isThere({ place }: Site, policy: string, { name }: TreeNode): boolean {
  return (find(place.tree, rulesAt(policy))?.children ?? []).some((each) => each.name === name);
}

/** Whether a rule names the network of an end. If an end has addresses, they alone may be enough. */
export function waysToName({ range }: End): readonly boolean[] {
  return range === undefined ? [true] : [true, false];
}

/** Returns the service of a request for users: `tcp/22`. */
export function serviceWords(site: Site): string {
  const { protocol, ports } = site.service;
  return ports.length === 0 ? protocol : `${protocol}/${portWords(site)}`;
}

export const portWords = ({ service }: Site): string =>
  service.ports.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join(",");

/** Returns an end for users: `10.1.0.5 of web`, or only its address if the rule does not name the network. */
export function endWords({ label, text, range }: End, item: object): string {
  if (range === undefined) return label;
  return "virtual_network" in item ? `${text} of ${label}` : text;
}

/** Returns the edit that attaches a policy to a network. */
export function attachment({ name }: Network, policy: string, { major, minor }: Sequence): Edit {
  const leaf = (tag: string, value: number) => new TreeNode(tag, undefined, String(value));
  const sequence = new TreeNode("sequence", undefined, "", [leaf("major", major), leaf("minor", minor)]);
  return { kind: "entry", list: networkAt(name).child("network_policy_refs"), entry: new TreeNode("entry", policy, "", [sequence]) };
}

/** Returns a free name for a policy in the project of the first network. */
export function newPolicyName(site: Site, note: string): string {
  const { holders, from, to, fabric, place } = site;
  const project = parentOf(holders[0]?.name ?? "");
  const service = serviceWords(site);
  const words = { from: nameOf(from), to: nameOf(to), service, application: service, note };
  const isTaken = (name: string) => fabric.policies.has(`${project}:${name}`);
  return `${project}:${freeName(place.conventions?.ruleName ?? USUAL_NAME, words, isTaken, { longest: LONGEST_NAME })}`;
}

function nameOf({ label, text, range }: End): string {
  return range === undefined ? lastOf(label) : text;
}
