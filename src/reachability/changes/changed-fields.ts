import { canonicalText } from "../../core/tree/canonical.js";
import { childByTag, shapeAt } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { listed } from "../../outcome/shorten-list.js";
import type { Limit } from "../flows/policy.js";

/** Maximum number of names per list. */
const NAMED = 6;

/** Fields of the entries of a list whose effect on flows is not computed. */
export interface UncomparedFields {
  readonly list: string;
  readonly fields: ReadonlySet<string>;
  /** Elements below the fields that decide no flow. */
  readonly ignored?: ReadonlySet<string> | undefined;
  /** Name of the entries at the start of a sentence: `Routers`. */
  readonly subject: string;
  /** What is not known if they change. */
  readonly unknown: string;
  /** Whether new and deleted entries change no reachability themselves, or have rows of their own. */
  readonly isQuiet?: boolean;
}

/** Reports changed fields whose effect on flows is not computed. Returns one doubt per list. */
export function changedFields(before: TreeNode, after: TreeNode, shape: Shape, all: readonly UncomparedFields[]): Limit[] {
  return all.flatMap((uncompared) => {
    const { list, subject, unknown, isQuiet = false } = uncompared;
    const [former, next] = [entriesOf(before, shape, uncompared), entriesOf(after, shape, uncompared)];
    const names = [...new Set([...former.keys(), ...next.keys()])].filter(
      (name) => former.get(name) !== next.get(name) && !(isQuiet && former.has(name) !== next.has(name)),
    );
    const shown = names.map((name) => name.split(":").at(-1) ?? list);
    return names.length === 0
      ? []
      : [{ text: `${subject} change (${listed(shown, NAMED)}): ${unknown} is not compared.`, doubtful: true, isOfChange: true }];
  });
}

function entriesOf(root: TreeNode, shape: Shape, { list, fields, ignored }: UncomparedFields): ReadonlyMap<string, string> {
  const entries = childByTag(root, list)?.children ?? [];
  const place = Path.root.child(root.tag).child(list).child("entry");
  const textOf = (child: TreeNode) => canonicalText(without(child, ignored), shapeAt(place.child(child.tag), shape));
  return new Map(
    entries.map((entry) => [
      entry.name ?? "",
      entry.children
        .filter(({ tag }) => fields.has(tag))
        .map(textOf)
        .sort()
        .join("\n"),
    ]),
  );
}

function without(node: TreeNode, ignored: ReadonlySet<string> | undefined): TreeNode {
  if (ignored === undefined || node.children.length === 0) return node;
  const children = node.children.filter(({ tag }) => !ignored.has(tag)).map((child) => without(child, ignored));
  return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}
