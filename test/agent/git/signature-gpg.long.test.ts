import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Clone } from "../../../src/agent/git/clone.js";
import { requireSignature } from "../../../src/agent/git/signature.js";
import { leaveOut } from "../../left-out.js";
import { AgentWorld } from "../world.js";
import { hasGpg, People } from "./people.js";

const MINUTE = 60_000;
if (!hasGpg) leaveOut("commits and tags signed with gpg: no gpg here");

let people: People;
beforeAll(() => {
  if (!hasGpg) return;
  people = new People();
  for (const name of ["ann", "bob", "rita"]) people.join(name);
  people.join("old", { made: "20200101", expires: "1y" });
});
afterAll(() => {
  if (hasGpg) people.close();
});

/** A repository and the agent's clone of it. */
async function repository(follow: { readonly branch?: string; readonly tag?: string }) {
  const folder = mkdtempSync(join(tmpdir(), "signed-"));
  const origin = join(folder, "origin");
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", origin, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...words], { encoding: "utf8" }).trim();
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", origin]);
  const clone = new Clone({
    access: { url: origin, username: undefined, password: undefined },
    branch: follow.branch,
    tag: follow.tag,
    stateFolder: join(folder, "state"),
    environment: process.env,
    stop: new AbortController().signal,
  });
  await clone.open();
  return { folder, git, clone, close: () => rmSync(folder, { recursive: true, force: true }) };
}

describe.skipIf(!hasGpg)("a gpg signature", () => {
  const worlds: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });

  /** Defines the result of a commit for calls of `git` with these arguments. */
  async function judge(sign: readonly string[], keyring: string | undefined, alter: (clone: Clone) => void = () => undefined) {
    const { git, clone, close, folder } = await repository({ branch: "main" });
    worlds.push({ close });
    git(...sign, "commit", "--quiet", "--allow-empty", ...(sign.length === 0 ? [] : ["-S"]), "-m", "wanted");
    const tip = await clone.fetch();
    alter(clone);
    const said = await requireSignature(clone, tip, { require: "gpg", allowedSigners: undefined, keyring }).then(
      () => ({ code: "taken", message: "" }),
      (error: unknown) => error as { code: string; message: string },
    );
    expect(readdirSync(join(folder, "state", "agent"))).toEqual(["source"]);
    return said;
  }

  it("of a key in the keyring is accepted, and the keyring is not modified", async () => {
    const keyring = people.keyring("ann");
    const before = readdirSync(keyring);
    expect(await judge(people.signs("ann"), keyring)).toMatchObject({ code: "taken" });
    expect(readdirSync(keyring)).toEqual(before);
  });

  it("of an unknown key is refused with the key's number", async () => {
    const { code, message } = await judge(people.signs("bob"), people.keyring("ann"));
    expect([code, message]).toEqual(["commit-signature-refused", expect.stringContaining("the signing key is unknown")]);
    expect(message).toContain(people.fingerprint("bob").slice(-16));
  });

  it("of an expired key is refused", async () => {
    const { code, message } = await judge(people.signs("old", "20200601"), people.keyring("ann", "old"));
    expect([code, message]).toEqual(["commit-signature-refused", expect.stringContaining("has expired (old <old@example.com>")]);
  });

  it("of a key that was revoked later is refused", async () => {
    const keyring = people.keyring("rita");
    const sign = people.signs("rita");
    expect((await judge(sign, keyring)).code).toBe("taken");
    const { git, clone, close } = await repository({ branch: "main" });
    worlds.push({ close });
    git(...sign, "commit", "--quiet", "--allow-empty", "-S", "-m", "before it was revoked");
    people.revoke("rita");
    people.refresh(keyring, "rita");
    const tip = await clone.fetch();
    const policy = { require: "any", allowedSigners: undefined, keyring } as const;
    for (const wasInForce of [false, true]) {
      await expect(requireSignature(clone, tip, policy, wasInForce)).rejects.toMatchObject({
        code: "commit-signature-refused",
        message: expect.stringContaining("was revoked"),
      });
    }
  });

  it("that was copied to another commit is invalid", async () => {
    const { git, clone, close } = await repository({ branch: "main" });
    worlds.push({ close });
    git(...people.signs("ann"), "commit", "--quiet", "--allow-empty", "-S", "-m", "wanted");
    const text = git("cat-file", "commit", "HEAD").replace("\n\nwanted", "\n\nunwanted");
    const forged = execFileSync("git", ["-C", clone.url, "hash-object", "-t", "commit", "-w", "--stdin"], {
      input: `${text}\n`,
      encoding: "utf8",
    });
    git("update-ref", "refs/heads/main", forged.trim());
    const tip = await clone.fetch();
    const policy = { require: "gpg", allowedSigners: undefined, keyring: people.keyring("ann") } as const;
    await expect(requireSignature(clone, tip, policy)).rejects.toMatchObject({ message: expect.stringContaining("the signature is bad") });
  });

  it("is required if missing, and a missing keyring is reported", async () => {
    expect((await judge([], people.keyring("ann"))).code).toBe("commit-unsigned");
    const { message } = await judge(people.signs("ann"), "/nowhere/keyring");
    expect(message).toContain("the keyring /nowhere/keyring cannot be read (ENOENT)");
  });

  it("uses the trust of the user's keyring if no other is named", async () => {
    const before = process.env.GNUPGHOME;
    try {
      process.env.GNUPGHOME = people.home;
      expect((await judge(people.signs("ann"), undefined)).code).toBe("taken");
      process.env.GNUPGHOME = people.keyring("ann");
      expect((await judge(people.signs("ann"), undefined)).message).toContain("the signer is not trusted");
    } finally {
      if (before === undefined) delete process.env.GNUPGHOME;
      else process.env.GNUPGHOME = before;
    }
  });
});

