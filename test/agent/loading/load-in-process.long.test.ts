import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CommitToLoad } from "../../../src/agent/load-commit.js";
import { loadInProcess } from "../../../src/agent/loading/load-in-process.js";
import { loadHere } from "../../../src/agent/loading/loader.js";
import type { PlumblineError, PlumblineErrors } from "../../../src/core/errors.js";
import { parseConfiguration, readParsed } from "../../../src/desired/configuration/read.js";
import { kinds } from "../../../src/targets/registry.js";
import { addresses } from "../world.js";

const built = (file: string): string => new URL(`../../../dist/${file}`, import.meta.url).href;
const PROGRAM = fileURLToPath(built("cli/load-commit.js"));
const LIMITS = { time: 60_000, memory: 256, visit: 60_000 };

let folder: string;
let stop: AbortController;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-apart-"));
  stop = new AbortController();
  writeFileSync(join(folder, "plumbline.yaml"), text(""));
  write("a", { one: "10.0.0.1" });
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, entries: Readonly<Record<string, string>>): void {
  writeFileSync(join(folder, `${name}.yaml`), addresses(name, entries));
}

function toLoad(commit = "c1", owns: CommitToLoad["owns"] = async () => false): CommitToLoad {
  const file = join(folder, "plumbline.yaml");
  return { commit, author: "Ann", file, kinds, environment: {}, hidden: [], owns, today: "2026-01-01" };
}

function text(more: string): string {
  const target = (name: string) =>
    `  ${name}: { kind: panos, url: "https://192.0.2.1", credentials: { username: u, password: "\${env:PW}" } }`;
  return ["format: 1", "owner: o", "documents: ['.']", "exclude: ['*.mjs', '.git*']", "targets:", target("a"), target("b"), more].join(
    "\n",
  );
}

async function failing(program: string, limits = LIMITS): Promise<string> {
  const loading = loadInProcess({ program, limits, stop: stop.signal })(toLoad(), undefined);
  return await loading.then(
    () => "loaded",
    (error: PlumblineError) => `${error.code} ${error.severity} ${error.message}`,
  );
}

/** A program that serves like the agent's process, except for a fault after it has loaded its kinds. */
function program(what: string): string {
  const file = join(folder, "program.mjs");
  writeFileSync(
    file,
    `import { serveLoading } from ${JSON.stringify(built("agent/loading/serve.js"))};
     import { kinds } from ${JSON.stringify(built("targets/registry.js"))};
     const bad = new Map(kinds);
     bad.get = () => { ${what} };
     await serveLoading(bad);`,
  );
  return file;
}

describe("a process that loads a commit", () => {
  it("gives the same result as the main process", async () => {
    const owned: string[] = [];
    const owns: CommitToLoad["owns"] = async (owner, target) => owned.push(`${owner} ${target}`) > 0;
    const load = loadInProcess({ program: PROGRAM, limits: LIMITS, stop: stop.signal });
    const first = await load(toLoad("c1", owns), undefined);
    expect(owned).toEqual(["o b"]);
    expect(first).toEqual(await loadHere(toLoad("c1", owns), undefined));
    expect([...first.targets.keys()]).toEqual(["a", "b"]);
    const parsed = await parseConfiguration(join(folder, "plumbline.yaml"), kinds);
    const { configuration } = await readParsed(parsed, { environment: {}, kinds, resolveSecrets: false });
    const since = { before: { commit: "c1", author: "Ann", configuration, parsed, targets: first.targets }, folder: "" };
    write("b", { two: "10.0.0.2" });
    const second = await load(toLoad("c2"), { ...since, changed: ["b.yaml"] });
    expect(second).toEqual(await loadHere(toLoad("c2"), { ...since, changed: ["b.yaml"] }));
    expect([...second.affected]).toEqual(["b"]);
    expect([...second.targets.values()].map((target) => target.since)).toEqual(["c1", "c2"]);
    writeFileSync(join(folder, "plumbline.yaml"), text("guards: { updates: 90% }\n"));
    const third = await load(toLoad("c3"), { ...since, changed: ["plumbline.yaml"] });
    expect([...third.affected]).toEqual(["a", "b"]);
  });

  it("returns errors with positions, also those of its callbacks", async () => {
    writeFileSync(join(folder, "a.yaml"), "target: a\nscope: vsys1\nconfig: [\n");
    const load = loadInProcess({ program: PROGRAM, limits: LIMITS, stop: stop.signal });
    const error = (await load(toLoad(), undefined).catch((cause: unknown) => cause)) as PlumblineErrors;
    expect(error.errors.map(({ code, where }) => [code, where.file, where.line])).toEqual([["document-does-not-parse", "a.yaml", 4]]);
    write("a", { one: "10.0.0.1" });
    const owns = async (): Promise<boolean> => {
      throw new Error("the ledger is away");
    };
    await expect(load(toLoad("c", owns), undefined)).rejects.toThrow("the ledger is away");
  });

  it.each([
    ["hangs", "for (;;);", "takes longer to load than 1 s"],
    ["tries a pattern for ever", "/^(a*)*(a*)*b$/.test('a'.repeat(60))", "takes longer to load than 1 s"],
    ["holds more and more small things", "for (const all = []; ; ) all.push({ x: [1] })", "needs more memory to load than 64 MiB"],
    [
      "asks for one large thing",
      "for (const all = []; ; ) all.push(new Array(30_000_000).fill({}))",
      "needs more memory to load than 64 MiB",
    ],
  ])("that %s is ended, and refused", async (_, what, why) => {
    const time = why.includes("longer") ? 1_000 : 60_000;
    expect(await failing(program(what), { time, memory: 64, visit: 60_000 })).toBe(`commit-too-heavy refused Commit c1 ${why}.`);
  });

  it.each([
    ["SIGKILL", "process.kill(process.pid, 'SIGKILL')"],
    ["exit 7", "process.exit(7)"],
  ])("that somebody else ends (%s) is no proof against the commit", async (how, what) => {
    expect(await failing(program(what))).toBe(`commit-load-broke refused Commit c1 was not loaded: the process that did ended (${how}).`);
  });

  it("ends with the agent", async () => {
    const loading = failing(program("for (;;);"));
    setImmediate(() => stop.abort());
    expect(await loading).toContain("interrupted");
    expect(await failing(PROGRAM)).toContain("interrupted");
  });
});
