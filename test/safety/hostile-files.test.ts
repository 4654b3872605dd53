import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadDesired } from "../../src/desired/load.js";
import { kinds } from "../../src/targets/registry.js";

// A pull request may contain any file. Such files once made a run wait indefinitely or read files outside the checkout.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-hostile-"));
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "docs", "edge.yaml"), "target: edge\nscope: vsys1\nconfig: { tag: { a: {} } }\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

function configure(more: string, password = "${env:FW_PASSWORD}"): void {
  const target = `{ kind: panos, url: "https://192.0.2.10", credentials: { username: admin, password: "${password}" } }`;
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: o\ndocuments: [docs]\n${more}targets:\n  edge: ${target}\n`);
}

async function problems(): Promise<readonly unknown[]> {
  const file = join(folder, "plumbline.yaml");
  const loading = loadDesired(file, { environment: { FW_PASSWORD: "word" }, kinds, today: "2026-03-01", resolveSecrets: true });
  return await loading.then(
    () => [],
    (error: { errors: readonly { code: string; message: string; where: { line?: number } }[] }) =>
      error.errors.map(({ code, message, where }) => ({ code, message, line: where.line })),
  );
}

it("refuses a pattern of exclude: on which another matcher would spend minutes", async () => {
  configure("exclude: ['*.md', '**/@(a*)*(a*)*(a*)*(a*)*b']\n");
  writeFileSync(join(folder, "docs", `${"a".repeat(40)}.yaml`), "x");
  expect(await problems()).toEqual([
    {
      code: "configuration-invalid",
      message: 'exclude: the pattern "**/@(a*)*(a*)*(a*)*(a*)*b" has a (, which has no meaning here.',
      line: 4,
    },
  ]);
});

it("omits files that match patterns of exclude:", async () => {
  configure("exclude: ['**/*.{md,txt}', 'docs/[x-z]*']\n");
  for (const name of ["README.md", "note.txt", "yard.xml"]) writeFileSync(join(folder, "docs", name), "x");
  expect(await problems()).toEqual([]);
});

it("reads no configuration that is a link out of its folder", async () => {
  symlinkSync("/proc/self/environ", join(folder, "plumbline.yaml"));
  expect(await problems()).toMatchObject([{ code: "file-leaves-repository" }]);
});

it("reads a configuration as mounted by Kubernetes, through links within the folder", async () => {
  configure("", "${env:OTHER}");
  mkdirSync(join(folder, "..data"));
  execFileSync("mv", [join(folder, "plumbline.yaml"), join(folder, "..data")]);
  symlinkSync("..data/plumbline.yaml", join(folder, "plumbline.yaml"));
  expect(await problems()).toMatchObject([{ code: "secret-unavailable" }]);
});

it("waits for no pipe in place of the configuration", async () => {
  execFileSync("mkfifo", [join(folder, "plumbline.yaml")]);
  expect(await problems()).toMatchObject([{ code: "configuration-not-found", message: "The configuration file is not a regular file." }]);
});

it("waits for no pipe in place of a secret", async () => {
  configure("", "${file:pipe}");
  execFileSync("mkfifo", [join(folder, "pipe")]);
  expect(await problems()).toMatchObject([{ code: "secret-unavailable", message: "${file:pipe}: the file is not a regular file." }]);
});

it("reads no more of a secret's file than the maximum size of a secret", async () => {
  configure("", "${file:large}");
  writeFileSync(join(folder, "large"), "x".repeat(1_048_577));
  expect(await problems()).toMatchObject([
    { code: "secret-unavailable", message: "${file:large}: the file has more than 1,048,576 bytes." },
  ]);
});