describe.skipIf(!hasGpg)("a followed tag", () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  async function tagged(...make: string[][]) {
    const { git, clone, close } = await repository({ tag: "v1" });
    closing.push(close);
    git("commit", "--quiet", "--allow-empty", "-m", "not signed");
    for (const words of make) git(...words);
    const tip = await clone.fetch();
    const policy = { require: "gpg", allowedSigners: undefined, keyring: people.keyring("ann") } as const;
    return { tip, clone, judged: requireSignature(clone, tip, policy) };
  }

  it("is accepted if it is signed, also after a restart, whatever its commit has", async () => {
    const { tip, clone, judged } = await tagged([...people.signs("ann"), "tag", "-s", "-m", "first", "v1"]);
    await judged;
    await clone.activate(tip);
    expect(await clone.inForce()).toEqual(tip);
    expect(tip.tag).toBeDefined();
  });

  it("is refused if it is unsigned or signed by another key", async () => {
    const stranger = await tagged([...people.signs("bob"), "tag", "-s", "-m", "first", "v1"]);
    await expect(stranger.judged).rejects.toMatchObject({ message: expect.stringMatching(/of tag v1 .* the signing key is unknown/) });
    const unsigned = await tagged(["tag", "-a", "-m", "first", "v1"]);
    await expect(unsigned.judged).rejects.toMatchObject({ code: "commit-unsigned" });
    const light = await tagged(["tag", "v1"]);
    await expect(light.judged).rejects.toMatchObject({ code: "commit-unsigned" });
  });

  it("is refused if an older signed one is published under its name", async () => {
    const old = await tagged([...people.signs("ann"), "tag", "-s", "-m", "old", "v0"], ["update-ref", "refs/tags/v1", "refs/tags/v0"]);
    await expect(old.judged).rejects.toMatchObject({ message: expect.stringContaining("belongs to another tag, v0") });
  });

  it("may be a lightweight tag on a signed commit", async () => {
    const commit = [...people.signs("ann"), "commit", "--quiet", "--allow-empty", "-S", "-m", "signed"];
    for (const tag of [
      ["tag", "v1"],
      ["tag", "-a", "-m", "first", "v1"],
    ])
      await (await tagged(commit, tag)).judged;
  });
});

describe.skipIf(!hasGpg)("an agent that requires gpg", () => {
  let world: AgentWorld;
  afterEach(async () => await world.close());

  function commit(message: string, ...sign: string[]): string {
    world.git("add", ".");
    world.git(...sign, "commit", "--quiet", "--allow-empty", ...(sign.length === 0 ? [] : ["-S"]), "-m", message);
    world.git("push", "--quiet", "--force", "origin", "HEAD:main");
    return world.git("rev-parse", "HEAD");
  }

  it("accepts commits of a known key, and keeps them when others push, and after the key has expired and the agent restarted", async () => {
    world = await AgentWorld.start();
    people.join("brief", { made: "20200101" });
    const keyring = people.keyring("ann", "brief");
    world.signatures = { signatures: { require: "gpg", keyring } };
    const good = commit("signed", ...people.signs("brief"));
    await world.run();
    expect((await world.event("commit-in-force")).commit).toBe(good);
    await world.event("applied");

    world.want("edge", { a: "10.0.0.66" });
    commit("not signed");
    expect(await world.after(4 * MINUTE, "commit-refused")).toMatchObject({ inForce: good, error: { code: "commit-unsigned" } });
    commit("of a stranger", ...people.signs("bob"));
    expect(await world.after(4 * MINUTE, "commit-refused")).toMatchObject({ inForce: good, error: { code: "commit-signature-refused" } });

    await world.end();
    people.gpg("--faked-system-time", "20200201T000000", "--quick-set-expire", people.fingerprint("brief"), "1d");
    people.refresh(keyring, "brief");
    await world.run();
    expect((await world.event("commit-in-force")).commit).toBe(good);
    // The first visit after the start is over. A later visit detects this.
    await world.settle();
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
    expect(world.addressesOf().a).toBe("10.0.0.1");

    world.want("edge", { a: "10.0.0.77" });
    commit("with the key that has run out", ...people.signs("brief", "20200201"));
    const refused = await world.after(4 * MINUTE, "commit-refused");
    expect(refused.error.message).toContain("the key that signed it has expired");
    const next = commit("signed by ann", ...people.signs("ann"));
    expect((await world.after(4 * MINUTE, "commit-in-force")).commit).toBe(next);
  });
});
