import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commitNew, shorten } from "../../src/cli/quickstart-output.js";
import { markersPerThousand } from "../prose.js";

const MAX_LINES = 120;
/** Lines that npm prints before the output of the script. */
const NPM_LINES = 6;
const MAX_COLUMNS = 110;

/** Runs a quickstart. Fails if it does not exit with 0. */
async function quickstart(...words: string[]): Promise<string[]> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["dist/cli/quickstart.js", ...words]);
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

const headingsIn = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith("# "));
const commandsIn = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.startsWith("$ ")).map((line) => line.split(" ")[2] ?? "");

function expectReadable(lines: readonly string[]): void {
  expect(lines.length + NPM_LINES).toBeLessThanOrEqual(MAX_LINES);
  expect(lines.filter((line) => [...line].length > MAX_COLUMNS)).toEqual([]);
  expect(headingsIn(lines).length).toBeGreaterThan(3);
  expect(markersPerThousand(headingsIn(lines).join("\n"))).toBe(0);
}

/** Checks the part from the question to the applied change, and the question again. */
function expectAccessRequest(lines: readonly string[]): void {
  const begin = lines.findIndex((line) => line.startsWith("# 4. Access request"));
  const last = lines.findIndex((line) => line.includes("already allowed"));
  const section = lines.slice(begin, lines.indexOf("", last));
  expect(section.length).toBeGreaterThan(10);
  expect(section.length).toBeLessThan(20);
  const text = section.join("\n");
  expect(text).toMatch(/ssh: not allowed now .*\n +deny +deny-all .*\n.*\n +\* 1 add rule (\S+) .*\n +opens exactly the request\n/);
  expect(text).toContain("Result: 1 target changed (2 operations).");
  const [, rule = ""] = /add rule (\S+)/.exec(text) ?? [];
  expect(text).toMatch(new RegExp(`ssh: already allowed .*\\n +allow +${rule} `));
}

describe("a quickstart", () => {
  it("plans, applies, answers an access request, detects drift and repairs it", async () => {
    const lines = await quickstart();
    expectReadable(lines);
    expect(commandsIn(lines)).toEqual(["adopt", "plan", "apply", "allow", "reconcile", "allow", "drift", "reconcile", "drift"]);
    const text = lines.join("\n");
    expect(text).toContain("Plan: 3 targets to change (12 to create · 5 to change · 1 to delete).");
    expect(text).toContain("Result: 3 targets changed (19 operations).");
    expect(text).toMatch(/~ web-to-db {2}by mkovacs at .*edge\/rules\/security\.yaml:39/);
    expect(text).toContain("! only-web-servers-reach-db  broken");
    expect(text).toMatch(/more lines: npm run quickstart -- full\n/);
    expect(lines.at(-3)).toBe("No drift: 3 targets.");
    expectAccessRequest(lines);
  });

  it("prints everything with `full`, which includes the plan in the README", async () => {
    const lines = await quickstart("full");
    expect(lines.length).toBeGreaterThan(150);
    expect(lines.join("\n")).not.toContain("more lines:");
    const [, plan = ""] = /```\n\$ plumbline plan\n(.*?)```/s.exec(readFileSync("README.md", "utf8")) ?? [];
    expect(plan.trimEnd().split("\n").length).toBeGreaterThan(8);
    expect(lines).toEqual(expect.arrayContaining(plan.trimEnd().split("\n")));
  });

  it("of a manager shows a refused push, and a disconnected firewall that catches up", async () => {
    const lines = await quickstart("manager");
    expectReadable(lines);
    expect(commandsIn(lines)).toEqual(["plan", "reconcile", "reconcile", "reconcile", "drift"]);
    const text = lines.map((line) => line.trim()).join(" ");
    expect(text).toMatch(
      /007000000000101 would refuse the push: rome: .* already has an object of this name, as does device-group\/branch/,
    );
    expect(text).toContain("5 of 5 firewalls accepted the push");
    expect(text).toContain("5 of 6 firewalls in sync with the manager's running configuration, 1 not connected");
    expect(text).toContain("1 of 1 firewall accepted the push");
    expect(text).toMatch(/6 of 6 firewalls in sync with the manager's running configuration +No drift/);
  });

  it("of the agent ends by itself without a terminal, after the agent has reverted a manual change", async () => {
    const lines = await quickstart("agent");
    expectReadable(lines);
    expect(commandsIn(lines)).toEqual(["plan", "agent", "history"]);
    const text = lines.map((line) => line.trim()).join(" ");
    expect(text).toMatch(/drift: \S+ ?\S+\/source {2}\[any\] \(declared \[web-servers\] at edge\/rules\/security\.yaml:39\), by mkovacs/);
    expect(text).toMatch(/healed: .*source/);
    expect(text).toMatch(/heal +differs .*reverted/);
  });
});

describe("shortened output", () => {
  const limits = { block: 2, reachability: 1 };

  it("keeps the first lines of a block, and counts the lines that it omits", () => {
    const text = "edge  2 to change\n\n  rules\n  a\n  b\n  c\n\n  What becomes reachable\n    x\n    y\n\n  one line\n\nPlan: 1 target.\n";
    expect(shorten(text, limits, "full")).toBe(
      "edge  2 to change\n  rules\n  a\n  What becomes reachable\n  … 5 more lines: full\n\nPlan: 1 target.\n",
    );
  });

  it("keeps a report that would lose only one line", () => {
    expect(shorten("edge\n\n  rules\n  a\n  b\n", limits, "full")).toBe("edge\n  rules\n  a\n  b\n");
  });

  it("wraps long lines between words, without counting colors", () => {
    const word = "\u001b[32mabcdefghi\u001b[39m ";
    const lines = shorten(`  ${word.repeat(11)}end\n`, limits, "full")
      .trimEnd()
      .split("\n");
    expect(lines).toEqual([`  ${word.repeat(10).trimEnd()}`, `      ${word}end`]);
  });
});

it("commits the files of a quickstart also if the user's git signs commits", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-quickstart-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  onTestFinished(() => void vi.unstubAllEnvs());
  const settings = join(folder, "gitconfig");
  writeFileSync(settings, "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n");
  vi.stubEnv("GIT_CONFIG_GLOBAL", settings);
  writeFileSync(join(folder, "a.yaml"), "a: 1\n");
  await commitNew(folder, ["a.yaml"], "Desired state");
  const { stdout } = await promisify(execFile)("git", ["-C", folder, "log", "--format=%s"]);
  expect(stdout.trim()).toBe("Desired state");
});
