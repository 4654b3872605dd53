import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type {
  CodeAction,
  CompletionItem,
  Diagnostic,
  DocumentSymbol,
  Location,
  Range,
  SymbolInformation,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver/node";
import { addressIn } from "../../../src/cli/lsp/error-links.js";
import { Editor } from "./editor.js";

let folder: string;
let editor: Editor | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "names-"));
  execFileSync("git", ["init", "--quiet", folder]);
});

afterEach(async () => {
  await editor?.end();
  editor = undefined;
  rmSync(folder, { recursive: true });
});

const target = (name: string): string =>
  `  ${name}: { kind: panos, url: "https://192.0.2.1", credentials: { username: netops, password: "\${env:PW}" } }`;
const configuration = (...targets: string[]): string =>
  ["format: 1", "owner: netops", "documents: [docs]", "targets:", ...targets.map(target), ""].join("\n");

/** Writes the documents and starts the server over standard input and output. */
async function project(documents: Readonly<Record<string, string>>, ...targets: string[]): Promise<void> {
  const files = { "plumbline.yaml": configuration(...targets), ...documents };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  editor = await Editor.start([resolve("dist/cli.js"), "lsp"], folder);
  for (const name of Object.keys(documents)) await served().show(at(name));
}

function served(): Editor {
  if (editor === undefined) throw new Error("no project is open");
  return editor;
}

function at(name: string): string {
  return join(folder, name);
}

function replaced(text: string, edits: readonly { readonly range: Range; readonly newText: string }[]): string {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const offset = ({ line, character }: Range["start"]): number => (starts[line] ?? text.length) + character;
  return [...edits]
    .sort((a, b) => offset(b.range.start) - offset(a.range.start))
    .reduce((before, { range, newText }) => before.slice(0, offset(range.start)) + newText + before.slice(offset(range.end)), text);
}

/** Renames at a text and returns the new texts of all changed documents. */
async function renamed(file: string, behind: string, newName: string): Promise<Record<string, string>> {
  const { changes = {} } = await served().ask<WorkspaceEdit>("textDocument/rename", at(file), behind, { newName });
  const files = Object.entries(changes).map(([uri, edits]) => {
    const path = fileURLToPath(uri);
    return [path.slice(folder.length + 1), replaced(readFileSync(path, "utf8"), edits as TextEdit[])] as const;
  });
  return Object.fromEntries(files);
}

function validates(): string {
  return execFileSync(process.execPath, [resolve("dist/cli.js"), "validate"], { cwd: folder, encoding: "utf8" });
}

const rule = (name: string, source: string): string =>
  [
    `        - name: ${name}`,
    "          from: [any]",
    "          to: [any]",
    `          source: [${source}]`,
    "          destination: [any]",
    "          application: [any]",
    "          service: [application-default]",
    "          action: allow",
  ].join("\n");
const rules = (head: string, ...all: string[]): string =>
  [head, "config:", "  rulebase:", "    security:", "      rules:", ...all, ""].join("\n");

