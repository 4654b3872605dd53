import { type DocumentSymbol, type SymbolInformation, SymbolKind } from "vscode-languageserver/node";
import { pathOf } from "../../core/tree/lookup.js";
import { Path } from "../../core/tree/path.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import type { DesiredNode, DesiredTarget } from "../../desired/model.js";
import { type TokensOf, tokenAt } from "./subjects.js";
import type { Tokens } from "./tokens.js";

/** Maximum number of answers to a search. */
const MOST = 500;

/** Returns the entries that a document declares, below their lists. */
export function documentSymbols(loaded: LoadedDesired, tokensOf: TokensOf, file: string): DocumentSymbol[] {
  const tokens = tokensOf(file);
  const [target] = [...loaded.filesByTarget].find(([, files]) => files.includes(file)) ?? [];
  const desired = target === undefined ? undefined : loaded.targets.get(target);
  return tokens === undefined || desired === undefined ? [] : below(desired.root, desired, tokens, file);
}

function below(node: DesiredNode, desired: DesiredTarget, tokens: Tokens, file: string): DocumentSymbol[] {
  return node.children.flatMap((child) => {
    if (child.children.length === 0 && child.name === undefined) return [];
    const children = below(child, desired, tokens, file);
    const at = desired.sources.places(child.origin).find((place) => place.file === file);
    const isList = child.children.some(({ tag }) => tag === "entry");
    if (at === undefined || !child.declared || (child.name === undefined && !isList)) return children;
    const key = tokens.offset({ line: at.line - 1, character: at.column - 1 });
    const own = child.name === undefined ? tokens.containing(key) : tokenAt(tokens, child, at);
    if (own === undefined) return children;
    const [start, end] = tokens.extent(key);
    const range = tokens.range(Math.min(start, own.start), Math.max(end, own.end));
    const kind = child.name === undefined ? SymbolKind.Namespace : SymbolKind.Object;
    return [{ name: child.name ?? child.tag, kind, range, selectionRange: tokens.range(own.start, own.end), children }];
  });
}

/** Returns declared entries whose name contains the letters of the query in this order. */
export function workspaceSymbols(loaded: LoadedDesired, uriOf: (file: string) => string, query: string): SymbolInformation[] {
  const found = new Map<string, SymbolInformation>();
  for (const { target, root, sources } of loaded.targets.values())
    for (const { node, path } of entriesOf(root, Path.root.child(root.tag))) {
      if (found.size >= MOST) break;
      if (!matches(node.name ?? "", query)) continue;
      for (const { file, line, column } of sources.places(node.origin)) {
        const start = { line: line - 1, character: column - 1 };
        const location = { uri: uriOf(file), range: { start, end: start } };
        const containerName = `${target} ${path.parent}`;
        found.set(`${file}:${line}:${column}`, { name: node.name ?? "", kind: SymbolKind.Object, location, containerName });
      }
    }
  return [...found.values()];
}

function* entriesOf(node: DesiredNode, path: Path): Generator<{ readonly node: DesiredNode; readonly path: Path }> {
  for (const child of node.children) {
    const at = pathOf(path, child);
    if (child.name !== undefined && child.declared) yield { node: child, path: at };
    if (child.children.length > 0) yield* entriesOf(child, at);
  }
}

function matches(name: string, query: string): boolean {
  let at = 0;
  const letters = query.toLowerCase();
  for (const letter of name.toLowerCase()) if (letter === letters[at]) at++;
  return at === letters.length;
}
