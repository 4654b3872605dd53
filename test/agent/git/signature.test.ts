import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { AgentWorld } from "../world.js";

const MINUTE = 60_000;
let world: AgentWorld;
afterEach(async () => await world.close());

/** A key of a person, as ssh-keygen makes it. */
function key(name: string): string {
  const file = join(world.folder, name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file]);
  return file;
}

function sign(message: string, file: string): string {
  world.git("add", ".");
  const settings = ["-c", "gpg.format=ssh", "-c", `user.signingkey=${file}.pub`];
  world.git(...settings, "commit", "--quiet", "--allow-empty", "-S", "-m", message);
  world.git("push", "--quiet", "--force", "origin", "HEAD:main");
  return world.git("rev-parse", "HEAD");
}

function trust(...files: string[]): string {
  const allowed = join(world.folder, "allowed-signers");
  const rows = files.map((file) => `ann@example.com ${execFileSync("cat", [`${file}.pub`], { encoding: "utf8" }).trim()}\n`);
  writeFileSync(allowed, rows.join(""));
  return allowed;
}

describe("signed commits required", () => {
  it("accept a commit of a trusted key; others are refused, and the last good one stays", async () => {
    world = await AgentWorld.start();
    const ours = key("ours");
    const theirs = key("theirs");
    world.signatures = { signatures: { require: "ssh", allowedSigners: trust(ours) } };
    const good = sign("signed", ours);
    await world.run();
    expect((await world.event("commit-in-force")).commit).toBe(good);
    await world.event("applied");

    world.want("edge", { a: "10.0.0.66" });
    const unsigned = world.push("not signed");
    const refused = await world.after(4 * MINUTE, "commit-refused");
    expect(refused).toMatchObject({ commit: unsigned, inForce: good });
    expect(refused.error.code).toBe("commit-unsigned");

    const stranger = sign("signed by another", theirs);
    const second = await world.after(4 * MINUTE, "commit-refused");
    expect(second).toMatchObject({ commit: stranger, inForce: good });
    expect(second.error.code).toBe("commit-signature-refused");

    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
    expect(world.addressesOf().a).toBe("10.0.0.1");

    trust(ours, theirs);
    expect((await world.after(4 * MINUTE, "commit-in-force")).commit).toBe(stranger);
    await world.event("applied");
    expect(world.addressesOf().a).toBe("10.0.0.66");
  });

  it("refuse a new commit of an expired key, also if its date is before the expiry, and keep the running commit", async () => {
    world = await AgentWorld.start();
    const ours = key("ours");
    world.signatures = { signatures: { require: "ssh", allowedSigners: trust(ours) } };
    const good = sign("signed", ours);
    await world.run();
    await world.event("applied");

    const row = `ann@example.com valid-before="20260101" ${readFileSync(`${ours}.pub`, "utf8").trim()}\n`;
    writeFileSync(join(world.folder, "allowed-signers"), row);
    world.want("edge", { a: "10.0.0.66" });
    process.env.GIT_COMMITTER_DATE = "2025-06-01T00:00:00Z";
    const backDated = sign("back-dated", ours);
    delete process.env.GIT_COMMITTER_DATE;
    // Git itself compares the expiry with the date in the commit.
    world.git("-c", `gpg.ssh.allowedSignersFile=${join(world.folder, "allowed-signers")}`, "verify-commit", backDated);
    const refused = await world.after(4 * MINUTE, "commit-refused");
    expect(refused).toMatchObject({ commit: backDated, inForce: good });
    expect(refused.error).toMatchObject({ code: "commit-signature-refused", message: expect.stringContaining("has expired") });
    expect(world.addressesOf().a).toBe("10.0.0.1");
  });

  it("activate nothing if the first commit is unsigned", async () => {
    world = await AgentWorld.start();
    world.signatures = { signatures: { require: "ssh", allowedSigners: trust(key("ours")) } };
    await world.run();
    expect(await world.event("commit-refused")).toMatchObject({ inForce: undefined });
    await world.settle();
    expect(world.open?.health.ready().ok).toBe(false);
    expect(world.addressesOf()).toEqual({ theirs: "192.0.2.9" });
  });

  it("accept no ssh signature if gpg is required", async () => {
    world = await AgentWorld.start();
    const ours = key("ours");
    sign("signed", ours);
    world.signatures = { signatures: { require: "gpg", allowedSigners: trust(ours) } };
    await world.run();
    expect((await world.event("commit-refused")).error.message).toContain("gpg is required");
  });
});
