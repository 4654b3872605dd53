import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readCheckout } from "../../src/engine/checkout/checkout.js";
import { gitIn } from "../../src/engine/checkout/git.js";

// A commit can contain files that make a folder look like a bare repository, and attributes that select a filter. Git must
// never run a command because of them.

let folder: string;
let marker: string;

/** A command that leaves a marker. Git passes some commands arguments; the comment sign ends them. */
const command = (): string => `touch ${marker}; cat #`;

function git(...args: string[]): string {
  return execFileSync("git", ["-C", folder, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], { encoding: "utf8" });
}

function write(name: string, text: string): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** Makes `below` look like a bare repository whose configuration runs commands. */
function disguise(below: string, settings: string): void {
  write(`${below}/objects/.k`, "");
  write(`${below}/refs/.k`, "");
  write(`${below}/HEAD`, "ref: refs/heads/main\n");
  write(`${below}/config`, `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n${settings}`);
}

function hostileSettings(): string {
  const run = JSON.stringify(command());
  return [
    `\tfsmonitor = ${run}\n\tsshCommand = ${run}\n\tpager = ${run}\n\teditor = ${run}\n\thooksPath = ../hooks\n\talternateRefsCommand = ${run}`,
    `[filter "f"]\n\tclean = ${run}\n\tsmudge = ${run}`,
    `[diff]\n\texternal = ${run}`,
    `[diff "d"]\n\ttextconv = ${run}\n\tcommand = ${run}`,
    `[remote "origin"]\n\turl = "ext::sh -c ${command().replaceAll(/["\\]/g, "")}"\n\tfetch = +refs/heads/*:refs/remotes/origin/*`,
    `[alias]\n\tshow-ref = "!touch ${marker}"`,
    "",
  ].join("\n");
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-hostile-repository-"));
  marker = join(folder, "..", `${folder.split("/").at(-1)}.ran`);
  git("init", "--quiet", "--initial-branch=main");
});

afterEach(() => {
  rmSync(folder, { recursive: true });
  rmSync(marker, { force: true });
});

const MEMORY = "version: 1\nformat: 1\ntargets:\n  lab:\n    kind: memory\n";

describe("a folder in a commit that looks like a bare repository", () => {
  const COMMANDS: readonly (readonly string[])[] = [
    ["status", "--porcelain", "--", "."],
    ["ls-files", "-v"],
    ["rev-parse", "--show-toplevel"],
    ["log", "-1", "-p"],
    ["diff", "HEAD"],
    ["show", "HEAD"],
    ["fetch", "origin"],
    ["ls-remote", "origin"],
    ["push", "origin", "HEAD:refs/heads/x"],
    ["show-ref"],
    ["add", "--all"],
    ["worktree", "list"],
    ["config", "-z", "--get-regexp", "."],
    ["commit", "--allow-empty", "-m", "x"],
  ];

  it("runs no command of its configuration, at any depth", async () => {
    write("desired-state/a.yaml", "x: 1\n");
    write("desired-state/below/b.yaml", "x: 1\n");
    disguise("desired-state", hostileSettings());
    disguise("desired-state/below", hostileSettings());
    write("desired-state/hooks/pre-commit", `#!/bin/sh\n${command()}\n`);
    chmodSync(join(folder, "desired-state/hooks/pre-commit"), 0o755);
    git("add", "--all");
    git("commit", "--quiet", "-m", "x");
    for (const below of ["desired-state", "desired-state/below"])
      for (const each of COMMANDS) {
        await gitIn(join(folder, below), { timeout: 20_000 })(each);
        expect(existsSync(marker), `git ${each.join(" ")} in ${below}`).toBe(false);
      }
    expect(existsSync(marker)).toBe(false);
    // Plain git does run it: the disguise is good enough.
    spawnSync("git", ["status"], { cwd: join(folder, "desired-state") });
    expect(existsSync(marker), "the disguise works on plain git").toBe(true);
  });

  it("is refused when the checkout is read, and named", async () => {
    write("desired-state/a.yaml", "x: 1\n");
    disguise("desired-state/deep/er", "");
    git("add", "--all");
    git("commit", "--quiet", "-m", "x");
    await expect(readCheckout(join(folder, "desired-state"))).rejects.toMatchObject({
      code: "repository-in-commit",
      where: { file: join("desired-state", "deep", "er") },
    });
  });

  it("does not become the repository if there is no other one", async () => {
    rmSync(join(folder, ".git"), { recursive: true });
    disguise("desired-state", hostileSettings());
    expect(await readCheckout(join(folder, "desired-state"))).toMatchObject({ root: undefined, commit: undefined });
    expect(existsSync(marker)).toBe(false);
  });

  it("runs nothing in any command of the program", { timeout: 240_000 }, () => {
    write("desired-state/plumbline.yaml", MEMORY);
    write("desired-state/a.yaml", "target: lab\nconfig: {}\n");
    git("add", "--all");
    git("commit", "--quiet", "-m", "x");
    // Untracked files are not refused, so that each command goes on.
    disguise("desired-state", hostileSettings());
    const config = join(folder, "desired-state", "plumbline.yaml");
    const commands = [
      ["plan"],
      ["drift"],
      ["lint"],
      ["get", "//entry"],
      ["doctor"],
      ["pause", "lab", "--reason", "x"],
      ["resume", "lab"],
      ["adopt"],
      ["reconcile", "--yes"],
      ["explain", "/config"],
      ["audit"],
      ["rollback", "HEAD"],
      ["report", "--html", join(folder, "out")],
      ["import", "lab", "--out", join(folder, "imported")],
      ["status"],
      ["history"],
      ["agent", "--once"],
    ];
    const env = { ...process.env, PLUMBLINE_ALLOW_EXEC: "0", PLUMBLINE_STATE: join(folder, "state"), HOME: folder };
    for (const each of commands) {
      spawnSync(process.execPath, [resolve("dist/cli.js"), ...each, "--config", config], { cwd: folder, env, timeout: 20_000 });
      expect(existsSync(marker), `plumbline ${each.join(" ")}`).toBe(false);
    }
    git("add", "--all");
    git("commit", "--quiet", "-m", "x");
    const { stderr, status } = spawnSync(process.execPath, [resolve("dist/cli.js"), "validate", "--config", config], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining("repository-in-commit")]);
  });
});

