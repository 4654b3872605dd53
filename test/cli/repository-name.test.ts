import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryName } from "../../src/cli/repository-name.js";
import { afterTest } from "../after-test.js";

describe("the name of a repository", () => {
  it.each([
    "https://git.example/net/fleet.git",
    "https://bob:word@Git.example/net/fleet",
    "ssh://git@git.example/net/fleet.git/",
    "git@git.example:net/fleet.git",
  ])("%s is the same for every address", async (address) => {
    expect(await repositoryName(address)).toBe("git.example/net/fleet");
  });

  it("keeps the port of a server", async () => {
    expect(await repositoryName("https://git.example:8443/net/fleet")).toBe("git.example:8443/net/fleet");
  });

  it("is the name of the remote for a clone, also of a clone", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "plumbline-name-")));
    afterTest(() => rmSync(folder, { recursive: true }));
    const git = (...words: string[]) => execFileSync("git", ["-C", folder, ...words], { stdio: "ignore" });
    git("init", "--quiet", "first");
    mkdirSync(join(folder, "first/desired-state"));
    expect(await repositoryName(join(folder, "first/desired-state"))).toBe(join(folder, "first"));
    git("clone", "--quiet", "first", "second");
    expect(await repositoryName(join(folder, "second"))).toBe(join(folder, "first"));
    expect(await repositoryName(`file://${join(folder, "second")}`)).toBe(join(folder, "first"));
    git("-C", "first", "remote", "add", "origin", "git@git.example:net/fleet.git");
    expect(await repositoryName(join(folder, "second"))).toBe("git.example/net/fleet");
  });

  it("is the folder outside git", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "plumbline-name-")));
    afterTest(() => rmSync(folder, { recursive: true }));
    expect(await repositoryName(folder)).toBe(folder);
  });
});
