import { join } from "node:path";
import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { readDocumentText } from "../../desired/files.js";
import type { DesiredKind } from "../../desired/kind.js";
import type { DesiredNode, DesiredTarget } from "../../desired/model.js";
import { type Claim, narrow, rootClaims } from "../../import/claims.js";
import { type ExistingDocument, textAt } from "../../import/existing.js";
import { isMap, isSeq, parseYaml, YAMLMap } from "../../import/yaml.js";
import { setContentName, valueAt } from "../../import/yaml-entries.js";

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

/** Gives entries without names the names that the loader gave them, so that changes find them. */
export function nameByContent(
  folder: string,
  documents: readonly ExistingDocument[],
  { root, sources }: Pick<DesiredTarget, "root" | "sources">,
  shape: Shape,
): void {
  const names = new Map<string, string>();
  const visitNode = (node: DesiredNode, at: Shape): void => {
    for (const child of node.children) {
      if (at.key !== undefined && child.name !== undefined)
        for (const { file, line, column } of sources.places(child.origin)) names.set(`${file}:${line}:${column}`, child.name);
      visitNode(child, at.child(child.tag));
    }
  };
  visitNode(root, shape);
  if (names.size === 0) return;
  for (const { file, config } of documents) {
    const text = readDocumentText(join(folder, file));
    visitItems(config, (item, offset) => {
      const before = text.slice(0, offset);
      const line = before.split("\n").length;
      const name = names.get(`${file}:${line}:${offset - before.lastIndexOf("\n")}`);
      if (name !== undefined) setContentName(item, name);
    });
  }
}

/** Calls `each` for the maps in sequences, with their offsets in the text. */
function visitItems(node: unknown, each: (item: YAMLMap, offset: number) => void): void {
  if (isMap(node)) for (const { value } of node.items) visitItems(value, each);
  if (!isSeq(node)) return;
  for (const item of node.items) {
    if (isMap(item) && item.range != null) each(item, item.range[0]);
    visitItems(item, each);
  }
}

/** Returns the documents that declare `path`, with their YAML nodes. At the place of a document, the node is its `config:` map. */
export function claimsAt(documents: readonly ExistingDocument[], path: Path): Claim[] {
  let claims = rootClaims(documents);
  for (const step of path.steps().slice(1)) claims = narrow(claims, new TreeNode(step.tag, step.name));
  return claims.filter(({ declared, steps }) => declared || steps.length === 0);
}
