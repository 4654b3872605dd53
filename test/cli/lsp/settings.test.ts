import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { afterTest } from "../../after-test.js";
import { Editor } from "./editor.js";

const MANIFEST = JSON.parse(readFileSync("editors/vscode/package.json", "utf8"));

/** Starts the server as an editor does, and checks that it answers. */
async function expectAnswers(command: readonly string[]): Promise<void> {
  const [program, ...args] = command;
  expect(program).toBe("plumbline");
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "settings-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  cpSync("desired-state", folder, { recursive: true });
  execFileSync("git", ["init", "--quiet", folder]);
  const editor = await Editor.start([resolve("dist/cli.js"), ...args.filter((arg) => arg !== "--stdio")], folder);
  afterTest(() => editor.end());
  expect(await editor.show(join(folder, "edge/rules/security.yaml"))).toEqual([]);
}

it("the extension for VS Code starts the server for YAML files", async () => {
  const started: { server?: { command: string; args: string[] }; client?: object } = {};
  const vscode = {
    workspace: {
      getConfiguration: (section: string) => ({
        get: (key: string) => MANIFEST.contributes.configuration.properties[`${section}.${key}`].default,
      }),
      createFileSystemWatcher: () => ({}),
    },
  };
  class LanguageClient {
    constructor(_id: string, _name: string, server: { command: string; args: string[] }, client: object) {
      Object.assign(started, { server, client });
    }
    async start(): Promise<void> {}
  }
  const modules: Readonly<Record<string, object>> = { vscode, "vscode-languageclient/node": { LanguageClient } };
  const exports: { activate?: () => Promise<void> } = {};
  const load = (name: string): unknown => modules[name] ?? createRequire(import.meta.url)(name);
  runInNewContext(readFileSync("editors/vscode/extension.cjs", "utf8"), { require: load, exports });
  await exports.activate?.();
  expect(started.client).toMatchObject({ documentSelector: [{ language: "yaml" }] });
  await expectAnswers([started.server?.command ?? "", ...(started.server?.args ?? [])]);
});

it("the settings of docs/editor.md for Neovim start the server", async () => {
  const [, words = ""] = /cmd = \{([^}]*)\}/.exec(readFileSync("docs/editor.md", "utf8")) ?? [];
  await expectAnswers([...words.matchAll(/'([^']+)'/g)].map(([, word]) => word ?? ""));
});
