import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { allowanceKey } from "../../src/engine/allowance.js";
import { gitIn } from "../../src/engine/checkout/git.js";
import { GitStore } from "../../src/engine/ledger/git-store.js";
import { NoticeBoard } from "../../src/engine/notices.js";
import { approvalText, resumeText } from "../../src/engine/signed-notice.js";
import { signText } from "../../src/engine/ssh-signature.js";
import { AgentWorld } from "../agent/world.js";

// Anyone who may push can write notices in git. They may pause. Everything that lets an agent write needs a proven person.

const MINUTE = 60_000;
const OWNER = "netops";
let world: AgentWorld;
afterEach(async () => await world.close());

const board = () => new NoticeBoard(new GitStore(gitIn(world.work), "origin"), "others");

/** Makes keys for `names` and a file of allowed signers for them. */
function keysOf(...names: string[]): { readonly allowed: string; key(name: string): string } {
  const key = (name: string): string => join(world.folder, `key-${name}`);
  for (const name of names) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", key(name)]);
  const allowed = join(world.folder, "allowed-signers");
  writeFileSync(allowed, names.map((name) => `${name}@example.com ${readFileSync(`${key(name)}.pub`, "utf8")}`).join(""));
  return { allowed, key };
}

/** Names the file of allowed signers in git's own configuration. */
function believe(allowed: string): void {
  const settings = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "gpg.ssh.allowedSignersFile", GIT_CONFIG_VALUE_0: allowed };
  world.environment = { ...world.environment, ...settings };
}

/** Lets time pass and waits until the agent is idle. */
async function pass(milliseconds: number): Promise<void> {
  await world.settle();
  world.clock.advance(milliseconds);
  await world.settle();
}

const RIGHTS = {
  page: {
    rights: [
      { roles: ["approve"], signers: ["ann@example.com"] },
      { roles: ["pause"], targets: ["edge"], signers: ["bob@example.com"] },
    ],
  },
} as const;

async function waiting(): Promise<{ readonly keys: ReturnType<typeof keysOf>; readonly digest: string }> {
  world = await AgentWorld.start({ target: "approve: required" });
  world.page = RIGHTS;
  const keys = keysOf("ann", "bob", "eve");
  believe(keys.allowed);
  await world.run();
  const { message } = await world.event("held", ({ reason }) => reason === "approval");
  const digest = /plan ([0-9a-f]{64})/.exec(message ?? "")?.[1] ?? "";
  return { keys, digest };
}

describe("an approval in git", () => {
  const at = (): number => world.clock.now();

  it("without a signature approves nothing", async () => {
    const { digest } = await waiting();
    await board().approve({ target: "edge", digest, by: "ann", at: at(), source: "page" });
    await pass(30 * MINUTE);
    expect(world.seen("applied")).toBe(0);
  });

  it("signed by a person with the role approves that plan", async () => {
    const { digest, keys } = await waiting();
    const approval = { target: "edge", digest, by: "ann", at: at(), source: undefined };
    const signature = await signText(keys.key("ann"), approvalText(OWNER, approval));
    await board().approve({ ...approval, signature });
    await pass(30 * MINUTE);
    expect(world.seen("applied")).toBe(1);
  });

  it.each([
    ["by a person without the role", "bob", {}],
    ["by an unknown key", "mallory", {}],
    ["for another target", "ann", { target: "other" }],
    ["for another plan", "ann", { digest: "0".repeat(64) }],
    ["at another time", "ann", { at: 1 }],
  ] as const)("signed %s approves nothing", async (_, who, signed) => {
    const { digest, keys } = await waiting();
    if (who === "mallory") execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", who, "-f", keys.key(who)]);
    const approval = { target: "edge", digest, by: "ann", at: at(), source: undefined };
    const signature = await signText(keys.key(who), approvalText(OWNER, { ...approval, ...signed }));
    await board().approve({ ...approval, signature });
    await pass(30 * MINUTE);
    expect(world.seen("applied")).toBe(0);
  });
});

