import { join } from "node:path";
import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath.js";
import { readDocumentText } from "../../desired/files.js";
import type { DesiredKind } from "../../desired/kind.js";
import { type Claim, narrow, rootClaims } from "../../import/claims.js";
import { type ExistingDocument, textAt } from "../../import/existing.js";
import { isMap, parseYaml, YAMLMap } from "../../import/yaml.js";
import { valueAt } from "../../import/yaml-entries.js";

/**
 * The documents of one target alone as they lie in `folder`, parsed to be changed. The desired state loaded, so they parse. What is
 * declared for several targets is not changed for the sake of one.
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

/** The documents that say something at `path`, each with its YAML node there; the `config:` map at a document's own place. */
export function claimsAt(documents: readonly ExistingDocument[], path: Path): Claim[] {
  let claims = rootClaims(documents);
  for (const step of path.steps().slice(1)) claims = narrow(claims, new TreeNode(step.tag, step.name));
  return claims.filter(({ declared, steps }) => declared || steps.length === 0);
}
