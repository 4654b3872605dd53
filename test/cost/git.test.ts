import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { afterTest } from "../after-test.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { addresses, BARE } from "../engine/apply/scenes.js";

/**
 * Names of the git programs that `work` starts, in order, without their child processes. Those that read a checkout concurrently are
 * sorted. Each costs 4 ms of processor time.
 */
async function gitsOf(work: () => Promise<unknown>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "git-trace-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "trace");
  process.env.GIT_TRACE2_EVENT = file;
  try {
    await work();
  } finally {
    delete process.env.GIT_TRACE2_EVENT;
  }
  const events = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const started = events
    .map((line) => JSON.parse(line) as TraceEvent)
    .filter(({ event, sid }) => event === "cmd_name" && !sid.includes("/"));
  const names = started.map(({ name }) => name).join(" ");
  return names.replaceAll(/(?:(?:config|ls-files|status) ){5}/g, (beside) => `${beside.trim().split(" ").sort().join(" ")} `);
}

/** The file that git writes for `GIT_TRACE2_EVENT`. A child process has the session names of both. */
interface TraceEvent {
  readonly event: string;
  readonly sid: string;
  readonly name?: string;
}

/** Desired state in a repository, with or without a remote, after one reconcile. */
async function inRepository(hasRemote: boolean): Promise<{ world: LabWorld; change: (value: string) => void }> {
  const world = await LabWorld.start(BARE);
  afterTest(() => world.close());
  const cwd = dirname(world.files.configurationFile);
  const git = (...words: string[]) => execFileSync("git", ["-c", "user.name=us", "-c", "user.email=us@example.com", ...words], { cwd });
  const change = (value: string): void => {
    world.want(addresses({ a: value }));
    git("add", "edge", "plumbline.yaml");
    git("commit", "-qm", "documents");
  };
  git("init", "-q");
  if (hasRemote) {
    const remote = mkdtempSync(join(tmpdir(), "git-remote-"));
    afterTest(() => rmSync(remote, { recursive: true }));
    execFileSync("git", ["init", "-q", "--bare", remote]);
    git("remote", "add", "origin", remote);
  }
  change("10.0.0.1");
  expect((await world.reconcile(IN_GIT)).error).toBeUndefined();
  return { world, change };
}

const IN_GIT = { pass: { ledger: "git" } };
/** Each read of the working tree first lists the filters of the configuration, which must not run. */
const CHECKOUT = "rev-parse config config ls-files ls-files status";

describe("git programs that a command starts", () => {
  it("are eight if it plans or finds nothing to do", async () => {
    const { world } = await inRepository(false);
    expect(await gitsOf(() => world.plan(IN_GIT))).toBe(`${CHECKOUT} for-each-ref cat-file`);
    expect(await gitsOf(() => world.reconcile(IN_GIT))).toBe(`${CHECKOUT} for-each-ref cat-file`);
  });

  it("are those and two ledger writes if it changes something, with a check for notices before each write", async () => {
    const { world, change } = await inRepository(false);
    change("10.0.0.2");
    const said = await gitsOf(() => world.reconcile(IN_GIT));
    const write = "cat-file hash-object mktree hash-object update-ref";
    expect(said).toBe(`${CHECKOUT} for-each-ref cat-file for-each-ref log for-each-ref ${write} for-each-ref ${write}`);
  });

  it("are one more if the ledger does not belong to the parent of this commit", async () => {
    const { world, change } = await inRepository(false);
    change("10.0.0.2");
    expect(await gitsOf(() => world.plan(IN_GIT))).toBe(`${CHECKOUT} for-each-ref cat-file`);
    change("10.0.0.3");
    expect(await gitsOf(() => world.plan(IN_GIT))).toBe(`${CHECKOUT} for-each-ref cat-file merge-base`);
  });

  it("with a remote also list its refs, and before a write read who must approve", async () => {
    const { world, change } = await inRepository(true);
    expect(await gitsOf(() => world.plan(IN_GIT))).toBe(`${CHECKOUT} ls-remote cat-file for-each-ref`);
    change("10.0.0.2");
    const write = "cat-file hash-object mktree hash-object push";
    expect(await gitsOf(() => world.reconcile(IN_GIT))).toBe(
      `${CHECKOUT} cat-file cat-file ls-remote cat-file for-each-ref ls-remote for-each-ref log ls-remote ${write} ls-remote ${write}`,
    );
  });
});
