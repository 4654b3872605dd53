import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Context } from "../../src/cli/context.js";
import { runCli } from "../../src/cli/program.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-program-"));
  folders.push(folder);
  return await runIn(folder, words, environment);
}

async function runIn(folder: string, words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  let [out, err] = ["", ""];
  const context: Context = {
    environment: { HOME: folder, ...environment },
    folder,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    now: () => new Date(),
    stop: new AbortController().signal,
  };
  return { code: await runCli(words, context), out, err, folder };
}

it("help groups the commands, lists the exit codes, and omits trivial defaults", async () => {
  const { code, out } = await run(["--help"]);
  expect(code).toBe(0);
  const groups = {
    Main: ["init", "validate", "plan", "reconcile", "drift", "allow", "revoke", "status"],
    Investigate: ["explain", "get", "reach", "lint", "history", "logs", "audit"],
    Control: ["apply", "rollback", "pause", "resume", "approve", "adopt", "ledger"],
    Agent: ["agent", "backup"],
    Tools: ["import", "fmt", "doctor", "lab", "lsp", "schema", "completion", "report", "verdict", "pr", "help"],
  };
  const sections = out.split("\n\n").filter((section) => /^[A-Z]\w+:\n/.test(section) && !section.startsWith("Options:"));
  const listed = sections.map((section) => [section.split(":")[0], [...section.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)]);
  expect(listed).toEqual(Object.entries(groups));
  expect(out).toContain("3 refused · 4 partly applied");
  const plan = (await run(["plan", "--help"])).out;
  expect(plan).not.toMatch(/default: (\[\]|false)/);
  expect(plan.replaceAll(/\s+/g, " ")).toContain('default: "text"');
  expect((await run(["logs", "--help"])).out).toContain("default: 20");
});

it.each([
  ["sync", "Use `plumbline reconcile` instead."],
  ["show", "Use `plumbline get` instead."],
  ["destroy", "remove them from the YAML files and run `plumbline reconcile`"],
  ["frobnicate", "Run `plumbline --help` for a list of commands."],
  ["reconcil", "(Did you mean reconcile?)"],
])("the unknown command %s suggests the command that is meant", async (typed, suggested) => {
  const { code, err } = await run([typed, "edge"]);
  expect(code).toBe(1);
  expect(err).toContain(`unknown command '${typed}'`);
  expect(err).toContain(suggested);
  for (const [, name = ""] of err.matchAll(/plumbline ([a-z]+)/g)) expect((await run([name, "--help"])).code).toBe(0);
});

it("former spellings of --allow are accepted and not listed", async () => {
  for (const former of [["--allow-empty-live", "/config/shared"], ["--allow-non-descendant"]]) {
    expect((await run(["plan", ...former])).err).toContain("configuration-not-found");
    expect((await run(["plan", "--help"])).out).not.toContain(former[0]);
  }
  for (const name of ["empty-live=/config/shared", "non-descendant"])
    expect((await run(["plan", "--allow", name])).err).toContain("configuration-not-found");
});

it("doctor does not list options without an effect", async () => {
  const { out } = await run(["doctor", "--help"]);
  expect(out).toContain("--takeover");
  expect(out).not.toMatch(/--allow |--rotate/);
});

it("--json suggests --format json", async () => {
  const { code, err } = await run(["plan", "--json"]);
  expect(code).toBe(1);
  expect(err).toContain("unknown option '--json'");
  expect(err).toContain("For JSON write --format json.");
  expect((await run(["plan", "--jsno"])).err).not.toContain("--format json");
});

it("a refusal of the operating system is an error with its path, not an internal error", async () => {
  const { folder } = await run(["--version"]);
  writeFileSync(join(folder, "state"), "");
  const hash = "44d88612fea8a8f36de82e1278abb02f";
  const service = { PLUMBLINE_VERDICT_URL: "https://127.0.0.1:1", PLUMBLINE_VERDICT_KEY: "k" };
  const { code, err } = await run(["--state", join(folder, "state"), "verdict", hash], service);
  expect(code).toBe(1);
  expect(err).toMatch(
    /error The operating system refuses: not a directory \(open ENOTDIR\) \[system-refused\]\n {4}at .*verdicts\.jsonl\n/,
  );
  expect(err).toContain("--state selects another folder");
});

it("the configuration is found from any folder of the repository, and not above it", async () => {
  const { folder } = await run(["--version"]);
  const below = join(folder, "repository", "network", "rules");
  mkdirSync(below, { recursive: true });
  const validate = async (): Promise<number> => (await runIn(below, ["validate"])).code;
  const write = (place: string): void => {
    writeFileSync(
      join(place, "plumbline.yaml"),
      "format: 1\nowner: us\ndocuments: [network]\ntargets: { box: { kind: memory, file: box.xml } }\n",
    );
    mkdirSync(join(place, "network"), { recursive: true });
    writeFileSync(join(place, "network", "a.yaml"), "target: box\nscope: vsys1\nconfig: { tag: { web: {} } }\n");
  };
  write(join(folder, "repository"));
  expect(await validate()).toBe(1);
  mkdirSync(join(folder, "repository", ".git"));
  expect(await validate()).toBe(0);
  rmSync(join(folder, "repository", "plumbline.yaml"));
  write(folder);
  expect(await validate()).toBe(1);
});

it("an error of the desired state is shown with its line, from any folder", async () => {
  const { folder } = await run(["--version"]);
  mkdirSync(join(folder, ".git"));
  mkdirSync(join(folder, "d", "below"), { recursive: true });
  writeFileSync(
    join(folder, "plumbline.yaml"),
    "format: 1\nowner: us\ndocuments: [d]\ntargets: { box: { kind: memory, file: box.xml } }\n",
  );
  writeFileSync(join(folder, "d", "a.yaml"), "target: box\nscope: vsys1\nconfig:\n  address:\n    web: { ip-netmask: [1] }\n");
  for (const place of [folder, join(folder, "d", "below")]) {
    const { code, err } = await runIn(place, ["validate"]);
    expect(code).toBe(1);
    expect(err).toContain("    at d/a.yaml:5:24\n      5 │     web: { ip-netmask: [1] }\n        │                        ^\n");
  }
});
