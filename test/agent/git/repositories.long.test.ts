import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Clone } from "../../../src/agent/git/clone.js";
import { AgentWorld } from "../world.js";

const MINUTE = 60_000;

describe("the agent's clone of a repository", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "repositories-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function repository(name = "origin") {
    const at = join(folder, name);
    const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "protocol.file.allow=always"];
    const git = (...words: string[]) => execFileSync("git", ["-C", at, ...identity, ...words], { encoding: "utf8", stdio: "pipe" }).trim();
    execFileSync("git", ["init", "--quiet", "--initial-branch=main", at]);
    const commit = (file: string, text: string) => {
      writeFileSync(join(at, file), text);
      git("add", ".");
      git("commit", "--quiet", "-m", text);
      return git("rev-parse", "HEAD");
    };
    return { at, git, commit };
  }

  async function opened(url: string, settings = "", branch?: string): Promise<Clone> {
    writeFileSync(join(folder, ".gitconfig"), settings);
    const clone = new Clone({
      access: { url, username: undefined, password: undefined },
      branch,
      tag: undefined,
      stateFolder: join(folder, "state"),
      environment: { ...process.env, HOME: folder },
      stop: new AbortController().signal,
    });
    await clone.open();
    return clone;
  }

  it("that is empty waits for its first commit", async () => {
    const { at, commit } = repository();
    const clone = await opened(at);
    await expect(clone.fetch()).rejects.toMatchObject({ code: "source-ref-missing", message: expect.stringContaining("it is empty") });
    expect(await clone.fetch().catch(() => undefined)).toBeUndefined();
    const first = commit("a", "1");
    expect((await clone.fetch()).commit).toBe(first);
  });

  it("whose default branch is renamed follows it", async () => {
    const { at, git, commit } = repository();
    commit("a", "1");
    const clone = await opened(at);
    await clone.fetch();
    git("branch", "-m", "main", "trunk");
    const second = commit("a", "2");
    expect((await clone.fetch()).commit).toBe(second);
  });

  it("whose branch becomes a folder of branches, or was one, still follows it", async () => {
    const { at, git, commit } = repository();
    commit("a", "1");
    git("branch", "live");
    const clone = await opened(at, "", "live");
    await clone.fetch();
    git("branch", "-D", "live");
    git("branch", "live/edge");
    await expect(clone.fetch()).rejects.toMatchObject({ code: "source-ref-missing" });
    git("branch", "-D", "live/edge");
    git("branch", "live");
    await clone.fetch();
  });

  it("with a shallow history is accepted", async () => {
    const whole = repository("whole");
    whole.commit("a", "1");
    whole.commit("a", "2");
    const at = join(folder, "cut");
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${whole.at}`, at]);
    const clone = await opened(at);
    const { commit } = await clone.fetch();
    await clone.checkout(commit);
    expect(readFileSync(join(clone.folder, "a"), "utf8")).toBe("2");
    const third = whole.commit("a", "3");
    for (const words of [
      ["fetch", "--quiet", "--depth=1", "origin", "main"],
      ["reset", "--quiet", "--hard", "FETCH_HEAD"],
    ]) {
      execFileSync("git", ["-C", at, ...words], { stdio: "pipe" });
    }
    expect((await clone.fetch()).commit).toBe(third);
    await clone.checkout(third);
  });

  it("with submodules does not fetch them, whatever the user's settings are", async () => {
    const other = repository("other");
    other.commit("b", "1");
    const { at, git, commit } = repository();
    git("submodule", "--quiet", "add", other.at, "part");
    const first = commit("a", "1");
    rmSync(other.at, { recursive: true });
    const clone = await opened(at, "[submodule]\n\trecurse = true\n[fetch]\n\trecurseSubmodules = true\n");
    expect((await clone.fetch()).commit).toBe(first);
    await clone.checkout(first);
    expect(readdirSync(join(clone.folder, "part"))).toEqual([]);
    await clone.restore(first);
  });

  it("with LFS files contains their pointers, and runs no hook and no monitor", async () => {
    const { at, commit } = repository();
    writeFileSync(join(at, ".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    const first = commit("image.bin", pointer);
    mkdirSync(join(folder, "hooks"));
    const ran = join(folder, "ran");
    for (const name of ["post-checkout", "reference-transaction"]) {
      writeFileSync(join(folder, "hooks", name), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    }
    const settings = [
      '[filter "lfs"]',
      "\tsmudge = false",
      "\tprocess = false",
      "\trequired = true",
      "[core]",
      `\thooksPath = ${join(folder, "hooks")}`,
      `\tfsmonitor = ${join(folder, "hooks", "post-checkout")}`,
    ];
    const clone = await opened(at, `${settings.join("\n")}\n`);
    await clone.fetch();
    await clone.checkout(first);
    expect(readFileSync(join(clone.folder, "image.bin"), "utf8")).toBe(pointer);
    await clone.restore(first);
    expect(existsSync(ran)).toBe(false);
  });
});

describe("an agent whose repository changes", () => {
  let world: AgentWorld;
  afterEach(async () => await world.close());

  it("keeps the active commit while its branch is missing", async () => {
    world = await AgentWorld.start();
    await world.run();
    const good = (await world.event("commit-in-force")).commit;
    await world.event("applied");
    execFileSync("git", ["-C", world.remote, "update-ref", "-d", "refs/heads/main"]);
    const failed = await world.after(4 * MINUTE, "source-failed");
    expect(failed.error).toMatchObject({ code: "source-ref-missing", message: expect.stringContaining("refs/heads/main") });
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
    expect(await world.event("drift-resolved")).toMatchObject({ commit: good });
    world.want("edge", { a: "10.0.0.2" });
    const commit = world.push("back");
    await world.after(4 * MINUTE, "applied", (event) => event.commit === commit);
  });

  it("finds plumbline.yaml in a folder of a large repository, and reads nothing next to it", async () => {
    world = await AgentWorld.start();
    for (const name of ["edge", "plumbline.yaml"]) {
      mkdirSync(join(world.work, "sites", "budapest"), { recursive: true });
      world.git("mv", name, `sites/budapest/${name}`);
    }
    for (let i = 0; i < 2000; i++) world.write(`other/${i % 40}/${i}.yaml`, `target: edge\nbroken: [${i}\n`);
    world.push("moved");
    world.signatures = { path: "sites/budapest/plumbline.yaml" };
    await world.run();
    await world.event("applied");
    world.write("other/1/1.yaml", "target: [");
    world.push("beside it");
    const inForce = await world.after(4 * MINUTE, "commit-in-force");
    expect(inForce.targets).toEqual([]);
    expect(world.addressesOf().a).toBe("10.0.0.1");
  });
});