describe("rename", () => {
  it("changes the object, its references in all documents, XPaths and assertions, and notes the former name", async () => {
    await project(
      {
        "docs/objects.yaml":
          'target: edge\nscope: vsys1\nignore:\n  - { path: "address/entry[@name=\'web-1\']/description", owner: x, reason: y }\nconfig:\n  address:\n    web-1: { ip-netmask: 10.0.0.1 } # front\n    "web-2":\n      ip-netmask: 10.0.0.2\n  address-group:\n    webs: { static: [web-1, "web-2"] }\n',
        "docs/rules.yaml": rules("target: edge\nscope: vsys1", rule("in", "web-1"), rule("in-2", "webs")),
        "docs/checks.yaml": "target: edge\nscope: vsys1\nassert:\n  - { name: a, verdict: deny, source: [web-1], destination: [web-2] }\n",
        "docs/core.yaml":
          "target: core\nscope: vsys1\nconfig:\n  address:\n    web-1: { ip-netmask: \"${edge:devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='web-1']/ip-netmask}\" }\n",
      },
      "edge",
      "core",
    );
    const files = await renamed("docs/rules.yaml", "source: [web-", "front-1");
    expect(files["docs/objects.yaml"]).toContain("front-1: { $was: web-1, ip-netmask: 10.0.0.1 } # front");
    expect(files["docs/objects.yaml"]).toContain("address/entry[@name='front-1']/description");
    expect(files["docs/objects.yaml"]).toContain('static: [front-1, "web-2"]');
    expect(files["docs/rules.yaml"]).toContain("source: [front-1]");
    expect(files["docs/checks.yaml"]).toContain("source: [front-1]");
    // Another target has an object of the same name.
    expect(files["docs/core.yaml"]).toMatch(/^ {4}web-1: .*address\/entry\[@name='front-1'\]\/ip-netmask/m);
    for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
    expect(validates()).toContain("valid");
    for (const name of Object.keys(files)) await served().show(at(name));
    const block = await renamed("docs/objects.yaml", '"web-', "back 2");
    expect(block["docs/objects.yaml"]).toContain('    "back 2":\n      $was: web-2\n      ip-netmask: 10.0.0.2\n');
    expect(block["docs/objects.yaml"]).toContain('static: [front-1, "back 2"]');
    expect(block["docs/checks.yaml"]).toContain("destination: [back 2]");
    // The former name again needs no $was.
    const back = await renamed("docs/objects.yaml", "    front-", "web-1");
    expect(back["docs/objects.yaml"]).toContain("    web-1: { ip-netmask: 10.0.0.1 } # front");
  });

  it("distinguishes scopes: a virtual system hides the shared object of the same name", async () => {
    await project(
      {
        "docs/shared.yaml": "target: edge\nscope: shared\nconfig:\n  address:\n    web: { ip-netmask: 10.0.0.1 }\n",
        "docs/vsys1.yaml": "target: edge\nscope: vsys1\nconfig:\n  address:\n    web: { ip-netmask: 10.0.0.2 }\n",
        "docs/one.yaml": rules("target: edge\nscope: vsys1", rule("in", "web")),
        "docs/two.yaml": rules("target: edge\nscope: vsys2", rule("in", "web")),
      },
      "edge",
    );
    expect(Object.keys(await renamed("docs/shared.yaml", "    we", "everywhere")).sort()).toEqual(["docs/shared.yaml", "docs/two.yaml"]);
    expect(Object.keys(await renamed("docs/vsys1.yaml", "    we", "here")).sort()).toEqual(["docs/one.yaml", "docs/vsys1.yaml"]);
    // In vsys1, the name of the shared object would then mean the object of vsys1.
    writeFileSync(at("docs/vsys1.yaml"), readFileSync(at("docs/vsys1.yaml"), "utf8").replace("web:", "mine:"));
    await served().show(at("docs/vsys1.yaml"));
    await expect(renamed("docs/shared.yaml", "    we", "mine")).rejects.toThrow(/another object has the name "mine"/);
  });

  it("refuses a name in device groups whose hierarchy decides, and changes it if only one object has the name", async () => {
    const group = (name: string, ...lines: string[]): string =>
      [`target: pano`, `scope: device-group/${name}`, "config:", ...lines, ""].join("\n");
    const object = (name: string): string[] => ["  address:", `    ${name}: { ip-netmask: 10.0.0.1 }`];
    await project(
      {
        "docs/parent.yaml": group("parent", ...object("web"), ...object("only").slice(1)),
        "docs/other.yaml": group("other", ...object("web")),
        "docs/child.yaml": group("child", "  address-group:", "    a: { static: [web] }", "    b: { static: [only] }"),
      },
      "pano",
    );
    await expect(renamed("docs/parent.yaml", "    we", "www")).rejects.toThrow(/docs\/child.yaml:5 can mean "web" of .*hierarchy/);
    expect((await renamed("docs/parent.yaml", "    on", "single"))["docs/child.yaml"]).toContain("static: [single]");
  });

  it("renames in all targets of a document, and in every document that declares a part", async () => {
    const part = (more: string): string => `config:\n  address:\n    web: { $partial: true, ${more} }\n`;
    await project(
      {
        "docs/all.yaml": `targets: all\nscope: vsys1\n${part("ip-netmask: 10.0.0.1")}`,
        "docs/edge.yaml": `target: edge\nscope: vsys1\n${part("description: front")}`,
        "docs/core.yaml": rules("target: core\nscope: vsys1", rule("in", "web")),
      },
      "edge",
      "core",
    );
    const files = await renamed("docs/edge.yaml", "    we", "front");
    expect(Object.keys(files).sort()).toEqual(["docs/all.yaml", "docs/core.yaml", "docs/edge.yaml"]);
    expect(files["docs/all.yaml"]).toContain("front: { $was: web, $partial: true, ip-netmask: 10.0.0.1 }");
  });

  it("renames rules with their anchors, and refuses names that expressions make, occupied names and scopes", async () => {
    const objects = (...lines: string[]): string => ["target: edge", "scope: vsys1", "config:", "  address:", ...lines, ""].join("\n");
    await project(
      {
        "docs/rules.yaml": [
          "target: edge",
          "scope: vsys1",
          "config:",
          "  rulebase:",
          "    security:",
          "      rules:",
          "        $position: top",
          "        $entries:",
          rule("first", "any").replaceAll(/^/gm, "  "),
          "",
        ].join("\n"),
        "docs/later.yaml": [
          "target: edge",
          "scope: vsys1",
          "config:",
          "  rulebase:",
          "    security:",
          "      rules:",
          "        $position: { after: first }",
          "        $entries:",
          rule("second", "any").replaceAll(/^/gm, "  "),
          "",
        ].join("\n"),
        "docs/objects.yaml": objects(
          "    host: { $count: 2, ip-netmask: 10.0.0.1 }",
          "    a: { ip-netmask: 10.0.0.3 }",
          "    b: { ip-netmask: 10.0.0.4 }",
        ),
        "docs/group.yaml": "target: edge\nscope: device\nconfig:\n  vsys:\n    vsys9: { $partial: true, display-name: x }\n",
      },
      "edge",
    );
    const files = await renamed("docs/rules.yaml", "name: fir", "top");
    expect(files["docs/rules.yaml"]).toContain("- name: top\n            $was: first\n            from: [any]");
    expect(files["docs/later.yaml"]).toContain("$position: { after: top }");
    await expect(renamed("docs/objects.yaml", "    ho", "server")).rejects.toThrow(/comes from host/);
    await expect(renamed("docs/objects.yaml", "    a", "b")).rejects.toThrow(/has a "b" already/);
    await expect(renamed("docs/group.yaml", "    vsy", "vsys8")).rejects.toThrow(/is a scope/);
    await expect(served().ask("textDocument/prepareRename", at("docs/rules.yaml"), "action: al")).rejects.toThrow(/no name/);
    expect(await served().ask("textDocument/prepareRename", at("docs/objects.yaml"), "    a")).toMatchObject({ placeholder: "a" });
  });
});

