import { isAlias, isMap, isPair, isScalar, isSeq, parseDocument } from "yaml";
import { Problems } from "../../../src/desired/problems.js";
import { SourceFile } from "../../../src/desired/source-file.js";
import type { YamlDocument } from "../../../src/desired/yaml/document.js";
import { readYaml } from "../../../src/desired/yaml/read.js";

/** The content of a document: text, null for a missing value, pairs in order, items. */
type Meaning = string | null | { readonly map: readonly (readonly [Meaning, Meaning])[] } | { readonly seq: readonly Meaning[] };

export type Outcome = { readonly meaning: Meaning } | { readonly refused: readonly string[] };

/** The result of the loader's reader for a text; refusals by error code. */
export function fastRead(text: string): Outcome {
  const problems = new Problems();
  const doc = readYaml(new SourceFile("a.yaml", text), problems);
  return doc === undefined ? { refused: problems.errors.map(({ code }) => code) } : { meaning: meaningOf(doc, doc.root) };
}

function meaningOf(doc: YamlDocument, node: number): Meaning {
  if (doc.kind(node) === "scalar") return doc.isLeftOut(node) ? null : doc.text(node);
  if (doc.kind(node) === "sequence") {
    const seq: Meaning[] = [];
    for (let item = doc.first(node); !doc.ends(item); item = doc.after(item)) seq.push(meaningOf(doc, item));
    return { seq };
  }
  const map: [Meaning, Meaning][] = [];
  for (let key = doc.first(node); !doc.ends(key); key = doc.after(doc.after(key)))
    map.push([meaningOf(doc, key), meaningOf(doc, doc.after(key))]);
  return { map };
}

/** The result of the `yaml` package for a text with the failsafe schema. */
export function slowRead(text: string): Outcome {
  const doc = parseDocument(text, { schema: "failsafe", version: "1.2", merge: false, prettyErrors: false, logLevel: "silent" });
  const refused = [...doc.errors, ...doc.warnings].map(({ code }) => code);
  if (refused.length > 0) return { refused };
  const convert = (node: unknown): Meaning => {
    if (isAlias(node)) return convert(node.resolve(doc));
    if (isScalar(node)) return (node.type === "PLAIN" && node.source === "") || node.value === null ? null : String(node.value);
    if (isMap(node)) return { map: node.items.map(({ key, value }) => [convert(key), convert(value)] as const) };
    if (isSeq(node))
      return { seq: node.items.map((item) => (isPair(item) ? { map: [[convert(item.key), convert(item.value)]] } : convert(item))) };
    return null;
  };
  return { meaning: convert(doc.contents) };
}
