import type { Operation } from "../../src/core/operation.js";
import { find } from "../../src/core/tree/lookup.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { Entries } from "./script.js";

/** A rulebase and a second virtual system, which some histories of a firewall have. */
export interface RulesScript {
  /** The rulebase is shared, and the declared rules follow `base`, a rule of another administrator. Otherwise unmanaged rules are drift. */
  readonly hasAnchor: boolean;
  /** A second document declares an address in `vsys2`, which another administrator creates. */
  readonly hasPlace: boolean;
  /** Another administrator repairs the rulebase and the virtual system before the final runs. */
  readonly isRepaired: boolean;
}

/** A change of another administrator: `add` an unmanaged rule, `move` it or a declared rule to the top, or `restore` the initial state. */
export type RulesChange = "add" | "move" | "delete-anchor" | "delete-place" | "restore";

const SYSTEMS = parsePath("/config/devices/entry[@name='localhost.localdomain']/vsys");
const RULES = SYSTEMS.entry("vsys1").child("rulebase").child("security").child("rules");
const PLACE = SYSTEMS.entry("vsys2");
export const ANCHOR = "base";
const UNMANAGED = "extra";
const ACTIONS = ["allow", "deny", "drop"] as const;

/** Returns the declared rules in their order: one for each address `aN`. Their order and their actions depend on the values. */
function declaredRules(entries: Entries): readonly { readonly name: string; readonly action: string }[] {
  return Object.entries(entries)
    .filter(([name]) => /^a\d$/.test(name))
    .sort(([a, left], [b, right]) => (left === right ? (a < b ? -1 : 1) : left < right ? -1 : 1))
    .map(([name, value]) => ({ name: name.replace("a", "r"), action: ACTIONS[(Number(value.at(-1)) - 1) % ACTIONS.length] ?? "allow" }));
}

/** Returns everything that a commit declares, by name: addresses, rules with their actions, and the address in the second virtual system. */
export function withRules(entries: Entries, script: RulesScript | undefined): Entries {
  if (script === undefined) return entries;
  const rules = Object.fromEntries(declaredRules(entries).map(({ name, action }) => [name, action]));
  return { ...entries, ...rules, ...(script.hasPlace ? { p1: placeValue(entries) } : {}) };
}

function placeValue(entries: Entries): string {
  return Object.values(entries)[0] ?? "10.0.0.1";
}

/** Returns the lines of the main document that declare the rules. */
export function rulesLines(entries: Entries, { hasAnchor }: RulesScript): string[] {
  const rules = declaredRules(entries);
  if (rules.length === 0) return [];
  const lists = "from: [any], to: [any], source: [10.1.0.0/16], destination: [any], application: [any], service: [any]";
  return [
    "  rulebase:",
    "    security:",
    "      rules:",
    ...(hasAnchor ? [`        $position: { after: ${ANCHOR} }`] : []),
    "        $entries:",
    ...rules.map(({ name, action }) => `          - { name: ${name}, ${lists}, action: ${action} }`),
  ];
}

export function ownsLines(entries: Entries, { hasAnchor }: RulesScript): string[] {
  return hasAnchor && declaredRules(entries).length > 0 ? ["owns: { rulebase/security/rules: shared }"] : [];
}

/** Returns the document about the second virtual system. */
export function placeDocument(entries: Entries): string {
  return `target: edge\nscope: vsys2\nconfig: { address: { p1: { ip-netmask: ${placeValue(entries)} } } }\n`;
}

/** Creates in a configuration what other administrators have before the first run. */
export function initialOperations({ hasAnchor, hasPlace }: RulesScript): Operation[] {
  return [
    ...(hasAnchor ? [{ action: "set" as const, at: RULES, element: ruleNode(ANCHOR) }] : []),
    ...(hasPlace ? [{ action: "set" as const, at: SYSTEMS, element: systemNode() }] : []),
  ];
}

/** Returns the operations of a change. `tree`: the candidate. */
export function operationsOf(change: RulesChange, tree: TreeNode, script: RulesScript): Operation[] {
  const names = ruleNames(tree);
  switch (change) {
    case "add":
      return [
        { action: "set", at: RULES, element: ruleNode(UNMANAGED) },
        { action: "move", at: RULES.entry(UNMANAGED), where: "top" },
      ];
    case "move": {
      const last = names.at(-1);
      return last === undefined ? [] : [{ action: "move", at: RULES.entry(last), where: "top" }];
    }
    case "delete-anchor":
      return names.includes(ANCHOR) ? [{ action: "delete", at: RULES.entry(ANCHOR) }] : [];
    case "delete-place":
      return find(tree, PLACE) === undefined ? [] : [{ action: "delete", at: PLACE }];
    default:
      return restoring(names, tree, script);
  }
}

function restoring(names: readonly string[], tree: TreeNode, { hasAnchor, hasPlace }: RulesScript): Operation[] {
  const isAnchorGone = hasAnchor && !names.includes(ANCHOR);
  return [
    ...(names.includes(UNMANAGED) ? [{ action: "delete" as const, at: RULES.entry(UNMANAGED) }] : []),
    ...(isAnchorGone ? [{ action: "set" as const, at: RULES, element: ruleNode(ANCHOR) }] : []),
    ...(hasPlace && find(tree, PLACE) === undefined ? [{ action: "set" as const, at: SYSTEMS, element: systemNode() }] : []),
  ];
}

/** Returns the names of the rules in their order. */
export function ruleNames(tree: TreeNode): readonly string[] {
  return (find(tree, RULES)?.children ?? []).map(({ name = "" }) => name);
}

/** Returns the actions of the rules and the addresses of the second virtual system, by name. */
export function otherEntries(tree: TreeNode): [string, string][] {
  const rules = find(tree, RULES)?.children ?? [];
  const addresses = find(tree, PLACE.child("address"))?.children ?? [];
  return [
    ...rules.map(({ name = "", children }): [string, string] => [name, children.find(({ tag }) => tag === "action")?.text ?? ""]),
    ...addresses.map(({ name = "", children }): [string, string] => [name, children.map(({ text }) => text).join(" ")]),
  ];
}

export function hasPlace(tree: TreeNode): boolean {
  return find(tree, PLACE) !== undefined;
}

function ruleNode(name: string): TreeNode {
  const lists = ["from", "to", "source", "destination", "application", "service"];
  const any = (tag: string) => new TreeNode(tag, undefined, "", [new TreeNode("member", undefined, "any")]);
  return new TreeNode("entry", name, "", [...lists.map(any), new TreeNode("action", undefined, "allow")]);
}

function systemNode(): TreeNode {
  return new TreeNode("entry", "vsys2", "", [new TreeNode("address")]);
}
