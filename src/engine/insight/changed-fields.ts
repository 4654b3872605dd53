import { canonicalText } from "../../core/tree/canonical.js";
import { childByTag, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { Limit } from "../../insight/policy.js";
import { listed } from "../../outcome/listed.js";

/** Maximum number of names per list. */
const NAMED = 6;

/** Fields of the entries of a list whose effect on flows is not computed. */
export interface UncomparedFields {
  readonly list: string;
  readonly fields: ReadonlySet<string>;
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

function entriesOf(root: TreeNode, shape: Shape, { list, fields }: UncomparedFields): ReadonlyMap<string, string> {
  const entries = childByTag(root, list)?.children ?? [];
  const place = Path.root.child(root.tag).child(list).child("entry");
  const textOf = (child: TreeNode) => canonicalText(child, shapeAt(place.child(child.tag), shape));
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