describe("an allowance in git", () => {
  it("lets no refused plan pass, signed or not", async () => {
    world = await AgentWorld.start();
    world.page = RIGHTS;
    const keys = keysOf("ann");
    believe(keys.allowed);
    world.write("plumbline.yaml", world.read("plumbline.yaml").replace(/guards: .*/, "guards: { updates: 100%, deletes: 1%, from: 0 }"));
    world.want("edge", { a: "10.0.0.1", b: "10.0.0.2" });
    world.push("two");
    await world.run();
    await world.event("applied");
    world.want("edge", { a: "10.0.0.1" });
    world.push("one");
    const refused = await world.after(10 * MINUTE, "plan-refused");
    const flags = refused.refusals.flatMap(({ allow }) => allow ?? []);
    expect(flags).not.toEqual([]);
    const approval = {
      target: "edge",
      digest: allowanceKey(refused.digest, flags.sort()),
      by: "ann",
      at: world.clock.now(),
      source: "page",
    };
    await board().approve({ ...approval, signature: await signText(keys.key("ann"), approvalText(OWNER, approval)) });
    await pass(30 * MINUTE);
    expect(world.addressesOf()).toMatchObject({ b: "10.0.0.2" });
  });
});

describe("a pause in git", () => {
  const pause = { target: "edge", reason: "fire", by: "ann", since: 0, until: undefined };

  async function paused(): Promise<ReturnType<typeof keysOf>> {
    world = await AgentWorld.start();
    world.page = RIGHTS;
    const keys = keysOf("ann", "bob");
    believe(keys.allowed);
    await world.run();
    await world.event("applied");
    await world.settle();
    await board().pause(pause);
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "held", ({ reason }) => reason === "paused");
    return keys;
  }

  it("stays active when it disappears from git, also over a restart", async () => {
    await paused();
    await board().resume("edge");
    await pass(20 * MINUTE);
    expect(world.addressesOf().a).toBe("10.9.9.9");
    await world.end();
    await world.run();
    await pass(20 * MINUTE);
    expect(world.addressesOf().a).toBe("10.9.9.9");
    await world.open?.controls.resume("edge", "ann");
    await pass(30 * MINUTE);
    expect(world.addressesOf().a).toBe("10.0.0.1");
  });

  it("ends by a signed resume of a person with the role", async () => {
    const keys = await paused();
    const resume = { target: "edge", by: "bob", at: world.clock.now() };
    await board().resume("edge", { ...resume, signature: await signText(keys.key("bob"), resumeText(OWNER, resume)) });
    await world.after(20 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
  });

  it("of a machine whose clock is behind does not end by an older signed resume", async () => {
    const keys = await paused();
    const resume = { target: "edge", by: "bob", at: world.clock.now() };
    await board().resume("edge", { ...resume, signature: await signText(keys.key("bob"), resumeText(OWNER, resume)) });
    await world.after(20 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
    await board().pause(pause);
    await pass(30 * MINUTE);
    // The pause disappears from git without a signed resume.
    await board().resume("edge");
    world.meddle("a", "10.9.9.9");
    await pass(30 * MINUTE);
    await pass(30 * MINUTE);
    expect(world.addressesOf().a).toBe("10.9.9.9");
  });

  it("does not end by a resume that was signed before it, or without the role", async () => {
    const keys = await paused();
    const early = { target: "edge", by: "bob", at: -1 };
    await board().resume("edge", { ...early, signature: await signText(keys.key("bob"), resumeText(OWNER, early)) });
    const other = { target: "edge", by: "ann", at: world.clock.now() };
    await board().resume("edge", { ...other, signature: await signText(keys.key("ann"), resumeText(OWNER, other)) });
    await pass(20 * MINUTE);
    expect(world.addressesOf().a).toBe("10.9.9.9");
  });
});
