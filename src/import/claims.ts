import type { TreeNode } from "../tree/node.js";
import type { Path } from "../tree/path.js";
import type { ExistingDocument } from "./existing.js";
import { isMap } from "./yaml.js";
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
  if (child.tag === "entry" && child.name !== undefined) return entryNodes(yaml)?.get(child.name);
  return isMap(yaml) ? valueAt(yaml, child.tag) : undefined;
}
