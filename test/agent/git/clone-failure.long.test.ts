import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cloneFailure, isCorrupt } from "../../../src/agent/git/clone-failure.js";
import { gitIn } from "../../../src/engine/checkout/git.js";

const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
const folder = mkdtempSync(join(tmpdir(), "damaged-"));
const git = (...words: string[]) => execFileSync("git", ["-C", folder, ...identity, ...words], { encoding: "utf8" }).trim();

git("init", "--quiet", "--initial-branch=main");
mkdirSync(join(folder, "edge"));
/** Short texts are stored uncompressed, long ones in several blocks. */
const TEXTS = {
  short: "1\n",
  middle: "address: 10.0.0.1\n".repeat(40),
  long: createHash("shake256", { outputLength: 200_000 }).digest("hex"),
};
for (const [name, text] of Object.entries(TEXTS)) writeFileSync(join(folder, "edge", name), text);
git("add", ".");
git("commit", "--quiet", "-m", "first");
writeFileSync(join(folder, "other"), "other");
git("add", ".");
git("commit", "--quiet", "-m", "second");

/** What the agent reads of each object, with the commands that it uses. */
const READS = [
  ...Object.keys(TEXTS).map((name) => ({ object: `HEAD~1:edge/${name}`, words: ["cat-file", "blob", `HEAD~1:edge/${name}`] })),
  ...Object.keys(TEXTS).map((name) => ({ object: `HEAD:edge/${name}`, words: ["read-tree", "--reset", "-u", "HEAD"] })),
  { object: "HEAD^{tree}", words: ["ls-tree", "-r", "-z", "--full-tree", "HEAD"] },
  { object: "HEAD~1^{tree}", words: ["diff", "--name-only", "-z", "--no-renames", "HEAD~1", "HEAD"] },
  { object: "HEAD^{tree}", words: ["cat-file", "blob", "HEAD:edge/short"] },
  { object: "HEAD", words: ["log", "-1", "--no-show-signature", "--format=%an <%ae>", "HEAD"] },
  { object: "HEAD", words: ["cat-file", "commit", "HEAD"] },
  { object: "HEAD~1", words: ["merge-base", "--is-ancestor", "HEAD~1", "HEAD"] },
  { object: "HEAD", words: ["checkout", "--quiet", "--force", "--detach", git("rev-parse", "HEAD")] },
];
const damage = fc.oneof(
  fc.record({ kind: fc.constant("cut" as const), at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }) }),
  fc.record({ kind: fc.constant("zeros" as const), at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }) }),
);

describe("damaged objects of the agent's clone", () => {
  it.each(READS)("git $words.0 of $object: a failure is reported as damage, and a new clone is made", async ({ object, words }) => {
    const name = git("rev-parse", object);
    const file = join(folder, ".git", "objects", name.slice(0, 2), name.slice(2));
    const whole = readFileSync(file);
    const run = () => gitIn(folder, { environment: process.env, timeout: 10_000 })(words);
    const intact = await run();
    chmodSync(file, 0o600);
    const failures: number[] = [];
    try {
      await fc.assert(
        fc.asyncProperty(damage, async ({ kind, at }) => {
          const length = Math.floor(at * whole.length);
          writeFileSync(
            file,
            kind === "cut" ? whole.subarray(0, length) : Buffer.concat([whole.subarray(0, length), Buffer.alloc(whole.length - length)]),
          );
          rmSync(join(folder, "edge"), { recursive: true, force: true });
          rmSync(join(folder, ".git", "index.lock"), { force: true });
          const result = await run();
          if (result.code === 0) return expect(result.stdout).toBe(intact.stdout);
          failures.push(result.code);
          expect(cloneFailure(folder, result).code, result.stderr).toBe("source-clone-damaged");
          if (words[0] === "cat-file") expect(isCorrupt(result), result.stderr).toBe(true);
        }),
        { numRuns: 40, examples: [[{ kind: "cut", at: 0 }], [{ kind: "cut", at: 0.9 }]] },
      );
    } finally {
      writeFileSync(file, whole);
    }
    expect(failures).not.toEqual([]);
  });
});
