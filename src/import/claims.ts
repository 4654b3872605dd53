import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { ExistingDocument } from "./existing.js";
import { readFragment } from "./fragment.js";
import { isMap, isScalar, type YAMLMap } from "./yaml.js";
import { entryNodes, valueAt } from "./yaml-entries.js";

/**
 * That a document of an earlier import, or one written by hand, speaks of a place: by declaring it, by hanging there
 * (`depth` of its place), or by hanging further down.
 */
export interface Claim {
  readonly document: ExistingDocument;
  /** Steps to the document's place that are still to go. */
  readonly steps: readonly Path[];
  /** What it declares here; the `config:` map at its own place. */
  readonly yaml: unknown;
  readonly declared: boolean;
}

/** The claims of all documents, seen from the root element. */
export function rootClaims(documents: readonly ExistingDocument[]): Claim[] {
  return documents.map((document) => ({ document, steps: document.place.steps().slice(1), yaml: document.config, declared: false }));
}

/** The claims that reach a child. */
export function narrow(claims: readonly Claim[], child: TreeNode): Claim[] {
  const below: Claim[] = [];
  for (const claim of claims) {
    const [step, ...steps] = claim.steps;
    if (step !== undefined) {
      if (step.tag === child.tag && step.name === child.name) below.push({ ...claim, steps });
      continue;
    }
    const yaml = childYaml(claim.yaml, child);
    if (yaml !== undefined) below.push({ ...claim, yaml, declared: true });
  }
  return below;
}

function childYaml(yaml: unknown, child: TreeNode): unknown {
  const entry = child.tag === "entry" && child.name !== undefined ? entryNodes(yaml)?.get(child.name) : undefined;
  if (entry !== undefined || !isMap(yaml)) return entry;
  const keyed = child.name === undefined ? valueAt(yaml, child.tag) : undefined;
  return keyed ?? (fragmentKeys(yaml).has(keyOf(child)) ? valueAt(yaml, "$xml") : undefined);
}

const NO_KEYS: ReadonlySet<string> = new Set();
const fragments = new WeakMap<object, ReadonlySet<string>>();

/** What a map declares under `$xml`; nothing where that cannot be read, which is the loader's to say. */
function fragmentKeys(map: YAMLMap): ReadonlySet<string> {
  const xml = valueAt(map, "$xml");
  if (!isScalar(xml) || typeof xml.value !== "string") return NO_KEYS;
  let keys = fragments.get(map);
  if (keys === undefined) {
    keys = readKeys(xml.value);
    fragments.set(map, keys);
  }
  return keys;
}

function readKeys(xml: string): ReadonlySet<string> {
  return new Set(readFragment(xml)?.children.map(keyOf));
}

function keyOf({ tag, name }: TreeNode): string {
  return name === undefined ? tag : `${tag} ${name}`;
}
