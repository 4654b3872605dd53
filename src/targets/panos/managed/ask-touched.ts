import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, find, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { parsePath } from "../../../core/tree/xpath.js";
import type { PanosClient } from "../client/client.js";
import { op } from "../client/request.js";
import { showVersion } from "../commands.js";
import { requireSuccess } from "../device-errors.js";
import { deviceGroupParents, HIERARCHY } from "../device-groups.js";
import { deviceEntry } from "../scope.js";
import { panosShape } from "../shape.js";
import { GROUP, STACK } from "./rows.js";

const CONFIG = Path.root.child("config");
const SETTINGS = deviceEntry.child("deviceconfig").child("setting").child("management");

/** Versions that are read to tell whom they touch: each is a whole configuration. */
const MOST = 10;

/** Whether a version changed a part of what a place (`by` of a row) hands on, by both: versions stay as they are. */
export type Touched = Map<string, boolean>;

/**
 * Looks what the versions changed, each held against the one before it, and notes it for each of the places in `known`. What is not looked at is left
 * out: more versions than a few. Rejects where the manager does not show one whole.
 */
export async function askTouched(
  client: PanosClient,
  places: readonly string[],
  versions: readonly number[],
  known: Touched,
): Promise<void> {
  const open = versions.filter((version) => places.some((place) => !known.has(touchedKey(place, version))));
  if (open.length > MOST) return;
  let last: { readonly version: number; readonly texts: ReadonlyMap<string, string> } | undefined;
  for (const version of open.toSorted((a, b) => a - b)) {
    const before = last?.version === version - 1 ? last.texts : await textsOf(client, places, version - 1);
    const texts = await textsOf(client, places, version);
    for (const place of places) known.set(touchedKey(place, version), before.get(place) !== texts.get(place));
    last = { version, texts };
  }
}

export function touchedKey(place: string, version: number): string {
  return `${version} ${place}`;
}

/** Rejects where it is not shown whole. */
export async function askVersion(client: PanosClient, version: number): Promise<TreeNode> {
  const { result } = requireSuccess(await client.send(op(showVersion(version))), client.place);
  const root = result === undefined ? undefined : childByTag(result, "config");
  if (root === undefined || find(root, HIERARCHY) === undefined) throw new Error(`version ${version} is not shown whole`);
  return root;
}

/** What each place hands on is made of, as one text. */
async function textsOf(client: PanosClient, places: readonly string[], version: number): Promise<ReadonlyMap<string, string>> {
  const root = await askVersion(client, version);
  return new Map(
    places.map((place) => [
      place,
      partsOf(root, place)
        .map((path) => textAt(root, path))
        .join("\n"),
    ]),
  );
}

function textAt(root: TreeNode, path: Path): string {
  const node = find(root, path);
  return node === undefined ? "" : canonicalText(node, shapeAt(path, panosShape()));
}

/** The places of the configuration that count for it. */
function partsOf(root: TreeNode, place: string): readonly Path[] {
  if (place.startsWith(STACK)) {
    const stack = deviceEntry.child("template-stack").entry(place.slice(STACK.length));
    const templates = find(root, stack.child("templates"))?.children ?? [];
    return [stack, ...templates.map(({ text }) => deviceEntry.child("template").entry(text))];
  }
  const parents = deviceGroupParents(root);
  const found = [CONFIG.child("shared"), SETTINGS];
  for (let at: string | undefined = deviceEntry.child("device-group").entry(place.slice(GROUP.length)).toString(); at !== undefined; ) {
    found.push(parsePath(at));
    at = parents.get(at);
  }
  return found;
}
