import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { parseXPath, select } from "../../core/tree/xpath/xpath.js";
import { DesiredNode, type Ignore } from "../../desired/model.js";

/** Ignored nodes, as a tree of their paths. */
interface Mark {
  readonly step: Path;
  ignored: boolean;
  readonly below: Map<string, Mark>;
}

/**
 * Marks the nodes that `ignores` select, in the live tree or in desired state, with `handling.ignored`. Ignored undeclared live nodes
 * become undeclared stubs, so that neither `extra` nor the ledger deletes them. The given trees are not changed; unaffected nodes are
 * shared.
 *
 * Expired ignores protect as before; the plan refuses them (docs/guards.md#guards).
 */
export function applyIgnores(desired: DesiredNode, live: TreeNode, ignores: readonly Ignore[]): DesiredNode {
  if (ignores.length === 0) return desired;
  const marks = new Map<string, Mark>();
  for (const ignore of ignores) {
    const expression = parseXPath(ignore.path);
    for (const { path } of select(live, expression)) addMark(marks, path);
    for (const { path } of select(desired, expression)) addMark(marks, path);
  }
  const root = marks.get(keyOf(desired));
  return root === undefined ? desired : marked(desired, root);
}

/** Returns desired state with the nodes at or below `paths` ignored. */
export function leaveOut(desired: DesiredNode, paths: readonly Path[]): DesiredNode {
  if (paths.length === 0) return desired;
  const marks = new Map<string, Mark>();
  for (const path of paths) addMark(marks, path);
  const root = marks.get(keyOf(desired));
  return root === undefined ? desired : marked(desired, root);
}

function addMark(marks: Map<string, Mark>, path: Path): void {
  let below = marks;
  let mark: Mark | undefined;
  for (const step of path.steps()) {
    const key = keyOf(step);
    mark = below.get(key);
    if (mark === undefined) {
      mark = { step, ignored: false, below: new Map() };
      below.set(key, mark);
    }
    below = mark.below;
  }
  if (mark !== undefined) mark.ignored = true;
}

function marked(node: DesiredNode, mark: Mark): DesiredNode {
  const { tag, name, text, origin, prunes, declared } = node;
  if (mark.ignored) {
    return new DesiredNode(tag, name, text, node.children, { origin, prunes, declared, handling: { ...node.handling, ignored: true } });
  }
  const known = new Set<string>();
  const children = node.children.map((child) => {
    const key = keyOf(child);
    const below = mark.below.get(key);
    if (below === undefined) return child;
    known.add(key);
    return marked(child, below);
  });
  for (const [key, below] of mark.below) if (!known.has(key)) children.push(stub(below, prunes));
  return new DesiredNode(tag, name, text, children, { origin, prunes, declared, handling: node.handling });
}

/** Returns a stub for an undeclared live node: either ignored, or an ancestor of an ignored node. */
function stub({ step, ignored, below }: Mark, prunes: boolean): DesiredNode {
  const children = ignored ? [] : [...below.values()].map((mark) => stub(mark, prunes));
  const handling = ignored ? { ignored: true } : undefined;
  return new DesiredNode(step.tag, step.name, step.text ?? "", children, { origin: -1, prunes, declared: false, handling });
}

/** Key of a node; equals the key of the path step to the node. */
function keyOf({ tag, name, text }: TreeNode | Path): string {
  if (name !== undefined) return `${tag}@${name}`;
  return tag === "member" ? `${tag}=${text}` : tag;
}
