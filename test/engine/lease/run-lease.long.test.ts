import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Git, gitIn } from "../../../src/engine/checkout/git.js";
import { GitStore } from "../../../src/engine/ledger/git-store.js";
import { A, folder, leaseCases, Runner } from "./lease-cases.js";

describe("a lease in git with a remote", () =>
  leaseCases(async () => {
    const bare = folder();
    execFileSync("git", ["init", "--quiet", "--bare", bare]);
    return () => {
      const clone = folder();
      execFileSync("git", ["clone", "--quiet", bare, clone], { stdio: "ignore" });
      return new GitStore(gitIn(clone), "origin");
    };
  }));

/** Machines with a clone each of one remote, and every word with which they begin to ask git. */
function machines(): { readonly asked: string[]; readonly machine: (host: string) => Runner } {
  const bare = folder();
  execFileSync("git", ["init", "--quiet", "--bare", bare]);
  const asked: string[] = [];
  const machine = (host: string): Runner => {
    const clone = folder();
    execFileSync("git", ["clone", "--quiet", bare, clone], { stdio: "ignore" });
    const git = gitIn(clone);
    const counted: Git = (words, input) => {
      asked.push(words[0] ?? "");
      return git(words, input);
    };
    return new Runner(new GitStore(counted, "origin"), host, A);
  };
  return { asked, machine };
}

it("needs the git calls of docs/contributing/apply.md", async () => {
  const { asked, machine } = machines();
  for (const run of [machine("a1").run(), machine("b2").run()]) {
    await run.take();
    await run.give();
  }
  const overTheNetwork = asked.filter((word) => ["ls-remote", "fetch", "push"].includes(word));
  expect(overTheNetwork).toEqual(["ls-remote", "push", "push", "ls-remote", "fetch", "push", "push"]);
});

it("is waited for with one request to the remote per poll, and nothing else", async () => {
  const { asked, machine } = machines();
  await machine("a1").run().take();
  asked.splice(0);
  await expect(machine("b2").run({ lockTimeout: 10 }).take()).rejects.toMatchObject({ code: "locked-by-run" });
  const [first, ...looks] = asked.join(" ").split("ls-remote");
  expect([first, looks.length > 3, ...new Set(looks.slice(1).map((words) => words.trim()))]).toEqual(["", true, ""]);
});