describe("attributes of a commit", () => {
  it("start no filter, converter, diff program or merge driver from the user's configuration", async () => {
    for (const [name, value] of [
      ["filter.f.clean", command()],
      ["filter.f.smudge", command()],
      ["filter.f.required", "true"],
      ["filter.a.b.process", command()],
      ["diff.d.textconv", command()],
      ["diff.d.command", command()],
      ["merge.m.driver", command()],
      ["core.pager", command()],
    ] as const)
      git("config", name, value);
    write("a.yaml", "x: 1\n");
    write("b.yaml", "x: 1\n");
    git("add", "--all");
    git("commit", "--quiet", "-m", "one");
    write(".gitattributes", "*.yaml filter=f diff=d merge=m\nb.yaml filter=a.b\n");
    write("a.yaml", "x: 2\n");
    const mine = gitIn(folder, { timeout: 20_000 });
    const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
    const commands: readonly (readonly string[])[] = [
      ["status", "--porcelain"],
      ["diff"],
      ["add", "--all"],
      [...identity, "commit", "--quiet", "-m", "two"],
      ["log", "-p", "-1"],
      ["show"],
      ["worktree", "add", "--quiet", "--detach", join(folder, "tree"), "HEAD"],
      ["checkout", "--quiet", "--force", "HEAD~1", "--", "a.yaml"],
      ["checkout", "--quiet", "--force", "HEAD", "--", "a.yaml"],
      [...identity, "revert", "--no-edit", "HEAD"],
    ];
    for (const each of commands) {
      const result = await mine(each);
      expect([existsSync(marker), result.code], `git ${each.join(" ")}: ${result.stderr}`).toEqual([false, 0]);
    }
  });
});

describe("git calls of the program", () => {
  it("work in a linked working tree, a submodule and through a link", async () => {
    write("below/a.yaml", "x: 1\n");
    git("add", "--all");
    git("commit", "--quiet", "-m", "one");
    const tree = join(folder, "linked");
    git("worktree", "add", "--quiet", "--detach", tree);
    for (const at of [folder, join(folder, "below"), tree, join(tree, "below")])
      expect((await gitIn(at)(["rev-parse", "--verify", "HEAD"])).code, at).toBe(0);
    expect((await gitIn(join(tree, "below"))(["rev-parse", "--show-toplevel"])).stdout.trim()).toBe(tree);
    const source = mkdtempSync(join(tmpdir(), "plumbline-module-"));
    execFileSync("git", ["-c", "protocol.file.allow=always", "clone", "--quiet", folder, join(source, "outer")]);
    execFileSync("git", ["-C", join(source, "outer"), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", folder, "inner"]);
    expect((await gitIn(join(source, "outer", "inner", "below"))(["rev-parse", "--show-toplevel"])).stdout.trim()).toBe(
      join(source, "outer", "inner"),
    );
    rmSync(source, { recursive: true });
  });

  it("leave the decision about another user's repository to git", async () => {
    if (process.getuid?.() !== 0) return expect(process.getuid?.()).not.toBe(0);
    write("a.yaml", "x: 1\n");
    execFileSync("chown", ["-R", "12345", folder]);
    await expect(readCheckout(folder)).rejects.toMatchObject({ code: "checkout-unreadable", message: expect.stringContaining("dubious") });
    const environment = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: folder };
    expect((await gitIn(folder, { environment })(["rev-parse", "--show-toplevel"])).stdout.trim()).toBe(folder);
  });
});
