import { join } from "node:path";
import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { readDocumentText } from "../../desired/files.js";
import type { DesiredKind } from "../../desired/kind.js";
import { type Claim, narrow, rootClaims } from "../../import/claims.js";
import { type ExistingDocument, textAt } from "../../import/existing.js";
import { isMap, parseYaml, YAMLMap } from "../../import/yaml.js";
import { valueAt } from "../../import/yaml-entries.js";

/**
 * Parses the documents in `folder` that declare a single target. Skips documents for several targets, because the drift of one must not
 * change the others. The desired state was loaded before, so parse errors are not handled.
 */
export function documentsOf(folder: string, files: readonly string[], kind: DesiredKind): ExistingDocument[] {
  return files.flatMap((file) => {
    const document = parseYaml(readDocumentText(join(folder, file)));
    const root: unknown = document.contents;
    if (!isMap(root) || textAt(root, "target") === undefined) return [];
    const scope = textAt(root, "scope");
    const at = textAt(root, "at");
    const place = scope === undefined ? (at === undefined ? undefined : parsePath(at)) : kind.place(scope);
    const config = valueAt(root, "config");
    return place === undefined ? [] : [{ file, document, place, config: isMap(config) ? config : new YAMLMap() }];
  });
}

/** Returns the documents that declare `path`, with their YAML nodes. At the place of a document, the node is its `config:` map. */
export function claimsAt(documents: readonly ExistingDocument[], path: Path): Claim[] {
  let claims = rootClaims(documents);
  for (const step of path.steps().slice(1)) claims = narrow(claims, new TreeNode(step.tag, step.name));
  return claims.filter(({ declared, steps }) => declared || steps.length === 0);
}
