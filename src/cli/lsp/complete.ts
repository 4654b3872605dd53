import { type CompletionItem, CompletionItemKind } from "vscode-languageserver/node";
import type { LoadedDesired } from "../../desired/loaded.js";
import type { DesiredNode } from "../../desired/model.js";
import { kinds } from "../../targets/registry.js";
import { keysAt } from "./complete-keys.js";
import { textAt } from "./name-edits.js";
import { namesFor } from "./names.js";
import { type Cursor, knownField, type Place, placesOf } from "./places.js";
import type { Workspace } from "./workspace.js";

/** Replaces the text at the cursor while the document is parsed. The position of this text in the tree shows which value to complete. */
const MARK = "plumbline-completes-here";

/** Returns completions at the cursor: keys, names of declared objects, values of a field, targets, scopes, references. */
export async function completionsAt(workspace: Workspace, uri: string, cursor: Cursor): Promise<CompletionItem[]> {
  const text = workspace.textOf(uri);
  const line = text?.split("\n")[cursor.line];
  if (text === undefined || line === undefined) return [];
  const before = line.slice(0, cursor.character);
  const header = await headerWords(workspace, before);
  if (header !== undefined) return header;
  const keys = await keyWords(workspace, text, cursor.line, line, before);
  if (keys.length > 0) return keys;
  const start = before.length - (/[\w./-]*$/.exec(before)?.[0].length ?? 0);
  const end = cursor.character + (/^[\w./-]*/.exec(line.slice(cursor.character))?.[0].length ?? 0);
  for (const mark of [MARK, `[${MARK}]`]) {
    const marked = replaced(text, cursor.line, `${line.slice(0, start)}${mark}${line.slice(end)}`);
    const loaded = await workspace.with(uri, marked);
    const [place] = loaded === undefined ? [] : placesOf(loaded, isMark);
    if (loaded !== undefined && place !== undefined) return await wordsAt(loaded, place);
  }
  return [];
}

/** Returns the keys that fit at the cursor, if a key can begin there. */
async function keyWords(workspace: Workspace, text: string, at: number, line: string, before: string): Promise<CompletionItem[]> {
  const begun = /(?:^\s*(?:- +)*|[{,]\s*)([\w$.-]*)$/.exec(before)?.[1];
  if (begun === undefined) return [];
  const rest = line.slice(before.length).replace(/^[\w$.-]*/, "");
  const written = `${before.slice(0, before.length - begun.length)}${MARK}${rest.startsWith(":") ? "" : ": "}${rest}`;
  const targets = (await workspace.complete())?.configuration.targets;
  return (
    keysAt(replaced(text, at, written), MARK, (root) => {
      const named = targets?.get(textAt(root, "target") ?? "") ?? [...(targets?.values() ?? [])][0];
      return kinds.get(named?.kind ?? "");
    }) ?? []
  );
}

function isMark({ text, name }: DesiredNode): boolean {
  return text === MARK || name === MARK;
}

function replaced(text: string, line: number, by: string): string {
  return text
    .split("\n")
    .map((each, index) => (index === line ? by : each))
    .join("\n");
}

async function wordsAt(loaded: LoadedDesired, place: Place): Promise<CompletionItem[]> {
  const names = (await namesFor(loaded, place)).map(
    ({ name, kind }): CompletionItem => ({ label: name, kind: CompletionItemKind.Reference, detail: kind }),
  );
  const field = await knownField(place);
  const words = [...(field?.words ?? []), ...place.shape.reserved].map(
    (label): CompletionItem => ({ label, kind: CompletionItemKind.EnumMember }),
  );
  const seen = new Set<string>();
  return [...names, ...words].filter(({ label }) => label !== MARK && !seen.has(label) && seen.add(label) !== undefined);
}

/** Returns completions for a header line or the beginning of an expression. Undefined if the cursor is in neither. */
async function headerWords(workspace: Workspace, before: string): Promise<CompletionItem[] | undefined> {
  const isExpression = /\$\{[\w-]*$/.test(before);
  const header = /^(target|targets|scope):/.exec(before)?.[1];
  if (!isExpression && header === undefined) return undefined;
  const targets = (await workspace.complete())?.configuration.targets ?? new Map<string, { readonly kind: string }>();
  const names = [...targets.keys()];
  if (isExpression) {
    const expressions = ["env:", "file:", "exec:", "keep}", "value:", ...names.map((name) => `${name}:`)];
    return expressions.map((label) => ({ label, kind: CompletionItemKind.Reference }));
  }
  const used = new Set([...targets.values()].map(({ kind }) => kind));
  const words = header === "scope" ? [...used].flatMap((kind) => kinds.get(kind)?.scopeWords ?? []) : names;
  return [...new Set(words)].map((label) => ({ label, kind: CompletionItemKind.EnumMember }));
}
