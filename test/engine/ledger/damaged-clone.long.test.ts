import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Git, gitIn } from "../../../src/engine/checkout/git.js";
import { GitStore } from "../../../src/engine/ledger/git-store.js";
import { afterTest } from "../../after-test.js";

const KEY = { owner: "netops", target: "edge" };

/** A remote, and a clone in which a ledger was written three times. */
async function writtenThrice(): Promise<{ clone: string; version: string; objects: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "ledger-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  const [remote, clone] = [join(folder, "remote"), join(folder, "clone")];
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  execFileSync("git", ["clone", "--quiet", remote, clone], { stdio: "ignore" });
  let version: string | undefined;
  for (const text of ["1\n", "2\n", "3\n"]) version = await new GitStore(gitIn(clone), "origin").write(KEY, text, version);
  const at = join(clone, ".git", "objects");
  const files = readdirSync(at, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return { clone, version: version ?? "", objects: files.map(({ parentPath, name }) => join(parentPath, name)).sort() };
}

const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  empty: (file) => replace(file, Buffer.alloc(0)),
  "cut in half": (file) => replace(file, readFileSync(file).subarray(0, 12)),
  "of other bytes": (file) => replace(file, readFileSync(file).fill(7, 4)),
};

/** Objects must not be written to, so that they are put in their own place. */
function replace(file: string, content: Buffer): void {
  rmSync(file);
  writeFileSync(file, content);
}

it("a ledger is read and written although the clone lost any object of it", async () => {
  const { clone, version, objects } = await writtenThrice();
  expect(objects).toHaveLength(9);
  for (const [index, file] of objects.entries()) {
    const copy = `${clone}-${index}`;
    cpSync(clone, copy, { recursive: true });
    cpSync(join(clone, "..", "remote"), `${copy}-remote`, { recursive: true });
    execFileSync("git", ["-C", copy, "remote", "set-url", "origin", `${copy}-remote`]);
    rmSync(file.replace(clone, copy));
    const written = await new GitStore(gitIn(copy), "origin").write(KEY, "4\n", version);
    rmSync(file.replace(clone, copy), { force: true });
    expect(await new GitStore(gitIn(copy), "origin").read(KEY), file).toEqual({ text: "4\n", version: written });
    await new GitStore(gitIn(clone), "origin").read(KEY);
  }
});

it("a ledger is written by a run that has read it, although the clone lost any object of it since", async () => {
  const { clone, version, objects } = await writtenThrice();
  for (const [index, file] of objects.entries()) {
    const copy = `${clone}-${index}`;
    cpSync(clone, copy, { recursive: true });
    cpSync(join(clone, "..", "remote"), `${copy}-remote`, { recursive: true });
    execFileSync("git", ["-C", copy, "remote", "set-url", "origin", `${copy}-remote`]);
    const store = new GitStore(gitIn(copy), "origin");
    await store.read(KEY);
    rmSync(file.replace(clone, copy));
    const written = await store.write(KEY, "4\n", version);
    const remote: Git = (args, input) => gitIn(copy)([`--git-dir=${copy}-remote`, ...args], input);
    expect(await new GitStore(remote, undefined).read(KEY), file).toEqual({ text: "4\n", version: written });
  }
});

it.each(Object.entries(DAMAGES))("a ledger in a clone with an object %s is unreadable or unchanged, never empty", async (_, damage) => {
  const { clone, version, objects } = await writtenThrice();
  for (const [index, file] of objects.entries()) {
    const copy = `${clone}-${index}`;
    cpSync(clone, copy, { recursive: true });
    damage(file.replace(clone, copy));
    const read = new GitStore(gitIn(copy), "origin").read(KEY);
    const text = await read.then(
      (found) => found,
      (error: unknown) => String(error),
    );
    if (typeof text === "string") expect(text, file).toMatch(/corrupt|is empty|unable to stream/);
    else expect(text, file).toEqual({ text: "3\n", version });
  }
});
