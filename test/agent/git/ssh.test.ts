import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Clone } from "../../../src/agent/git/clone.js";
import type { PlumblineError } from "../../../src/core/errors.js";
import { leaveOut } from "../../left-out.js";
import { type Sshd, startSshd, withoutSshd } from "./sshd.js";

if (withoutSshd !== undefined) leaveOut(`git over ssh: ${withoutSshd}`);

describe.skipIf(withoutSshd !== undefined)("a repository over ssh", () => {
  const folder = mkdtempSync(join(tmpdir(), "ssh-"));
  const origin = join(folder, "net.git");
  let sshd: Sshd;
  let first: string;
  let clones = 0;

  beforeAll(async () => {
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", origin]);
    const git = (...words: string[]) => execFileSync("git", ["-C", origin, ...words], { encoding: "utf8" }).trim();
    const tree = execFileSync("git", ["-C", origin, "mktree"], { input: "", encoding: "utf8" }).trim();
    first = git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit-tree", tree, "-m", "first");
    git("update-ref", "refs/heads/main", first);
    sshd = await startSshd(join(folder, "sshd"));
    writeFileSync(join(folder, "known"), sshd.hostKey);
  });
  afterAll(async () => {
    await sshd?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The agent's clone, for a user whose git configuration sets the ssh command. */
  async function opened(ssh: string, path = origin, server = sshd.url): Promise<Clone> {
    const home = join(folder, `home-${clones}`);
    mkdirSync(home);
    writeFileSync(join(home, ".gitconfig"), `[core]\n\tsshCommand = ${ssh}\n`);
    const clone = new Clone({
      access: { url: `${server}${path}`, username: undefined, password: undefined },
      branch: undefined,
      tag: undefined,
      stateFolder: join(folder, `state-${clones}`),
      environment: { ...process.env, HOME: home, GIT_SSH_COMMAND: undefined, GIT_SSH: undefined, SSH_AUTH_SOCK: undefined },
      stop: new AbortController().signal,
    });
    clones += 1;
    await clone.open();
    return clone;
  }

  const plain = (known = "known") => `ssh -F none -o IdentitiesOnly=yes -o UserKnownHostsFile=${join(folder, known)}`;
  const withKey = (known?: string) => `${plain(known)} -i ${sshd.key}`;

  async function failure(clone: Clone): Promise<PlumblineError> {
    return (await clone.fetch().then(
      () => undefined,
      (error: unknown) => error,
    )) as PlumblineError;
  }

  it("is fetched and pushed to with the key from git's own settings", async () => {
    const clone = await opened(withKey());
    expect((await clone.fetch()).commit).toBe(first);
    expect((await clone.git(["push", "--quiet", "origin", `${first}:refs/plumbline/o/edge`])).code).toBe(0);
    expect(execFileSync("git", ["-C", origin, "rev-parse", "refs/plumbline/o/edge"], { encoding: "utf8" }).trim()).toBe(first);
  });

  it("reports an unknown server key without asking", async () => {
    const error = await failure(await opened(withKey("nothing-known")));
    expect(error).toMatchObject({ code: "source-unreachable", message: expect.stringContaining("Host key verification failed") });
    expect(error.next).toContain("known_hosts");
  });

  it("reports a refused key", async () => {
    const stranger = join(folder, "stranger");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", stranger]);
    const error = await failure(await opened(`${plain()} -i ${stranger}`));
    expect(error).toMatchObject({ code: "source-unreachable", message: expect.stringContaining("Permission denied (publickey") });
    expect(error.next).toContain("deploy keys");
  });

  it("reports a missing repository", async () => {
    const missing = await failure(await opened(withKey(), join(folder, "nope.git")));
    expect(missing.message).toContain("does not appear to be a git repository");
    expect(missing.next).toContain("agent.source.url");
  });

  it("reports a closed port", async () => {
    const gone = await startSshd(join(folder, "gone"));
    await gone.close();
    const clone = await opened(withKey(), origin, gone.url);
    expect(await failure(clone)).toMatchObject({ code: "source-unreachable", message: expect.stringContaining("Connection refused") });
  });
});

describe("a remote that does not answer", () => {
  it("is abandoned after a timeout", async () => {
    const folder = mkdtempSync(join(tmpdir(), "silent-"));
    const ssh = join(folder, "ssh");
    writeFileSync(ssh, "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
    const clone = new Clone({
      access: { url: "git@nowhere.example:net.git", username: undefined, password: undefined },
      branch: "main",
      tag: undefined,
      stateFolder: join(folder, "state"),
      environment: { ...process.env, GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: "ssh" },
      stop: new AbortController().signal,
      silence: 300,
    });
    await clone.open();
    await expect(clone.fetch()).rejects.toMatchObject({
      code: "source-unreachable",
      message: expect.stringContaining("git printed no output for"),
    });
    rmSync(folder, { recursive: true, force: true });
  });
});
