import type { Operation } from "../../core/operation.js";
import { find } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Trial, Trials } from "../../engine/capability-trials.js";
import { scopePath } from "./scope.js";

/** Content of a new virtual system. */
const BARE: ReadonlySet<string> = new Set(["display-name"]);
const [ONE, TWO, THREE, GROUP] = ["plumbline-doctor-1", "plumbline-doctor-2", "plumbline-doctor-3", "plumbline-doctor-group"] as const;

/** Questions that docs/contributing/devices/panos.md marks as not verified and that a test in an empty virtual system can answer. */
export const panosTrials: Trials = {
  place: (word) => (/^vsys\d+$/.test(word) ? scopePath(word) : undefined),
  isScratch: (node) => node.children.every(isBare),
  at: (vsys) => [renameKeepsReferences(vsys), memberIsEditedInPlace(vsys), batchIsInOrder(vsys), editKeepsPlace(vsys)],
};

/** Empty containers count as no content. */
function isBare(node: TreeNode): boolean {
  return BARE.has(node.tag) || (node.name === undefined && node.text === "" && node.children.every(isBare));
}

function renameKeepsReferences(vsys: Path): Trial {
  return {
    name: "renameKeepsReferences",
    question: "references follow when an object is renamed",
    batches: [[address(vsys, ONE), group(vsys, ONE)], [{ action: "rename", at: vsys.child("address").entry(ONE), newName: TWO }]],
    answer: ({ after, refusal }) => yes(refusal === undefined && members(after, vsys).join() === TWO),
  };
}

function memberIsEditedInPlace(vsys: Path): Trial {
  const list = staticOf(vsys);
  return {
    name: "memberIsEditedInPlace",
    question: "editing a member by its text changes no other member",
    batches: [
      [address(vsys, ONE), address(vsys, TWO), address(vsys, THREE), group(vsys, ONE, TWO)],
      [{ action: "edit", at: list.member(ONE), element: new TreeNode("member", undefined, THREE) }],
    ],
    answer: ({ after, refusal }) => yes(refusal === undefined && [...members(after, vsys)].sort().join() === [TWO, THREE].join()),
  };
}

function batchIsInOrder(vsys: Path): Trial {
  return {
    name: "batchIsInOrder",
    question: "operations of a batch are done in their order",
    needsBatches: true,
    batches: [[address(vsys, ONE), group(vsys, ONE), group(vsys, ONE), { action: "delete", at: vsys.child("address-group").entry(GROUP) }]],
    answer: ({ after, refusal }) =>
      yes(refusal === undefined && members(after, vsys).length === 0 && find(after, vsys.child("address").entry(ONE)) !== undefined),
  };
}

function editKeepsPlace(vsys: Path): Trial {
  const rules = vsys.child("rulebase").child("security").child("rules");
  const names = [ONE, TWO, THREE];
  const order = (tree: TreeNode) => (find(tree, rules)?.children ?? []).map(({ name }) => name).join();
  return {
    name: "editKeepsPlace",
    question: "an edited rule keeps its place",
    batches: [
      names.map((name): Operation => ({ action: "set", at: rules, element: rule(name, "before") })),
      [{ action: "edit", at: rules.entry(ONE), element: rule(ONE, "after") }],
    ],
    answer: ({ before, after, refusal }) => yes(refusal === undefined && order(before) === names.join() && order(after) === order(before)),
  };
}

function yes(is: boolean): "yes" | "no" {
  return is ? "yes" : "no";
}

function staticOf(vsys: Path): Path {
  return vsys.child("address-group").entry(GROUP).child("static");
}

function members(tree: TreeNode, vsys: Path): readonly string[] {
  return (find(tree, staticOf(vsys))?.children ?? []).map(({ text }) => text);
}

function address(vsys: Path, name: string): Operation {
  const element = new TreeNode("entry", name, "", [new TreeNode("ip-netmask", undefined, "192.0.2.1")]);
  return { action: "set", at: vsys.child("address"), element };
}

function group(vsys: Path, ...names: string[]): Operation {
  const list = new TreeNode(
    "static",
    undefined,
    "",
    names.map((name) => new TreeNode("member", undefined, name)),
  );
  return { action: "set", at: vsys.child("address-group"), element: new TreeNode("entry", GROUP, "", [list]) };
}

function rule(name: string, description: string): TreeNode {
  const any = (tag: string) => new TreeNode(tag, undefined, "", [new TreeNode("member", undefined, "any")]);
  const lists = ["from", "to", "source", "destination", "application", "service"].map(any);
  return new TreeNode("entry", name, "", [
    ...lists,
    new TreeNode("action", undefined, "deny"),
    new TreeNode("description", undefined, description),
  ]);
}
