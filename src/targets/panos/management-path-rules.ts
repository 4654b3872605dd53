import { isIP } from "node:net";
import { canonicalNetwork } from "../../core/tree/canonical-network.js";
import { childByTag, find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { Danger } from "../../plan/model.js";
import { isAny, isDisabled, passes, textOf } from "./security-rule.js";

/** Fields whose members a rule admits. */
const LETTING_IN = ["from", "source", "source-user", "application", "service"];

const SHARED_ADDRESSES = Path.root.child("config").child("shared").child("address");

/**
 * Finds security rules that may block access to `address` in these zones. Allow rules: those that are deleted or admit less. Other rules:
 * those that are new, match differently, or now precede an allow rule.
 */
export function cutRules({ address }: { readonly address: string }, zones: readonly Path[], before: TreeNode, after: TreeNode): Danger[] {
  return zones.flatMap((zone) => {
    const system = zone.parent?.parent;
    if (system === undefined) return [];
    const list = system.child("rulebase").child("security").child("rules");
    const [former, next] = [before, after].map((tree) => onTheWay(find(tree, list), { zone: zone.name ?? "", address, system, tree }));
    const lost = (former ?? []).filter((rule) => passes(rule) && letsInLess(rule, next ?? []));
    const hindering = (next ?? []).filter((rule) => !passes(rule) && hindersMore(rule, former ?? [], next ?? []));
    const words = (rule: TreeNode) => `rule "${rule.name}", which is on the path to ${address}`;
    return [...lost, ...hindering].map((rule) => ({ path: list.entry(rule.name ?? ""), words: words(rule) }));
  });
}

interface Way {
  readonly zone: string;
  readonly address: string;
  readonly system: Path;
  readonly tree: TreeNode;
}

function onTheWay(list: TreeNode | undefined, way: Way): TreeNode[] {
  return (list?.children ?? []).filter(
    (rule) => !isDisabled(rule) && (isAny(rule, "to") || members(rule, "to").includes(way.zone)) && isTo(rule, way),
  );
}

function isTo(rule: TreeNode, { address, system, tree }: Way): boolean {
  if (isAny(rule, "destination") || textOf(rule, "negate-destination") === "yes") return true;
  return members(rule, "destination").some((name) => {
    const object = find(tree, system.child("address").entry(name)) ?? find(tree, SHARED_ADDRESSES.entry(name));
    return holds(object === undefined ? name : (textOf(object, "ip-netmask") ?? ""), address);
  });
}

/** Whether `10.0.0.1` or `10.0.0.0/24` contains an address. False if the text is neither. */
function holds(network: string, address: string): boolean {
  const [start = "", length] = network.split("/");
  if (isIP(start) === 0 || isIP(start) !== isIP(address)) return false;
  const width = length ?? (isIP(start) === 4 ? "32" : "128");
  return canonicalNetwork(`${start}/${width}`) === canonicalNetwork(`${address}/${width}`);
}

function letsInLess(rule: TreeNode, next: readonly TreeNode[]): boolean {
  const same = next.find(({ name }) => name === rule.name);
  if (same === undefined || !passes(same)) return true;
  return LETTING_IN.some((field) => {
    if (isAny(same, field)) return false;
    const left = members(same, field);
    return isAny(rule, field) || members(rule, field).some((member) => !left.includes(member));
  });
}

function hindersMore(rule: TreeNode, former: readonly TreeNode[], next: readonly TreeNode[]): boolean {
  const same = former.find(({ name }) => name === rule.name);
  if (same === undefined || passes(same)) return true;
  if (LETTING_IN.some((field) => [...members(rule, field)].sort().join("\n") !== [...members(same, field)].sort().join("\n"))) return true;
  const above = new Set(lettingInAbove(same, former));
  const still = lettingInAbove(rule, next);
  return [...above].some((name) => !still.includes(name) && next.some((other) => other.name === name));
}

function lettingInAbove(rule: TreeNode, rules: readonly TreeNode[]): (string | undefined)[] {
  return rules
    .slice(0, rules.indexOf(rule))
    .filter(passes)
    .map(({ name }) => name);
}

function members(rule: TreeNode, field: string): readonly string[] {
  return (childByTag(rule, field)?.children ?? []).map(({ text }) => text);
}
