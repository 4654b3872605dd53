import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeDocuments } from "../../src/cli/write-documents.js";
import type { PassOptions } from "../../src/engine/pass/options.js";

let folder: string;
let options: Pick<PassOptions, "source">;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-write-"));
  options = { source: { configurationFile: join(folder, "plumbline.yaml"), kinds: new Map(), environment: {} } };
});
afterEach(() => rmSync(folder, { recursive: true }));

const edit = (file: string) => {
  writeFileSync(join(folder, file), "before\n");
  return { file, before: "before\n", after: "after\n" };
};
const text = (file: string) => readFileSync(join(folder, file), "utf8");
/** No name is left for the temporary file next to it. */
const LONG = `${"x".repeat(250)}.yaml`;

it("writes all documents", async () => {
  expect(await writeDocuments([edit("a.yaml"), edit("b.yaml")], options)).toBe("written  a.yaml, b.yaml");
  expect([text("a.yaml"), text("b.yaml")]).toEqual(["after\n", "after\n"]);
});

it("restores the documents that it wrote before one that cannot be written", async () => {
  const writing = writeDocuments([edit("a.yaml"), edit("b.yaml"), edit(LONG), edit("c.yaml")], options);
  await expect(writing).rejects.toMatchObject({
    code: "document-not-written",
    message: expect.stringMatching(/x\.yaml cannot be written: ENAMETOOLONG.*All documents have their former content\./),
  });
  expect(["a.yaml", "b.yaml", LONG, "c.yaml"].map(text)).toEqual(Array(4).fill("before\n"));
});

it("writes nothing if a document changed since it was read", async () => {
  const files = [edit("a.yaml"), { ...edit("b.yaml"), before: "earlier\n" }];
  await expect(writeDocuments(files, options)).rejects.toMatchObject({ code: "document-changed" });
  expect(text("a.yaml")).toBe("before\n");
});
