import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { version } from "../../../src/core/version.js";
import { afterTest } from "../../after-test.js";

it("plumbline lsp ends silently when the editor is gone", async () => {
  const server = spawn(process.execPath, ["dist/cli.js", "lsp"], { stdio: ["pipe", "ignore", "inherit"] });
  afterTest(() => void server.kill("SIGKILL"));
  const ended = once(server, "exit");
  server.stdin.end();
  expect(await ended).toEqual([0, null]);
});

it("plumbline lsp communicates through standard input and output, and ends on request", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lsp-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "plumbline.yaml");
  writeFileSync(file, "format: 1\n");
  const server = spawn(process.execPath, ["dist/cli.js", "lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  afterTest(() => void server.kill("SIGKILL"));
  const ended = once(server, "exit");
  const editor = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  const told = new Promise<PublishDiagnosticsParams>((resolve) => {
    editor.onNotification(PublishDiagnosticsNotification.type, resolve);
  });
  editor.listen();
  const { serverInfo } = await editor.sendRequest(InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} });
  expect(serverInfo).toEqual({ name: "plumbline", version });
  const uri = pathToFileURL(file).href;
  await editor.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "yaml", version: 1, text: "format: 1\nowner: netops\ndocuments: [edge]\n" },
  });
  expect(await told).toMatchObject({ uri, diagnostics: [{ code: "configuration-invalid", severity: 1, source: "plumbline" }] });
  await editor.sendRequest(ShutdownRequest.type);
  await editor.sendNotification(ExitNotification.type);
  expect(await ended).toEqual([0, null]);
  editor.dispose();
});
