import { canonicalText } from "../../../core/tree/canonical.js";
import { shapeAt } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Unknown } from "../../../insight/policy.js";
import { panosShape } from "../shape.js";
import type { Found } from "./name-scopes.js";

/** By which what was looked up of it is known. */
export const lookUpKey = ({ kind, definition }: Unknown): string => `${kind} ${definition}`;

/** Children of any object that say nothing of what it holds. */
const SAYS_NOTHING = new Set(["description", "tag", "disable-override", "color", "comments", "group-tag"]);

/** All that an object says of what it holds, in one spelling, its own name left out. */
export function contentOf({ node, path }: Pick<Found, "node" | "path">): string {
  const children = node.children.filter(({ tag }) => !SAYS_NOTHING.has(tag));
  return canonicalText(new TreeNode("content", undefined, node.text, children), shapeAt(path, panosShape()));
}

/** A name that nothing defines, as far as the configuration was read. */
export function unresolved(name: string, what: string): Unknown {
  return { kind: "unresolved name", definition: `${what} ${name}`, name, reason: `nothing that was read defines the ${what} "${name}"` };
}

/** What stands in place of a group that holds itself. */
export function cycle(names: readonly string[]): Unknown {
  const ring = [...names].sort();
  const [name = ""] = names;
  return {
    kind: "group that holds itself",
    definition: ring.join(" "),
    name,
    reason: `${names.join(" > ")} > ${name} is a ring of groups`,
  };
}

/** An object whose content is another matter than its text. */
export function opaque(kind: string, found: Found, reason: string): Unknown {
  return { kind, definition: contentOf(found), name: found.node.name ?? "", reason };
}
