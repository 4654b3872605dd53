import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentWorld } from "../agent/world.js";

// A signature proves who made a commit, not that the branch may point to it. A pusher who cannot sign could still restore an old signed
// state, or an experiment that was signed on another branch.

const MINUTE = 60_000;
let world: AgentWorld;
let key: string;
beforeEach(async () => {
  world = await AgentWorld.start();
  key = join(world.folder, "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", key]);
  const allowedSigners = join(world.folder, "allowed-signers");
  writeFileSync(allowedSigners, `ann@example.com ${execFileSync("cat", [`${key}.pub`], { encoding: "utf8" })}`);
  world.signatures = { signatures: { require: "ssh", allowedSigners } };
});
afterEach(async () => await world.close());

function sign(address: string, branch = "main"): string {
  world.want("edge", { a: address });
  world.git("add", ".");
  world.git("-c", "gpg.format=ssh", "-c", `user.signingkey=${key}.pub`, "commit", "--quiet", "-S", "-m", address);
  world.git("push", "--quiet", "--force", "origin", `HEAD:refs/heads/${branch}`);
  return world.git("rev-parse", "HEAD");
}

const force = (commit: string) => world.git("push", "--quiet", "--force", "origin", `${commit}:main`);

/** The old rule is in the repository as the newest, and the new one on the firewall. */
async function rewound(): Promise<{ old: string; current: string }> {
  const old = sign("10.0.0.2");
  const current = sign("10.0.0.3");
  await world.run();
  await world.event("applied", ({ commit }) => commit === current);
  force(old);
  return { old, current };
}

describe("a signed commit that does not descend from the active one", () => {
  it("is refused if it is an older one, and reported like other refusals", async () => {
    const { old, current } = await rewound();
    const refused = await world.after(4 * MINUTE, "commit-refused");
    expect(refused).toMatchObject({ commit: old, inForce: current, error: { code: "commit-rewound", severity: "refused" } });
    expect(world.addressesOf().a).toBe("10.0.0.3");
    const told = await world.store?.history.find({ limit: 10, kinds: ["commit"] });
    expect(told?.entries[0]).toMatchObject({ outcome: "refused" });
    const next = sign("10.0.0.4");
    expect((await world.after(4 * MINUTE, "commit-in-force")).commit).toBe(next);
  });

  it("is refused if it is on another branch", async () => {
    const base = sign("10.0.0.2");
    const current = sign("10.0.0.3");
    world.git("checkout", "--quiet", base);
    const experiment = sign("10.6.6.6", "experiment");
    world.git("checkout", "--quiet", "-");
    force(current);
    await world.run();
    await world.event("applied", ({ commit }) => commit === current);
    force(experiment);
    expect(await world.after(4 * MINUTE, "commit-refused")).toMatchObject({ commit: experiment, error: { code: "commit-rewound" } });
    expect(world.addressesOf().a).toBe("10.0.0.3");
  });

  it("is refused by a restarted agent, also without its clone", async () => {
    const { old, current } = await rewound();
    await world.after(4 * MINUTE, "commit-refused");
    for (const forget of [[], [join(world.stateFolder, "agent")]]) {
      await world.end();
      for (const folder of forget) execFileSync("rm", ["-rf", folder]);
      const from = world.events.length;
      await world.run();
      await world.event("commit-refused", ({ commit, error }) => commit === old && error.code === "commit-rewound", from);
      await world.settle();
      expect(world.addressesOf().a).toBe("10.0.0.3");
    }
    expect(current).not.toBe(old);
  });

  it("is used if allowed, with a report", async () => {
    world.signatures = { ...world.signatures, allowRewind: true };
    const { old } = await rewound();
    expect(await world.after(4 * MINUTE, "source-rewound")).toMatchObject({ commit: old });
    await world.event("commit-in-force", ({ commit }) => commit === old, 0);
  });
});

it("uses a first commit only if it descends from the bound one", async () => {
  const base = sign("10.0.0.2");
  const bound = sign("10.0.0.3");
  world.signatures = { ...world.signatures, ancestor: bound };
  force(base);
  await world.run();
  expect(await world.event("commit-refused")).toMatchObject({ commit: base, error: { code: "commit-ancestor-missing" } });
  const next = sign("10.0.0.4");
  expect((await world.after(4 * MINUTE, "commit-in-force")).commit).toBe(next);
});
