import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  CompletionRequest,
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExitNotification,
  HoverRequest,
  InitializeRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import type { TaintWorld } from "./world.js";

/** An editor with an open document sends requests about each of its lines to `plumbline lsp`. */
export async function editorAsks(world: TaintWorld): Promise<void> {
  const server = spawn(process.execPath, ["dist/cli.js", "lsp", "--log-level", "debug"], { env: { ...process.env, ...world.environment } });
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (bytes: Buffer) => world.note("plumbline lsp", String(bytes)));
  const editor = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  editor.listen();
  await editor.sendRequest(InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} });
  const file = join(world.repository, "docs", "edge.yaml");
  const uri = pathToFileURL(file).href;
  const text = readFileSync(file, "utf8");
  await editor.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "yaml", version: 1, text } });
  for (const [line, words] of text.split("\n").entries()) {
    const position = { line, character: Math.max(0, words.length - 4) };
    await editor.sendRequest(HoverRequest.type, { textDocument: { uri }, position });
    await editor.sendRequest(CompletionRequest.type, { textDocument: { uri }, position });
  }
  await editor.sendRequest(ShutdownRequest.type);
  const ended = once(server, "exit");
  await editor.sendNotification(ExitNotification.type);
  const [code] = await ended;
  if (code === 0) world.succeeded.add("lsp");
  editor.dispose();
}
