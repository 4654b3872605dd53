import { isNothing } from "../../../core/tree/canonical-children.js";
import { equalNodes } from "../../../core/tree/equal.js";
import { pathOf } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { secretOf } from "../../../core/tree/secret-of.js";
import type { Shape } from "../../../core/tree/shape.js";

/** A difference between the expected and the actual configuration, with both values if they are short. */
export interface PushDifference {
  readonly path: Path;
  readonly what: "missing" | "extra" | "differs" | "out of place";
  readonly wanted?: string | undefined;
  readonly found?: string | undefined;
}

/** Compares two nodes of one path. Secrets are not compared, because each device encrypts them with its own key. */
export function* differencesOf(wanted: TreeNode, found: TreeNode, shape: Shape, path: Path): Generator<PushDifference> {
  if (equalNodes(wanted, found, shape)) return;
  if (secretOf(wanted) !== undefined || secretOf(found) !== undefined) return;
  if (isPlain(wanted) || isPlain(found)) {
    yield { path, what: "differs", wanted: valueIn(wanted), found: valueIn(found) };
    return;
  }
  let isSame = true;
  const others = new Map(found.children.map((child) => [keyOf(child), child]));
  for (const child of wanted.children) {
    const key = keyOf(child);
    const other = others.get(key);
    others.delete(key);
    const below = shape.child(child.tag);
    const at = pathOf(path, child);
    const differences: Iterable<PushDifference> =
      other !== undefined
        ? differencesOf(child, other, below, at)
        : isNothing(child, below)
          ? []
          : [{ path: at, what: "missing", wanted: valueIn(child) }];
    for (const difference of differences) {
      isSame = false;
      yield difference;
    }
  }
  for (const child of others.values()) {
    if (isNothing(child, shape.child(child.tag))) continue;
    isSame = false;
    yield { path: pathOf(path, child), what: "extra", found: valueIn(child) };
  }
  if (isSame && !holdsSecrets(wanted)) yield { path, what: "out of place" };
}

/** Whether the node is a value or a list of values. */
function isPlain({ children }: TreeNode): boolean {
  return children.every(({ tag, children: below }) => tag === "member" && below.length === 0);
}

/** Undefined unless the node is a short text. */
function valueIn(node: TreeNode): string | undefined {
  if (secretOf(node) !== undefined || !isPlain(node)) return undefined;
  const text = node.children.length === 0 ? node.text.trim() : node.children.map((member) => member.text).join(", ");
  return text === "" ? undefined : text.slice(0, MAX_VALUE);
}

const MAX_VALUE = 200;

function keyOf({ tag, name }: TreeNode): string {
  return name === undefined ? tag : `${tag} ${name}`;
}

function holdsSecrets(node: TreeNode): boolean {
  return secretOf(node) !== undefined || node.children.some(holdsSecrets);
}
