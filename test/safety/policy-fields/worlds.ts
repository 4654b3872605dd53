import { applyOperation } from "../../../src/core/apply-operation.js";
import { cloneTree, UndoLog } from "../../../src/core/tree/edit/edit-tree.js";
import { childAt, find } from "../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import type { TargetConfiguration } from "../../../src/desired/configuration/configuration.js";
import type { Insight } from "../../../src/outcome/insight.js";
import { type InsightSource, insightOf } from "../../../src/reachability/changes/insight.js";
import type { PolicyRole } from "../../../src/reachability/policy-role.js";
import type { Field } from "./fields.js";

/** Values of a field before and after its change. `names`: entries on the way to it, instead of the usual ones. */
export interface Change {
  /** Undefined: the field does not exist. */
  readonly before: string | readonly string[] | undefined;
  readonly after: string | readonly string[];
  readonly names?: Readonly<Record<string, string>>;
}

/** A configuration that uses every kind of definition, and the names of its entries by list. */
export interface World {
  readonly role: PolicyRole;
  readonly configuration: TargetConfiguration;
  readonly tree: TreeNode;
  readonly names: Readonly<Record<string, string>>;
}

const CHANGES: Record<Field["form"], Change> = {
  leaf: { before: "one", after: "two" },
  members: { before: ["one"], after: ["two"] },
  list: { before: "one", after: "two" },
  container: { before: undefined, after: "two" },
};

/** Result of a change: a row or a new doubt, a section that reports nothing about the change, or no section. */
export type Reaction = "reported" | "silent" | "no section";

/** Changes one field of a world, and returns whether the reachability section reports it. */
export async function reactionTo(world: World, field: Field, change: Change = CHANGES[field.form]): Promise<Reaction> {
  const section = await sectionOf(world, field, change, true);
  if (section === undefined) return "no section";
  if (section.scopes.some(({ rows, notes, idle, undecided }) => rows.length + notes.length + idle.length + undecided.length > 0))
    return "reported";
  const unchanged = await sectionOf(world, field, change, false);
  const known = new Set(doubtsOf(unchanged));
  return doubtsOf(section).some((doubt) => !known.has(doubt)) ? "reported" : "silent";
}

const doubtsOf = (section: Insight | undefined): string[] => (section?.scopes ?? []).flatMap(({ doubts }) => doubts);

async function sectionOf(world: World, field: Field, change: Change, isChanged: boolean): Promise<Insight | undefined> {
  const path = pathOf(world, field.tags, change.names);
  const base = cloneTree(world.tree);
  for (const other of field.others) {
    const rival = pathOf(world, other, change.names);
    if (find(base, rival) !== undefined) applyOperation(base, { action: "delete", at: rival }, new UndoLog());
  }
  if (change.before !== undefined)
    applyOperation(base, { action: "edit", at: path, element: nodeOf(path, field.form, change.before) }, new UndoLog());
  else if (find(base, path) !== undefined) applyOperation(base, { action: "delete", at: path }, new UndoLog());
  const edit = { action: "edit", at: path, element: nodeOf(path, field.form, change.after) };
  const operations = isChanged ? [{ operation: edit }] : [];
  const source = {
    target: { read: async (subtrees: readonly Path[]) => partOf(base, subtrees) },
    plan: { operations, remaining: [] },
    live: { subtrees: [path], candidate: partOf(base, [path]) },
    desired: { root: world.tree, sources: { locate: () => undefined } },
    configuration: world.configuration,
    changed: [path],
    view: "candidate",
  } as unknown as InsightSource;
  const section = await insightOf(world.role, source, "forward");
  if (section?.failure !== undefined) throw new Error(`${path}: ${section.failure}`);
  return section;
}

function pathOf({ tree, names }: World, tags: readonly string[], own: Change["names"] = {}): Path {
  return tags.reduce((path, tag, at) => {
    const list = tags[at - 1] ?? "";
    const isFirewall = list === "devices" && at > 1 && tags[at - 2] !== "config";
    return tag === "*" ? path.entry(own[list] ?? names[isFirewall ? "firewalls" : list] ?? "one") : path.child(tag);
  }, Path.root.child(tree.tag));
}

/** Builds a field. A list or container of unknown content gets one entry or element. */
function nodeOf({ tag, name }: Path, form: Field["form"], value: string | readonly string[]): TreeNode {
  if (typeof value !== "string")
    return new TreeNode(
      tag,
      name,
      "",
      value.map((text) => new TreeNode("member", undefined, text)),
    );
  if (form === "leaf") return new TreeNode(tag, name, value);
  const inner = form === "list" ? new TreeNode("entry", value, "") : new TreeNode("setting", undefined, value);
  return new TreeNode(tag, name, "", [inner]);
}

/** Returns only these subtrees, as a reader does. */
function partOf(root: TreeNode, subtrees: readonly Path[], at: Path = Path.root.child(root.tag)): TreeNode {
  if (subtrees.some((path) => path.contains(at))) return root;
  const steps = subtrees.filter((path) => at.contains(path)).map((path) => path.steps()[at.depth]);
  const kept = root.children.filter((child) => steps.some((step) => step !== undefined && childAt(root, step) === child));
  const children = kept.map((child) =>
    partOf(child, subtrees, child.name === undefined ? at.child(child.tag) : at.entry(child.name, child.tag)),
  );
  return new TreeNode(root.tag, root.name, "", children, root.attributes);
}
