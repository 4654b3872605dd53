import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitIn } from "../../../src/engine/checkout/git.js";

/** Git that runs a line of shell. */
const shell = (line: string) => ["-c", `alias.run=!${line}`, "run"];

describe("git with a limit on silence", () => {
  it("may run for any time while it prints output", async () => {
    const git = gitIn(tmpdir(), { silence: 1_000 });
    const { code } = await git(shell("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo going >&2; sleep 0.1; done"));
    expect(code).toBe(0);
  });

  it("is stopped with its children if it prints nothing", async () => {
    const { code, stderr } = await gitIn(tmpdir(), { silence: 200 })(shell("sleep 600"));
    expect([code, stderr.trim()]).toEqual([124, "git printed no output for 1 s and was stopped"]);
  });
});

it("git init creates the repository in the folder, even inside another working tree", async () => {
  const outer = mkdtempSync(join(tmpdir(), "plumbline-git-"));
  try {
    expect((await gitIn(outer)(["init", "--quiet"])).code).toBe(0);
    const inner = join(outer, "state", "clone");
    mkdirSync(inner, { recursive: true });
    expect((await gitIn(inner)(["init", "--quiet"])).code).toBe(0);
    expect(existsSync(join(inner, ".git", "HEAD"))).toBe(true);
    expect((await gitIn(inner)(["rev-parse", "--show-toplevel"])).stdout.trim()).toBe(inner);
  } finally {
    rmSync(outer, { recursive: true });
  }
});
