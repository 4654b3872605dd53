import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { loadConfiguration } from "../../../src/desired/load.js";
import { kinds } from "../../../src/targets/registry.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function errorsOf(text: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-schema-errors-"));
  folders.push(folder);
  writeFileSync(join(folder, "plumbline.yaml"), text);
  const failed = await loadConfiguration(join(folder, "plumbline.yaml"), { environment: {}, kinds, resolveSecrets: false }).catch((e) => e);
  return failed.errors.map(({ message, next }: { message: string; next: string }) => `${message} ${next}`);
}

it.each([
  ["", "The file must be a map. Write its keys: format, owner, "],
  ["- a\n", "`plumbline import` writes a first file."],
  ["owner: x\ndocuments: [d]\ntargets: { a: { kind: memory } }\n", 'The file lacks "format". Write format: 1.'],
  ["format: 1\nowner: x\ndocuments: [d]\ntargets: {}\n", "targets is empty. "],
  ["format: 1\nowner: x\ndocuments: d\ntargets: { a: { kind: memory } }\n", "documents must be a sequence. "],
])("of the whole file says in words what is missing: %j", async (text, words) => {
  expect((await errorsOf(text)).join("\n")).toContain(words);
});
