import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

// Each place that starts a process is listed here with its reason. A new place must use the shared function for git
// (`src/engine/checkout/git.ts`) or be added after a review.

const STARTS: Readonly<Record<string, string>> = {
  "src/engine/checkout/git.ts": "the only function that runs git",
  "src/engine/ssh-signature.ts": "ssh-keygen, with file names from the operator's settings",
  "src/agent/loading/serve.ts": "a worker thread of this program that loads a commit",
  "src/agent/loading/load-in-process.ts": "a fork of this program that loads a commit",
  "src/agent/insight-process.ts": "a fork of this program that computes reachability",
  "src/agent/access-process.ts": "a fork of this program that answers access requests of the page",
  "src/desired/secrets.ts": "commands of ${exec:…}, only if the operator allows them",
  "src/desired/secret-stores/sops.ts": "sops, after its metadata was checked",
};

const STARTER =
  /from "(?:node:)?(?:child_process|worker_threads|cluster)"|require\("(?:node:)?(?:child_process|worker_threads|cluster)"\)|import\("(?:node:)?(?:child_process|worker_threads|cluster)"\)|from "(?:execa|cross-spawn|simple-git)"/;

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name))
    .sort();
}

describe("processes", () => {
  it("are started only in reviewed files", () => {
    const found = filesBelow("src", /\.tsx?$/).filter((file) => STARTER.test(readFileSync(file, "utf8")));
    expect(found).toEqual(Object.keys(STARTS).sort());
  });

  it("named git are started only by the shared function", () => {
    const found = filesBelow("src", /\.tsx?$/).filter((file) =>
      /(?:spawn|execFile|exec|fork)(?:Sync)?\(\s*"git"/.test(readFileSync(file, "utf8")),
    );
    expect(found).toEqual(["src/engine/checkout/git.ts"]);
  });

  it("of the CI scripts run git only through safe_git", () => {
    const calls = [...filesBelow("ci", /\.(?:sh|yml)$/), "action.yml"].flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .map((line, index) => ({ line: line.trim(), at: `${file}:${index + 1}` }))
        .filter(({ line }) => !line.startsWith("#") && /(?:^|[\s;&|(`])git\s+-?[a-z]/.test(line)),
    );
    // Outside of the checkout, git reads no configuration of a commit.
    const elsewhere = /\(cd \/ && git (?:clone|init --quiet --bare "\$mirror"|--git-dir="\$mirror" fetch)/;
    const outside = calls.filter(({ line }) => !elsewhere.test(line));
    expect(outside.map(({ at, line }) => [at, line])).toEqual([
      [expect.stringContaining("ci/common.sh:"), expect.stringContaining("git -c safe.bareRepository=explicit")],
    ]);
  });
});
