import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import {
  CompletionRequest,
  createProtocolConnection,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";

/** An editor with one language server, a process of its own that it speaks with on standard input and output. */
export class Editor {
  readonly #server;
  readonly #connection;
  readonly #told = new Map<string, readonly Diagnostic[]>();
  readonly #texts = new Map<string, string>();
  #wake: () => void = () => undefined;
  #version = 0;

  private constructor(program: readonly string[], cwd: string) {
    this.#server = spawn(process.execPath, [...program, "--stdio"], { cwd, stdio: ["pipe", "pipe", "inherit"] });
    this.#connection = createProtocolConnection(new StreamMessageReader(this.#server.stdout), new StreamMessageWriter(this.#server.stdin));
    this.#connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
      this.#told.set(uri, diagnostics);
      this.#wake();
    });
    this.#connection.onRequest(RegistrationRequest.type, () => undefined);
    // Answers like an editor for yaml-language-server whose only setting disables the online schema catalog.
    this.#connection.onRequest("workspace/configuration", ({ items }: { items: { section?: string }[] }) =>
      items.map(({ section }) =>
        section === "yaml" ? { validate: true, hover: true, completion: true, schemaStore: { enable: false } } : null,
      ),
    );
    this.#connection.listen();
  }

  /**

   * @param program the script of the server

   * @param folder the workspace

   */
  static async start(program: readonly string[], folder: string): Promise<Editor> {
    const editor = new Editor(program, folder);
    await editor.#connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      workspaceFolders: null,
      capabilities: { workspace: { configuration: true }, textDocument: { hover: { contentFormat: ["markdown"] } } },
    });
    await editor.#connection.sendNotification(InitializedNotification.type, {});
    return editor;
  }

  /** Opens a file or changes an open one, and waits for its diagnostics. */
  async show(file: string, text = readFileSync(file, "utf8")): Promise<readonly Diagnostic[]> {
    const uri = pathToFileURL(file).href;
    this.#told.delete(uri);
    this.#version++;
    if (this.#texts.has(uri))
      await this.#connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri, version: this.#version },
        contentChanges: [{ text }],
      });
    else
      await this.#connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId: "yaml", version: this.#version, text },
      });
    this.#texts.set(uri, text);
    for (;;) {
      const told = this.#told.get(uri);
      if (told !== undefined) return told;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Completions after a text of an open file. */
  async completions(file: string, behind: string): Promise<string[]> {
    const found = await this.#connection.sendRequest(CompletionRequest.type, this.#at(file, behind));
    return (Array.isArray(found) ? found : (found?.items ?? [])).map(({ label }) => label);
  }

  /** Diagnostics at the end of a text in an open file. */
  async hover(file: string, at: string): Promise<string> {
    return JSON.stringify((await this.#connection.sendRequest(HoverRequest.type, this.#at(file, at)))?.contents ?? null);
  }

  /** Sends a request about the position after a text of an open file. Rejects with the server's message. */
  async ask<Result>(method: string, file: string, behind: string, more: object = {}): Promise<Result> {
    return await this.#connection.sendRequest(method, { ...this.#at(file, behind), ...more });
  }

  /** Sends any other request. */
  async request<Result>(method: string, params: object): Promise<Result> {
    return await this.#connection.sendRequest(method, params);
  }

  async end(): Promise<void> {
    const ended = once(this.#server, "exit");
    this.#connection.dispose();
    this.#server.kill("SIGKILL");
    await ended;
  }

  #at(file: string, behind: string) {
    const uri = pathToFileURL(file).href;
    const text = this.#texts.get(uri) ?? "";
    const lines = text.slice(0, text.indexOf(behind) + behind.length).split("\n");
    return { textDocument: { uri }, position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 } };
  }
}
