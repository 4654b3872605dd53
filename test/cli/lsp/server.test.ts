import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import {
  CompletionRequest,
  type Connection,
  createConnection,
  createProtocolConnection,
  DefinitionRequest,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  HoverRequest,
  InitializeRequest,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { serve } from "../../../src/cli/lsp/server.js";
import { afterTest } from "../../after-test.js";

const CONFIGURATION = [
  "format: 1",
  "owner: netops",
  "documents: [edge]",
  "targets:",
  '  edge: { kind: panos, url: "https://192.0.2.1", credentials: { username: netops, password: "${env:PW}" } }',
  '  core: { kind: panos, url: "https://192.0.2.2", credentials: { username: netops, password: "${env:PW}" } }',
  "",
].join("\n");
const OBJECTS = [
  "target: edge",
  "scope: vsys1",
  "config:",
  "  address:",
  "    web-1: { ip-netmask: 10.0.0.1 }",
  "    web-2: { ip-netmask: 10.0.0.2 }",
  "  address-group:",
  "    webs: { static: [web-1] }",
  "",
].join("\n");
const RULES = [
  "target: edge",
  "scope: vsys1",
  "config:",
  "  rulebase:",
  "    security:",
  "      rules:",
  "        - name: in",
  "          from: [any]",
  "          to: [any]",
  "          source: [webs]",
  "          destination: [any]",
  "          application: [any]",
  "          service: [application-default]",
  "          action: allow",
  "",
].join("\n");

let folder: string;
let editor: ProtocolConnection;
let told: PublishDiagnosticsParams[];
let wake: () => void = () => undefined;
/** Called whenever the server requests the current day. */
let breaks: ((server: Connection) => void) | undefined;

const uri = (file: string): string => pathToFileURL(join(folder, file)).href;

/** An editor with a server of its own. */
beforeEach(async () => {
  breaks = undefined;
  folder = mkdtempSync(join(tmpdir(), "lsp-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "edge"));
  writeFileSync(join(folder, "plumbline.yaml"), CONFIGURATION);
  writeFileSync(join(folder, "edge", "objects.yaml"), OBJECTS);
  writeFileSync(join(folder, "edge", "rules.yaml"), RULES);
  const [up, down] = [new PassThrough(), new PassThrough()];
  const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  serve(server, {
    environment: {},
    now: () => {
      breaks?.(server);
      return new Date(Date.UTC(2026, 0, 2));
    },
    configurationOf: (at) => (at.startsWith(folder) ? join(folder, "plumbline.yaml") : undefined),
  });
  editor = createProtocolConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  told = [];
  editor.onNotification(PublishDiagnosticsNotification.type, (params) => {
    told.push(params);
    wake();
  });
  editor.listen();
  afterTest(() => {
    editor.dispose();
    if (breaks === undefined) server.dispose();
  });
  const { capabilities } = await editor.sendRequest(InitializeRequest.type, { processId: null, rootUri: uri(""), capabilities: {} });
  expect(capabilities).toMatchObject({ hoverProvider: true, definitionProvider: true });
});

async function open(file: string, text: string): Promise<void> {
  await editor.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri: uri(file), languageId: "yaml", version: 1, text },
  });
}

async function change(file: string, text: string): Promise<void> {
  await editor.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { uri: uri(file), version: 2 },
    contentChanges: [{ text }],
  });
}

