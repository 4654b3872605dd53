import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { ExistingDocument } from "./existing.js";
import { readFragment } from "./fragment.js";
import { isMap, isScalar, type YAMLMap } from "./yaml.js";
import { entryNodes, valueAt } from "./yaml-entries.js";

/** Relation of an existing document to an element: the document declares it, is placed at it, or is placed below it. */
export interface Claim {
  readonly document: ExistingDocument;
  /** Remaining steps to the place of the document. */
  readonly steps: readonly Path[];
  /** Declaration of this element. At its place, this is the `config:` map. */
  readonly yaml: unknown;
  readonly declared: boolean;
}

/** Returns the claims of all documents at the root element. */
export function rootClaims(documents: readonly ExistingDocument[]): Claim[] {
  return documents.map((document) => ({ document, steps: document.place.steps().slice(1), yaml: document.config, declared: false }));
}

/** Returns the claims that apply to a child. */
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

/** Returns the keys under `$xml`. Empty if it cannot be parsed; the loader reports that. */
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
