import { pathOf } from "../../core/tree/lookup.js";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { fieldAt } from "../../desired/field-table.js";
import type { KnownField } from "../../desired/kind.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import type { DesiredNode } from "../../desired/model.js";
import type { TargetKind } from "../../engine/target-kind.js";
import { kinds } from "../../targets/registry.js";

/** A declared node and its path in the tree of its target. */
export interface Place {
  readonly target: string;
  readonly kind: TargetKind;
  readonly node: DesiredNode;
  readonly path: Path;
  /** Shape of the node. For a member, the shape of its list. */
  readonly shape: Shape;
}

/** Returns the path of the field: the list of a member, otherwise the node itself. */
export function fieldPath({ path }: Place): Path {
  return path.text === undefined ? path : (path.parent ?? path);
}

/** Returns the description of the field, if known. */
export async function knownField(place: Place): Promise<KnownField | undefined> {
  const fields = place.kind.fields?.();
  return fields === undefined ? undefined : fieldAt(fields, fieldPath(place));
}

/** 0-based, as in editors. */
export interface Cursor {
  readonly line: number;
  readonly character: number;
}

/**
 * Returns the nodes at a cursor position: for each target of the document, the last node on the line that begins at or before the cursor.
 */
export function placesAt(loaded: LoadedDesired, file: string, { line, character }: Cursor): Place[] {
  const best: Place[] = [];
  for (const [target, desired] of loaded.targets) {
    if (loaded.filesByTarget.get(target)?.includes(file) !== true) continue;
    let column = 0;
    let found: Place | undefined;
    for (const place of everyPlace(loaded, target)) {
      for (const at of desired.sources.places(place.node.origin)) {
        if (at.file !== file || at.line !== line + 1 || at.column > character + 1 || at.column < column) continue;
        column = at.column;
        found = place;
      }
    }
    if (found !== undefined) best.push(found);
  }
  return best;
}

/** Returns the first node of each target that matches `wanted`. */
export function placesOf(loaded: LoadedDesired, wanted: (node: DesiredNode) => boolean): Place[] {
  return [...loaded.targets.keys()].flatMap((target) => {
    for (const place of everyPlace(loaded, target)) if (wanted(place.node)) return [place];
    return [];
  });
}

function* everyPlace(loaded: LoadedDesired, target: string): Generator<Place> {
  const kind = kinds.get(loaded.configuration.targets.get(target)?.kind ?? "");
  const root = loaded.targets.get(target)?.root;
  if (kind === undefined || root === undefined) return;
  yield* below({ target, kind, node: root, path: Path.root.child(root.tag), shape: kind.shape });
}

function* below(place: Place): Generator<Place> {
  if (place.node.declared) yield place;
  for (const node of place.node.children) {
    const isMember = node.tag === "member" && node.children.length === 0;
    yield* below({ ...place, node, path: pathOf(place.path, node), shape: isMember ? place.shape : place.shape.child(node.tag) });
  }
}
