import { canonicalText } from "../../../core/tree/canonical.js";
import { shapeAt } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Unknown } from "../../../reachability/flows/policy.js";
import { panosShape } from "../shape.js";
import type { Found } from "./name-scopes.js";

/** Key of the values that were looked up for an unknown. */
export const lookUpKey = ({ kind, definition }: Unknown): string => `${kind} ${definition}`;

/** Children of objects that do not affect their content. */
const WITHOUT_EFFECT = new Set(["description", "tag", "disable-override", "color", "comments", "group-tag"]);

/** Returns the content of an object as canonical text, without its name. */
export function contentOf({ node, path }: Pick<Found, "node" | "path">): string {
  const children = node.children.filter(({ tag }) => !WITHOUT_EFFECT.has(tag));
  return canonicalText(new TreeNode("content", undefined, node.text, children), shapeAt(path, panosShape()));
}

/** An unknown for a name that no configuration which was read defines. */
export function unresolved(name: string, what: string): Unknown {
  return { kind: "unresolved name", definition: `${what} ${name}`, name, reason: `nothing that was read defines the ${what} "${name}"` };
}

/** An unknown for a group that contains itself. */
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

/** An unknown for an object whose content is not in the configuration. */
export function opaque(kind: string, found: Found, reason: string): Unknown {
  return { kind, definition: contentOf(found), name: found.node.name ?? "", reason };
}
