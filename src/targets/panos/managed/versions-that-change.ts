import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, find, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { parsePath } from "../../../core/tree/xpath/xpath.js";
import type { PanosClient } from "../client/client.js";
import { showVersion } from "../client/commands.js";
import { deviceGroupParents, HIERARCHY } from "../device-groups.js";
import { deviceEntry } from "../scope.js";
import { panosShape } from "../shape.js";
import { GROUP, STACK } from "./rows.js";

const CONFIG = Path.root.child("config");
const SETTINGS = deviceEntry.child("deviceconfig").child("setting").child("management");

/** Maximum number of versions to compare. Each is a complete configuration. */
const MOST = 10;

/** Whether a version changed the configuration that a source (`by` of a row) provides, by version and source. Versions never change. */
export type ChangedSources = Map<string, boolean>;

/**
 * Compares each version with the previous one, and stores in `known` whether it affects the sources. Does nothing if there are more than
 * `MOST` versions. Rejects if the manager does not return a complete version.
 */
export async function readChangedSources(
  client: PanosClient,
  places: readonly string[],
  versions: readonly number[],
  known: ChangedSources,
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

/** Rejects if the version is incomplete. */
export async function readVersion(client: PanosClient, version: number): Promise<TreeNode> {
  const { result } = await client.run(showVersion(version));
  const root = result === undefined ? undefined : childByTag(result, "config");
  if (root === undefined || find(root, HIERARCHY) === undefined) throw new Error(`version ${version} is not shown completely`);
  return root;
}

/** Returns the configuration that each source depends on, as one text. */
async function textsOf(client: PanosClient, places: readonly string[], version: number): Promise<ReadonlyMap<string, string>> {
  const root = await readVersion(client, version);
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

/** Returns the parts of the configuration that the source depends on. */
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
