import { fileURLToPath } from "node:url";
import {
  type Connection,
  ConnectionError,
  type Diagnostic,
  DiagnosticSeverity,
  MarkupKind,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
} from "vscode-languageserver/node";
import type { PlumblineError } from "../../core/errors.js";
import { printable } from "../../core/printable.js";
import { version } from "../../core/version.js";
import { completionsAt } from "./complete.js";
import { declarationOf, describe } from "./describe.js";
import { referenceOf } from "./error-links.js";
import { FEATURES, folderOf, serveFeatures } from "./features.js";
import { placesAt } from "./places.js";
import type { Checked } from "./workspace.js";
import { Workspace, type WorkspaceOptions } from "./workspace.js";

export interface ServerOptions extends WorkspaceOptions {
  /** Path of plumbline.yaml for a document in this folder. Undefined if there is none. */
  readonly configurationOf: (folder: string) => string | undefined;
}

/** Serves an editor's requests about its open documents. */
export function serve(connection: Connection, options: ServerOptions): void {
  const workspaces = new Map<string, Watched>();
  /** Folders that the editor has open. */
  let folders: readonly string[] = [];
  const inFolder = (folder: string): Watched | undefined => {
    const file = options.configurationOf(folder);
    if (file === undefined) return undefined;
    const known = workspaces.get(file) ?? new Watched(connection, new Workspace(file, options));
    workspaces.set(file, known);
    return known;
  };
  const of = (uri: string): Watched | undefined => (uri.startsWith("file:") ? inFolder(folderOf(uri)) : undefined);
  const opened = (uri: string, text: string | undefined): void => {
    const watched = of(uri);
    watched?.workspace.set(uri, text);
    watched?.look(uri);
  };
  const refresh = (): void => {
    for (const watched of workspaces.values()) {
      watched.workspace.refresh();
      watched.look();
    }
  };
  connection.onInitialize(({ rootUri, workspaceFolders }) => {
    const uris = workspaceFolders?.map(({ uri }) => uri) ?? [rootUri ?? ""];
    folders = uris.filter((uri) => uri.startsWith("file:")).map((uri) => fileURLToPath(uri));
    return {
      serverInfo: { name: "plumbline", version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Full, save: true },
        completionProvider: { triggerCharacters: ["[", " ", "{", ":"] },
        hoverProvider: true,
        definitionProvider: true,
        ...FEATURES,
      },
    };
  });
  connection.onDidOpenTextDocument(({ textDocument }) => opened(textDocument.uri, textDocument.text));
  connection.onDidChangeTextDocument(({ textDocument, contentChanges }) => opened(textDocument.uri, contentChanges.at(-1)?.text));
  connection.onDidCloseTextDocument(({ textDocument }) => opened(textDocument.uri, undefined));
  connection.onDidSaveTextDocument(refresh);
  connection.onDidChangeWatchedFiles(refresh);
  connection.onCompletion(async ({ textDocument, position }) => {
    const workspace = of(textDocument.uri)?.workspace;
    return workspace === undefined ? [] : await completionsAt(workspace, textDocument.uri, position);
  });
  connection.onHover(async (params) => {
    const found = await currentPage(of(params.textDocument.uri)?.workspace, params);
    const value = found === undefined ? undefined : await describe(found.loaded, found.places);
    return value === undefined ? null : { contents: { kind: MarkupKind.Markdown, value } };
  });
  connection.onDefinition(async (params) => {
    const workspace = of(params.textDocument.uri)?.workspace;
    const found = await currentPage(workspace, params);
    const [place] = found?.places ?? [];
    const at = found === undefined || place === undefined ? undefined : await declarationOf(found.loaded, place);
    if (at === undefined || workspace === undefined) return null;
    const start = { line: at.line - 1, character: at.column - 1 };
    return { uri: workspace.uriOf(at.file), range: { start, end: start } };
  });
  serveFeatures(connection, {
    of: (uri) => of(uri)?.workspace,
    all: () => {
      for (const folder of folders) inFolder(folder);
      return [...workspaces.values()].map(({ workspace }) => workspace);
    },
  });
  connection.listen();
}

