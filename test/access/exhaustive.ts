import { withEdits } from "../../src/access/edit.js";
import { find } from "../../src/core/tree/lookup.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { ADDRESS_WORDS, APPLICATION_WORDS, SERVICE_WORDS, type Wanted, ZONES } from "./worlds.js";

const SYSTEM = parsePath("/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']");
export const RULES = SYSTEM.child("rulebase").child("security").child("rules");

const LISTS = ["from", "to", "source", "destination", "service", "application"] as const;

function wordsOf(list: (typeof LISTS)[number], wanted: Wanted): readonly string[] {
  if (list === "from" || list === "to") return ZONES;
  if (list === "service") return SERVICE_WORDS;
  if (list === "application") return APPLICATION_WORDS;
  return [...ADDRESS_WORDS, ...[wanted.source, wanted.destination].flatMap((text) => text ?? [])];
}

/** Every tree with one more member in a list of a rule or in a group of the virtual system. */
export function* singleMembers(tree: TreeNode, wanted: Wanted): Generator<{ readonly what: string; readonly tree: TreeNode }> {
  for (const rule of find(tree, RULES)?.children ?? []) {
    for (const tag of LISTS) {
      const members = rule.children.find((each) => each.tag === tag)?.children.map(({ text }) => text) ?? [];
      if (members.includes("any") || members.includes("application-default")) continue;
      for (const word of wordsOf(tag, wanted)) {
        if (members.includes(word)) continue;
        const list = RULES.entry(rule.name ?? "").child(tag);
        yield { what: `${word} in ${tag} of ${rule.name}`, tree: withEdits(tree, [{ kind: "member", list, member: word }]) };
      }
    }
  }
  const groups = [
    ["address-group", "static", ["h0", "h1", "low"]],
    ["service-group", "members", ["web", "tcp-443"]],
    ["application-group", "members", ["own-web", "ssl", "postgres"]],
  ] as const;
  for (const [list, tag, words] of groups)
    for (const group of find(tree, SYSTEM.child(list))?.children ?? [])
      for (const word of words) {
        const at = SYSTEM.child(list)
          .entry(group.name ?? "")
          .child(tag);
        yield { what: `${word} in ${group.name}`, tree: withEdits(tree, [{ kind: "member", list: at, member: word }]) };
      }
}

/** Every tree with one new rule for exactly the request, at each place. */
export function* singleRules(
  tree: TreeNode,
  wanted: Wanted,
  service: string,
): Generator<{ readonly what: string; readonly tree: TreeNode }> {
  const list = (tag: string, text: string) => new TreeNode(tag, undefined, "", [new TreeNode("member", undefined, text)]);
  const entry = new TreeNode("entry", "made", "", [
    list("from", wanted.from),
    list("to", wanted.to),
    list("source", wanted.source ?? "any"),
    list("destination", wanted.destination ?? "any"),
    list("application", wanted.application),
    list("service", service),
    new TreeNode("action", undefined, "allow"),
  ]);
  const names = ["", ...(find(tree, RULES)?.children ?? []).map(({ name = "" }) => name)];
  for (const after of names) yield { what: `rule after "${after}"`, tree: withEdits(tree, [{ kind: "entry", list: RULES, entry, after }]) };
}

/** The tree without one rule. */
export function withoutRule(tree: TreeNode, name: string): TreeNode {
  const copy = withEdits(tree, []);
  const rules = find(copy, RULES);
  if (rules !== undefined) rules.children = rules.children.filter((rule) => rule.name !== name);
  return copy;
}
