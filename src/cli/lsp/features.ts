import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CodeAction,
  CodeActionKind,
  type Connection,
  type Diagnostic,
  ErrorCodes,
  type Location,
  ResponseError,
  type ServerCapabilities,
  type TextDocumentPositionParams,
  type TextEdit,
} from "vscode-languageserver/node";
import { formatYaml } from "../../import/format.js";
import { rewritten } from "./name-edits.js";
import { NameIndex } from "./name-index.js";
import { namedAt, RenameRefused, renameAt } from "./rename.js";
import { declarationsOf, distinct, subjectsAt, type TokensOf, tokenAt, usesOf } from "./subjects.js";
import { documentSymbols, workspaceSymbols } from "./symbols.js";
import { Tokens } from "./tokens.js";
import type { Workspace } from "./workspace.js";

const SUGGESTION = /Did you mean "((?:[^"\\]|\\.)*)"\?/;

export const FEATURES: ServerCapabilities = {
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  codeActionProvider: { codeActionKinds: ["quickfix"] },
  documentFormattingProvider: true,
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
};

export interface Workspaces {
  /** Returns the workspace of a document. Undefined outside a desired state. */
  of(uri: string): Workspace | undefined;
  /** Returns all workspaces of the editor. */
  all(): readonly Workspace[];
}

/** Answers requests for references, renames, fixes, formats and symbols. */
export function serveFeatures(connection: Connection, { of, all }: Workspaces): void {
  connection.onReferences(async (params) => {
    const workspace = of(params.textDocument.uri);
    return workspace === undefined ? [] : await references(workspace, params, params.context.includeDeclaration);
  });
  connection.onPrepareRename(async ({ textDocument: { uri }, position }) => {
    const workspace = of(uri);
    if (workspace === undefined) return null;
    const { token, tokensOf, name } = await refusing(() => namedAt(workspace, workspace.nameOf(uri), position));
    const range = tokensOf(workspace.nameOf(uri))?.range(token.start, token.end);
    return range === undefined ? null : { range, placeholder: name };
  });
  connection.onRenameRequest(async ({ textDocument: { uri }, position, newName }) => {
    const workspace = of(uri);
    if (workspace === undefined) return null;
    const edits = await refusing(() => renameAt(workspace, workspace.nameOf(uri), position, newName));
    const tokensOf = workspace.tokens();
    const changes = [...edits].map(([file, each]): [string, TextEdit[]] => {
      const tokens = tokensOf(file);
      const texts = each.flatMap(({ start, end, text }) =>
        tokens === undefined ? [] : [{ range: tokens.range(start, end), newText: text }],
      );
      return [workspace.uriOf(file), texts];
    });
    return { changes: Object.fromEntries(changes) };
  });
  connection.onCodeAction(({ textDocument: { uri }, context }) => {
    const text = of(uri)?.textOf(uri);
    return text === undefined ? [] : quickFixes(uri, new Tokens(text), context.diagnostics);
  });
  connection.onDocumentFormatting(({ textDocument: { uri } }) => {
    const text = of(uri)?.textOf(uri);
    return text === undefined ? [] : formatted(text);
  });
  connection.onDocumentSymbol(async ({ textDocument: { uri } }) => {
    const workspace = of(uri);
    const loaded = await workspace?.complete();
    return workspace === undefined || loaded === undefined ? [] : documentSymbols(loaded, workspace.tokens(), workspace.nameOf(uri));
  });
  connection.onWorkspaceSymbol(async ({ query }) => {
    const found = await Promise.all(
      all().map(async (workspace) => {
        const loaded = await workspace.complete();
        return loaded === undefined ? [] : workspaceSymbols(loaded, (file) => workspace.uriOf(file), query);
      }),
    );
    return found.flat();
  });
}

/** Turns a refusal into an error that the editor shows. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RenameRefused) throw new ResponseError(ErrorCodes.InvalidRequest, error.message);
    throw error;
  }
}

async function references(
  workspace: Workspace,
  { textDocument, position }: TextDocumentPositionParams,
  includeDeclaration: boolean,
): Promise<Location[]> {
  const loaded = await workspace.complete();
  if (loaded === undefined) return [];
  const tokensOf = workspace.tokens();
  const indexes = await NameIndex.ofAll(loaded);
  const found = subjectsAt(loaded, indexes, tokensOf, workspace.nameOf(textDocument.uri), position);
  const sites = (found?.subjects ?? []).flatMap((subject) => [...(includeDeclaration ? declarationsOf(subject) : []), ...usesOf(subject)]);
  return distinct(sites).map((site) => ({ uri: workspace.uriOf(site.file), range: rangeOf(tokensOf, site) }));
}

function rangeOf(tokensOf: TokensOf, site: ReturnType<typeof declarationsOf>[number]): Location["range"] {
  const tokens = tokensOf(site.file);
  const token = tokens === undefined ? undefined : tokenAt(tokens, site.node, site);
  const start = { line: site.line - 1, character: site.column - 1 };
  return tokens === undefined || token === undefined ? { start, end: start } : tokens.range(token.start, token.end);
}

/** Formats like `plumbline fmt`. */
function formatted(text: string): TextEdit[] {
  const result = formatYaml(text);
  if ("problem" in result) throw new ResponseError(ErrorCodes.InvalidRequest, `The document was not formatted: ${result.problem}.`);
  const lines = text.split("\n");
  const end = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  return result.text === text ? [] : [{ range: { start: { line: 0, character: 0 }, end }, newText: result.text }];
}

/** Returns the folder of a file URI. */
export function folderOf(uri: string): string {
  return dirname(fileURLToPath(uri));
}

/** Returns a fix for each diagnostic that suggests another word: it replaces the wrong word. */
function quickFixes(uri: string, tokens: Tokens, diagnostics: readonly Diagnostic[]): CodeAction[] {
  return diagnostics.flatMap((diagnostic) => {
    const { message, range, source } = diagnostic;
    const by = SUGGESTION.exec(textOf(message))?.[1];
    if (source !== "plumbline" || by === undefined) return [];
    const quoted = new Set(
      [
        ...textOf(message)
          .replace(SUGGESTION, "")
          .matchAll(/"([^"]*)"/g),
      ].map(([, word]) => word),
    );
    const wrong = tokens
      .all()
      .filter(({ start, scalar }) => tokens.position(start).line >= range.start.line && quoted.has(scalar.value) && scalar.value !== by)
      .sort((a, b) => a.start - b.start)
      .find(({ start }) => start >= tokens.offset(range.start));
    if (wrong === undefined || tokens.position(wrong.start).line > range.end.line) return [];
    const { start, end, text } = rewritten(wrong, by);
    const edit = { changes: { [uri]: [{ range: tokens.range(start, end), newText: text }] } };
    return [{ title: `Change to "${by}"`, kind: CodeActionKind.QuickFix, diagnostics: [diagnostic], isPreferred: true, edit }];
  });
}

function textOf(message: Diagnostic["message"]): string {
  return typeof message === "string" ? message : message.value;
}