/** Returns the nodes at a position, from the last state that loaded completely. */
async function currentPage(workspace: Workspace | undefined, { textDocument, position }: TextDocumentPositionParams) {
  const loaded = await workspace?.complete();
  if (workspace === undefined || loaded === undefined) return undefined;
  return { loaded, places: placesAt(loaded, workspace.nameOf(textDocument.uri), position) };
}

/** A workspace that sends its diagnostics to the editor whenever they change. */
class Watched {
  readonly workspace: Workspace;
  readonly #connection: Connection;
  /** Files for which the editor has diagnostics. */
  #reported = new Set<string>();
  /** Files that were opened or changed since the last check. */
  #waiting = new Set<string>();
  #isLooking = false;
  #isDue = false;

  constructor(connection: Connection, workspace: Workspace) {
    this.#connection = connection;
    this.workspace = workspace;
  }

  /**
   * Starts a check. Only one check runs at a time; later changes are checked right after it. For `uri`, the editor gets a result even
   * without diagnostics.
   */
  look(uri?: string): void {
    this.#isDue = true;
    if (uri !== undefined) this.#waiting.add(this.workspace.nameOf(uri));
    if (this.#isLooking) return;
    this.#isLooking = true;
    void this.#checkWhileDue().finally(() => {
      this.#isLooking = false;
    });
  }

  async #checkWhileDue(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      try {
        await this.#publish();
      } catch (error) {
        if (!this.#isReported(error)) return;
      }
    }
  }

  /** Writes an error to the editor's log. Returns false if the editor has closed the connection. */
  #isReported(error: unknown): boolean {
    if (error instanceof ConnectionError) return false;
    try {
      this.#connection.console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return true;
    } catch {
      return false;
    }
  }

  async #publish(): Promise<void> {
    const { workspace } = this;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    const checked = await workspace.check();
    const lineOf = (file: string, line: number): string | undefined => workspace.textOf(workspace.uriOf(file))?.split("\n")[line];
    const found = diagnosticsOf(checked, workspace.file, lineOf);
    const files = new Set(found.keys());
    for (const file of new Set([...files, ...this.#reported, ...waiting])) await this.#send(file, found.get(file) ?? []);
    this.#reported = files;
  }

  async #send(file: string, diagnostics: readonly Diagnostic[]): Promise<void> {
    await this.#connection.sendDiagnostics({ uri: this.workspace.uriOf(file), diagnostics: [...diagnostics] });
  }
}

/**
 * Returns diagnostics by file name. Errors without a file appear at the top of `fallback`, the configuration.
 * @param lineOf Returns the text of a line (0-based) of a file. Undefined if not known.
 */
function diagnosticsOf(
  { errors, warnings }: Pick<Checked, "errors" | "warnings">,
  fallback: string,
  lineOf: (file: string, line: number) => string | undefined,
): ReadonlyMap<string, readonly Diagnostic[]> {
  const found = new Map<string, Diagnostic[]>();
  const add = (error: PlumblineError, severity: DiagnosticSeverity): void => {
    const file = error.where.file ?? fallback;
    const line = Math.max(0, (error.where.line ?? 1) - 1);
    const start = Math.max(0, (error.where.column ?? 1) - 1);
    const range = { start: { line, character: start }, end: { line, character: endOf(lineOf(file, line), start) } };
    const message = printable(error.next === undefined ? error.message : `${error.message} ${error.next}`);
    const href = referenceOf(error.code);
    const link = href === undefined ? {} : { codeDescription: { href } };
    const list = found.get(file) ?? [];
    found.set(file, [...list, { range, severity, code: error.code, ...link, source: "plumbline", message }]);
  };
  for (const error of errors) add(error, DiagnosticSeverity.Error);
  for (const warning of warnings) add(warning, DiagnosticSeverity.Warning);
  return found;
}

/** Returns the end of the word or quoted text that begins at `start`, without the colon of a key. */
function endOf(text: string | undefined, start: number): number {
  const rest = text?.slice(start) ?? "";
  const word = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,#\]}]+?(?=:?(?:[\s,\]}]|$)))/.exec(rest)?.[0] ?? " ";
  return start + word.length;
}
