import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TreeNode } from "../../src/core/tree/node.js";
import { Path } from "../../src/core/tree/path.js";
import type { TargetConfiguration } from "../../src/desired/configuration/configuration.js";
import type { WriteTarget } from "../../src/engine/write-target.js";
import type { Bench } from "./conformance/bench.js";
import { IN_FORCE_AT_ONCE } from "./conformance/on-cloud.js";
import { targetConformance } from "./conformance/target-conformance.js";

/** Blocks of the page that are files, by path: the first line of each names it. */
const files = new Map(
  [...readFileSync("docs/contributing/adding-a-target.md", "utf8").matchAll(/```(?:ts|yaml)\n(?:\/\/|#) (\S+)\n([\s\S]*?)```/g)].map(
    ([, file = "", text = ""]) => [file, text] as const,
  ),
);
const folder = mkdtempSync(join(tmpdir(), "plumbline-toy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(house: string, chosen: (file: string) => boolean): void {
  for (const [file, text] of files) {
    if (!chosen(file)) continue;
    mkdirSync(dirname(join(house, file)), { recursive: true });
    writeFileSync(join(house, file), text);
  }
}

function run(house: string, command: string, ...words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((done) => {
    const env = { ...process.env, PLUMBLINE_STATE_DIR: join(house, "state") };
    const child = execFile(command, words, { cwd: house, env }, (_, out, err) => done({ code: child.exitCode ?? -1, said: out + err }));
  });
}

it("changes nothing of the program except the list of the registry", () => {
  const outside = [...files.keys()].filter((file) => file.startsWith("src/") && !file.startsWith("src/targets/entries/"));
  expect(outside).toEqual(["src/targets/registry.ts"]);
  const before = readFileSync("src/targets/registry.ts", "utf8");
  const after = files.get("src/targets/registry.ts") ?? "";
  expect(after.replace('import { entriesKind } from "./entries/kind.js";\n', "").replace(", entriesKind]", "]")).toBe(before);
});

describe("the target of the page, built in an empty folder", () => {
  const house = join(folder, "built");
  const plumbline = (...words: string[]) => run(house, process.execPath, "dist/cli.js", ...words, "--no-color");

  beforeAll(() => {
    for (const part of ["dist", "schemas", "package.json"]) cpSync(part, join(house, part), { recursive: true });
    symlinkSync(resolve("node_modules"), join(house, "node_modules"));
    put(house, () => true);
    const { compilerOptions } = JSON.parse(readFileSync("tsconfig.json", "utf8")) as { compilerOptions: object };
    const settings = { ...compilerOptions, noEmit: false, rootDir: "src", outDir: "dist", rootDirs: ["src", "dist/types"] };
    writeFileSync(join(house, "tsconfig.json"), JSON.stringify({ compilerOptions: settings, include: ["src"] }));
    writeFileSync(join(house, "greetings.json"), '{ "noon": { "value": "good day" } }\n');
  });

  it("compiles against the program", async () => {
    expect(await run(house, resolve("node_modules/.bin/tsc"))).toEqual({ code: 0, said: "" });
  });

  it("is planned, reconciled, and then in sync", async () => {
    const planned = await plumbline("plan");
    expect([planned.code, planned.said]).toEqual([2, expect.stringContaining("morning")]);
    const done = await plumbline("reconcile", "--yes");
    expect([done.code, done.said]).toEqual([0, expect.stringContaining("greetings")]);
    expect(JSON.parse(readFileSync(join(house, "greetings.json"), "utf8"))).toEqual({
      noon: { value: "good day" },
      morning: { value: "good morning" },
      evening: { value: "good evening", note: "after six" },
    });
    expect((await plumbline("plan")).code).toBe(0);
  });

  it("is known to the schema of plumbline.yaml", async () => {
    writeFileSync(
      join(house, "plumbline.yaml"),
      (files.get("plumbline.yaml") ?? "").replace("file: greetings.json", "fil: greetings.json"),
    );
    const { code, said } = await plumbline("validate");
    expect([code, said]).toEqual([1, expect.stringContaining('Did you mean "file"?')]);
  });
});

const list = Path.root.child("entries").child("items");
const leaf = (tag: string, text: string): TreeNode => new TreeNode(tag, undefined, text);
let benches = 0;

/** The sources of the page in addition to those of this repository. */
async function onEntries(): Promise<Bench> {
  const house = join(folder, "sources");
  const targets = join(house, "src/targets");
  if (benches === 0) {
    put(house, (file) => file.startsWith("src/targets/entries/"));
    for (const room of readdirSync("src")) if (room !== "targets") symlinkSync(resolve("src", room), join(house, "src", room));
  }
  benches += 1;
  const file = join(house, `${benches}.json`);
  writeFileSync(file, "{}");
  const { EntriesTarget } = (await import(pathToFileURL(join(targets, "entries/target.ts")).href)) as {
    EntriesTarget: new (configuration: TargetConfiguration & { readonly file: string }) => WriteTarget;
  };
  const settings = { kind: "entries", name: "e", file, mode: "enforce", rewriteLists: "never", approve: "none" } as const;
  return {
    connect: () => new EntriesTarget(settings),
    list,
    empty: list.parent?.child("others") ?? list,
    named: (word) => word,
    entry: (name, text) => new TreeNode("entry", name, "", [leaf("value", text)]),
    leaf: "value",
    more: leaf("note", "noted"),
    refused: { action: "rename", at: list.entry("nobody"), newName: "somebody" },
    close: async () => rmSync(file),
  };
}

targetConformance("the target of the page", onEntries, [
  ...IN_FORCE_AT_ONCE,
  "has done a write whose reply is lost once, and says that it was lost or looks itself",
  "finds the job of a commit whose reply is lost",
  "has a digest that stays while nothing moves, and moves with what is written",
  "calls nothing hidden that is only gone",
  "knows no checksum of an image that is not there",
  "tells its own time, and records of a log in it",
  "stops at what is refused, and lets stand what came before",
  "move changes the order, and nothing else",
  "waits until what was written is made",
]);