describe("other requests", () => {
  const documents = {
    "docs/objects.yaml":
      "target: edge\nscope: vsys1\nconfig:\n  address:\n    web-1: { ip-netmask: 10.0.0.1 }\n  address-group:\n    webs: {   static: [web-1]}\n",
    "docs/rules.yaml": rules("target: edge\nscope: vsys1", rule("in", "web-1")),
  };

  it("finds references, and symbols of a document and of all documents", async () => {
    await project(documents, "edge");
    const found = await served().ask<Location[]>("textDocument/references", at("docs/rules.yaml"), "source: [web", {
      context: { includeDeclaration: true },
    });
    const places = found.map(({ uri, range }) => `${fileURLToPath(uri).slice(folder.length + 1)}:${range.start.line + 1}`);
    expect(places.sort()).toEqual(["docs/objects.yaml:5", "docs/objects.yaml:7", "docs/rules.yaml:10"]);
    const uri = pathToFileURL(at("docs/objects.yaml")).href;
    const tree = await served().request<DocumentSymbol[]>("textDocument/documentSymbol", { textDocument: { uri } });
    expect(tree.map(({ name, children = [] }) => [name, children.map((child) => child.name)])).toEqual([
      ["address", ["web-1"]],
      ["address-group", ["webs"]],
    ]);
    const symbols = await served().request<SymbolInformation[]>("workspace/symbol", { query: "wb1" });
    expect(symbols.map(({ name }) => name)).toEqual(["web-1"]);
  });

  it("fixes a misspelt word, links the error, and formats like plumbline fmt", async () => {
    await project(documents, "edge");
    const file = at("docs/rules.yaml");
    const text = documents["docs/rules.yaml"];
    for (const [wrong, right] of [
      ["source: [wbe-1]", "source: [web-1]"],
      ["action: allwo", "action: allow"],
      ["aplication: [any]", "application: [any]"],
    ] as const) {
      const broken = text.replace(right, wrong);
      const diagnostics = (await served().show(file, broken)) as Diagnostic[];
      const [{ code, codeDescription }] = diagnostics as [Diagnostic];
      const line = Number(/#L(\d+)$/.exec(codeDescription?.href ?? "")?.[1]);
      expect(readFileSync("docs/errors.md", "utf8").split("\n")[line - 1]).toBe(`## ${code}`);
      const uri = pathToFileURL(file).href;
      const [action] = await served().request<CodeAction[]>("textDocument/codeAction", {
        textDocument: { uri },
        range: diagnostics[0]?.range,
        context: { diagnostics },
      });
      expect(replaced(broken, action?.edit?.changes?.[uri] ?? [])).toBe(text);
    }
    const objects = at("docs/objects.yaml");
    const edits = await served().ask<TextEdit[]>("textDocument/formatting", objects, "target", {
      options: { tabSize: 2, insertSpaces: true },
    });
    execFileSync(process.execPath, [resolve("dist/cli.js"), "fmt", objects]);
    expect(replaced(documents["docs/objects.yaml"], edits)).toBe(readFileSync(objects, "utf8"));
    expect(readFileSync(objects, "utf8")).toContain("webs: { static: [web-1] }");
  });

  it("completes keys of headers, containers, entries and rules, without those that are written", async () => {
    await project(documents, "edge");
    const complete = async (name: string, text: string, behind: string): Promise<string[]> => {
      await served().show(at(name), text);
      const found = await served().ask<CompletionItem[]>("textDocument/completion", at(name), behind);
      return found.map(({ label }) => label);
    };
    const begun = `${documents["docs/rules.yaml"]}          dis`;
    const fields = await complete("docs/rules.yaml", begun, "          dis");
    expect(fields).toEqual(expect.arrayContaining(["disabled", "$was", "tag"]));
    expect(fields).not.toContain("action");
    const flow = documents["docs/objects.yaml"].replace("{ ip-netmask: 10.0.0.1 }", "{ d }");
    expect(await complete("docs/objects.yaml", flow, "web-1: { d")).toEqual(expect.arrayContaining(["description", "ip-netmask", "fqdn"]));
    const head = await complete("docs/objects.yaml", `ow\n${documents["docs/objects.yaml"]}`, "ow");
    expect(head).toEqual(expect.arrayContaining(["owns", "ignore"]));
    expect(head).not.toContain("target");
    expect(await complete("docs/objects.yaml", `${documents["docs/objects.yaml"]}  ser`, "  ser")).toContain("service");
  });

  it("links errors to the repository that released the package", () => {
    const manifest = JSON.stringify({ repository: { type: "git", url: "git+https://git.example.net/netops/plumbline.git" } });
    expect(addressIn(manifest)).toMatch(/^https:\/\/git\.example\.net\/netops\/plumbline\/blob\/v[\d.]+\/docs\/errors\.md$/);
    expect(addressIn("{}")).toBeUndefined();
  });
});