/** The last diagnostics of a file that match. */
async function diagnostics(file: string, fits: (found: PublishDiagnosticsParams["diagnostics"]) => boolean) {
  for (;;) {
    const last = told.findLast((each) => each.uri === uri(file));
    if (last !== undefined && fits(last.diagnostics)) return last.diagnostics;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** The first position of a text in a document, with the cursor after the given number of characters. */
function cursor(text: string, part: string, behind = 1) {
  const before = text.slice(0, text.indexOf(part));
  const lines = before.split("\n");
  return { line: lines.length - 1, character: (lines.at(-1)?.length ?? 0) + behind };
}

async function completions(file: string, text: string, part: string, behind: number): Promise<string[]> {
  const found = await editor.sendRequest(CompletionRequest.type, {
    textDocument: { uri: uri(file) },
    position: cursor(text, part, behind),
  });
  return (Array.isArray(found) ? found : (found?.items ?? [])).map(({ label }) => label);
}

describe("an editor", () => {
  it("shows the errors of validate at the key before the file is saved, and clears them", async () => {
    const wrong = OBJECTS.replace("10.0.0.1", "10.0.0.999");
    await open("edge/objects.yaml", wrong);
    const [fault] = await diagnostics("edge/objects.yaml", (found) => found.length === 1);
    const at = cursor(wrong, "ip-netmask", 0);
    expect(fault).toMatchObject({ code: "value-type", severity: 1, source: "plumbline", message: expect.stringContaining("10.0.0.999") });
    expect(fault?.range).toEqual({ start: at, end: { ...at, character: at.character + "ip-netmask".length } });
    await change("edge/objects.yaml", OBJECTS);
    expect(await diagnostics("edge/objects.yaml", (found) => found.length === 0)).toEqual([]);
  });

  it("shows invalid YAML, unknown targets and unknown keys", async () => {
    await open("edge/rules.yaml", `${RULES}  broken: [`);
    expect(await diagnostics("edge/rules.yaml", (found) => found.length > 0)).toMatchObject([{ severity: 1 }]);
    await change("edge/rules.yaml", RULES.replace("target: edge", "target: egde"));
    const [unknown] = await diagnostics("edge/rules.yaml", (found) => JSON.stringify(found).includes("egde"));
    expect(unknown?.message).toContain('Did you mean "edge"?');
    await change("edge/rules.yaml", RULES.replace("application:", "aplication:"));
    const [key] = await diagnostics("edge/rules.yaml", (found) => JSON.stringify(found).includes("aplication"));
    expect(key).toMatchObject({ severity: 1, code: "unknown-field", range: { start: cursor(RULES, "application:", 0) } });
  });

  it("shows an undeclared name at its use", async () => {
    const wrong = RULES.replace("source: [webs]", "source: [wbes]");
    await open("edge/rules.yaml", wrong);
    const [fault] = await diagnostics("edge/rules.yaml", (found) => found.length === 1);
    const start = cursor(wrong, "wbes", 0);
    expect(fault).toMatchObject({ code: "name-undeclared", severity: 2, message: expect.stringContaining('Did you mean "webs"?') });
    expect(fault?.range).toEqual({ start, end: { ...start, character: start.character + 4 } });
  });

  it("shows problems of an unsaved document in a documents folder, and none elsewhere", async () => {
    const wrong = OBJECTS.replaceAll("web-", "new-").replace("webs:", "news:").replace("10.0.0.1", "10.0.0.999");
    await open("edge/new.yaml", wrong);
    expect(await diagnostics("edge/new.yaml", (found) => found.length > 0)).toMatchObject([{ code: "value-type" }]);
    for (const elsewhere of ["elsewhere/new.yaml", "edge/notes.txt", "edgeless.yaml"]) {
      await open(elsewhere, wrong);
      expect(await diagnostics(elsewhere, () => true)).toEqual([]);
    }
  });

  it("shows problems of the open version of plumbline.yaml", async () => {
    await open("plumbline.yaml", CONFIGURATION.replace("owner: netops", "ownr: netops"));
    const found = await diagnostics("plumbline.yaml", (each) => each.length > 0);
    expect(JSON.stringify(found).includes("ownr")).toBe(true);
    await editor.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri: uri("plumbline.yaml") } });
    expect(await diagnostics("plumbline.yaml", (each) => each.length === 0)).toEqual([]);
  });

  it("completes objects that the field may reference, also unsaved ones, and its fixed values", async () => {
    await open("edge/objects.yaml", OBJECTS.replace("web-2:", "web-new:"));
    await open("edge/rules.yaml", RULES);
    const source = await completions("edge/rules.yaml", RULES, "[webs]", 3);
    expect(source).toEqual(expect.arrayContaining(["web-1", "web-new", "webs", "any"]));
    expect(source).not.toContain("web-2");
    expect(source).not.toContain("in");
    const action = await completions("edge/rules.yaml", RULES, "action: allow", 9);
    expect(action).toEqual(expect.arrayContaining(["allow", "deny", "reset-both"]));
    expect(action).not.toContain("web-1");
  });

  it("completes empty names, targets, scopes and the start of expressions", async () => {
    const empty = RULES.replace("source: [webs]", "source: []");
    await open("edge/rules.yaml", empty);
    expect(await completions("edge/rules.yaml", empty, "source: []", 9)).toContain("webs");
    expect(await completions("edge/rules.yaml", RULES, "target: edge", 8)).toEqual(["edge", "core"]);
    expect(await completions("edge/rules.yaml", RULES, "scope: vsys1", 7)).toContain("shared");
    const begun = RULES.replace("action: allow", 'description: "${');
    await change("edge/rules.yaml", begun);
    expect(await completions("edge/rules.yaml", begun, '"${', 3)).toEqual(expect.arrayContaining(["env:", "core:"]));
  });

  it("shows type and reference of a field, and jumps to its declaration", async () => {
    await open("edge/rules.yaml", RULES);
    const hover = async (part: string, behind = 1) => {
      const found = await editor.sendRequest(HoverRequest.type, {
        textDocument: { uri: uri("edge/rules.yaml") },
        position: cursor(RULES, part, behind),
      });
      return JSON.stringify(found?.contents ?? null);
    };
    const action = await hover("allow");
    expect(action).toContain("rules/entry[@name='in']/action");
    expect(action).toContain("edge (owner netops)");
    expect(action).toContain("One of deny, allow, drop");
    const named = await hover("webs");
    expect(named).toContain("Declared at edge/objects.yaml:8");
    const at = await editor.sendRequest(DefinitionRequest.type, {
      textDocument: { uri: uri("edge/rules.yaml") },
      position: cursor(RULES, "webs"),
    });
    expect(at).toMatchObject({ uri: uri("edge/objects.yaml"), range: { start: { line: 7 } } });
    expect(await hover("config:")).toBe("null");
  });

  it("can disconnect while documents are read", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", note);
    afterTest(() => process.off("unhandledRejection", note));
    const failed = new Promise<void>((resolve) => {
      breaks = (server) => {
        server.dispose();
        resolve();
        throw new Error("the folder is gone, too");
      };
    });
    await open("edge/objects.yaml", OBJECTS);
    await failed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it("shows nothing for files outside a desired state", async () => {
    await open("../elsewhere.yaml", "a: [");
    await open("edge/objects.yaml", OBJECTS.replace("10.0.0.1", "10.0.0.999"));
    await diagnostics("edge/objects.yaml", (found) => found.length === 1);
    expect(told.map((each) => each.uri)).toEqual([uri("edge/objects.yaml")]);
  });
});
