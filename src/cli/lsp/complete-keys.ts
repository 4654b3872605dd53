import { type CompletionItem, CompletionItemKind } from "vscode-languageserver/node";
import { isMap, isScalar, isSeq, type Node, visit } from "yaml";
import { shapeAt } from "../../core/tree/lookup.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { ALLOWED, DIRECTIVES, type Holder } from "../../desired/body/directive-table.js";
import { DOCUMENT_KEYS } from "../../desired/header.js";
import type { DesiredKind } from "../../desired/kind.js";
import { parseYaml } from "../../import/yaml.js";
import { textAt } from "./name-edits.js";

/** Returns the keys that fit in the map at the mark, which is a key without a value. Undefined if the mark is no key. */
export function keysAt(marked: string, mark: string, kindOf: (root: unknown) => DesiredKind | undefined): CompletionItem[] | undefined {
  const document = parseYaml(marked);
  let around: readonly unknown[] | undefined;
  visit(document, {
    Scalar: (key, node, path) => {
      if (key !== "key" || node.value !== mark) return undefined;
      around = path;
      return visit.BREAK;
    },
  });
  if (around === undefined) return undefined;
  const maps = around.filter((each): each is Node => isMap(each) || isSeq(each));
  const map = maps.at(-1);
  const used = new Set(isMap(map) ? map.items.map(({ key }) => (isScalar(key) ? String(key.value) : "")) : []);
  const fits =
    maps.length === 1 ? DOCUMENT_KEYS.map((name) => ({ label: name, detail: "document" })) : below(document.contents, around, kindOf);
  return fits
    .filter(({ label }) => !used.has(label))
    .map(({ label, detail }) => ({ label, detail, kind: CompletionItemKind.Property, insertText: `${label}: ` }));
}

interface Fit {
  readonly label: string;
  readonly detail: string;
}

/** Returns the keys of a map below `config:`. */
function below(root: unknown, around: readonly unknown[], kindOf: (root: unknown) => DesiredKind | undefined): Fit[] {
  const kind = kindOf(root);
  const place = kind === undefined ? undefined : placeOf(root, kind);
  if (kind === undefined || place === undefined) return [];
  const keys = stepsIn(around);
  if (keys[0] !== "config") return [];
  let shape: Shape | undefined = shapeAt(place, kind.shape);
  let isEntry = false;
  for (const step of keys.slice(1)) {
    if (step === "$entries" || step === "$members") continue;
    if (typeof step === "string" && step.startsWith("$")) return [];
    if (shape?.kind === "list") [shape, isEntry] = [shape.child("entry"), true];
    else if (typeof step === "string") [shape, isEntry] = [shape?.child(step), false];
  }
  return shape === undefined ? [] : fitting(shape, isEntry || (place.name !== undefined && keys.length === 1), around);
}

/** Returns keys of maps, and `undefined` for items of sequences, from the outside to the mark. */
function stepsIn(around: readonly unknown[]): readonly (string | undefined)[] {
  return around.slice(0, -1).flatMap((each, at) => {
    if (isSeq(each)) return [undefined];
    const pair = each as { readonly key?: unknown };
    return isScalar(pair.key) && !isMap(each) && at < around.length - 1 ? [String(pair.key.value)] : [];
  });
}

function fitting(shape: Shape, isEntry: boolean, around: readonly unknown[]): Fit[] {
  const isItem = isSeq(around.filter((each) => isMap(each) || isSeq(each)).at(-2));
  if (isItem && !isEntry) return [];
  const holder: Holder = isEntry ? "entry" : shape.kind === "list" ? "list" : shape.kind === "members" ? "members" : "container";
  const tags = shape.kind === "list" || shape.kind === "members" ? [] : shape.knownTags;
  const known = tags.flatMap((tag): Fit[] => {
    const child = shape.child(tag);
    return child.readOnly === true || child.mark === true ? [] : [{ label: tag, detail: child.kind }];
  });
  const directives = ALLOWED[holder].map((name) => ({ label: name, detail: descriptionOf(name) }));
  return [...(isItem && isEntry ? [{ label: "name", detail: "name of the entry" }] : []), ...known, ...directives];
}

function descriptionOf(name: keyof typeof DIRECTIVES): string {
  const { description } = DIRECTIVES[name] as { readonly description?: string };
  return description ?? "directive";
}

function placeOf(root: unknown, kind: DesiredKind) {
  const [scope, at] = [textAt(root, "scope"), textAt(root, "at")];
  try {
    return scope === undefined ? (at === undefined ? undefined : parsePath(at)) : kind.place(scope);
  } catch {
    return undefined;
  }
}
