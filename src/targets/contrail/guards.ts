import type { Path } from "../../core/tree/path.js";
import { DesiredNode } from "../../desired/model.js";
import type { KindGuards } from "../../plan/model.js";
import { hasParent, PARENT, parentOf } from "./collections.js";
import { isSystemObject } from "./system-objects.js";

/** Guards of a controller: the networks and IPAMs that the controller itself needs. */
export const contrailGuards: KindGuards = {
  management(path) {
    const object = objectOf(path);
    return object?.name !== undefined && isSystemObject(object.name) ? "an object that the controller itself lives by" : undefined;
  },
  meaning: () => undefined,
  neverPruned: (entry) => entry.depth === OBJECT_DEPTH && entry.name !== undefined && (isSystemObject(entry.name) || isDefaultGroup(entry)),
  inWordsOfLive: withParents,
};

/** The default group of every project. Ports use it if no other group is set. */
function isDefaultGroup({ name, parent }: Path): boolean {
  return parent?.tag === "security-groups" && name?.endsWith(":default") === true;
}

/** Adds the `parent` child, which orders the operations. In the desired tree, the parent is only part of the object's name. */
function withParents(desired: DesiredNode): DesiredNode {
  return withChildren(
    desired,
    desired.children.map((list) => (hasParent(list.tag) ? withChildren(list, list.children.map(withParent)) : list)),
  );
}

function withParent(entry: DesiredNode): DesiredNode {
  const { origin, prunes, declared, name = "" } = entry;
  const parent = new DesiredNode(PARENT, undefined, parentOf(name), [], { origin, prunes, declared });
  return withChildren(entry, [...entry.children.filter(({ tag }) => tag !== PARENT), parent]);
}

function withChildren(of: DesiredNode, children: readonly DesiredNode[]): DesiredNode {
  return new DesiredNode(of.tag, of.name, of.text, children, of);
}

/** `/contrail/<list>/entry` */
const OBJECT_DEPTH = 3;

function objectOf(path: Path): Path | undefined {
  let at: Path | undefined = path;
  while (at !== undefined && at.depth > OBJECT_DEPTH) at = at.parent;
  return at?.depth === OBJECT_DEPTH ? at : undefined;
}
