import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { decodeRecord, encodeRecord } from "../../src/engine/ledger/codec.js";
import type { OwnershipRow } from "../../src/plan/ownership-record.js";
import { AgentWorld } from "../agent/world.js";

// The attacker may push any ref, and is not an allowed signer.

const MINUTE = 60_000;
let world: AgentWorld;
afterEach(async () => await world.close());

const ROW = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='theirs']";

function key(): { readonly file: string; readonly allowed: string } {
  const file = join(world.folder, "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", file]);
  const allowed = join(world.folder, "allowed-signers");
  writeFileSync(allowed, `ann@example.com ${readFileSync(`${file}.pub`, "utf8")}`);
  return { file, allowed };
}

function signed(message: string, file: string): string {
  world.git("add", ".");
  world.git("-c", "gpg.format=ssh", "-c", `user.signingkey=${file}.pub`, "commit", "--quiet", "--allow-empty", "-S", "-m", message);
  world.git("push", "--quiet", "--force", "origin", "HEAD:main");
  return world.git("rev-parse", "HEAD");
}

/** Pushes a ledger with one more row, as anybody with the right to push can. */
function forge(row: OwnershipRow): void {
  const ref =
    world
      .git("ls-remote", "origin", "refs/plumbline/*")
      .split("\n")
      .find((line) => line.endsWith("/edge")) ?? "";
  const [, name = ""] = ref.split("\t");
  world.git("fetch", "--quiet", "origin", `+${name}:refs/forged`);
  const record = decodeRecord(world.git("cat-file", "blob", "refs/forged:ledger.json"));
  const text = encodeRecord({ ...record, paths: [...record.paths, ROW].sort(), rows: { ...record.rows, [ROW]: row } });
  const blob = execFileSync("git", ["-C", world.work, "hash-object", "-w", "--stdin"], { input: text, encoding: "utf8" }).trim();
  const tree = execFileSync("git", ["-C", world.work, "mktree"], { input: `100644 blob ${blob}\tledger.json\n`, encoding: "utf8" }).trim();
  const commit = world.git("commit-tree", tree, "-p", "refs/forged", "-m", "forged");
  world.git("push", "--quiet", "origin", `${commit}:${name}`);
}

describe("a forged ledger row", () => {
  it("deletes nothing, also after the next commit", async () => {
    world = await AgentWorld.start();
    await world.run();
    await world.event("applied");
    forge({ came: "made", run: "x" });
    world.want("edge", { a: "10.0.0.2" });
    world.push("second");
    await world.after(4 * MINUTE, "applied");
    expect(world.addressesOf()).toEqual({ a: "10.0.0.2", theirs: "192.0.2.9" });
  });

  it("deletes nothing if it names an unsigned merged commit", async () => {
    world = await AgentWorld.start();
    const { file, allowed } = key();
    world.signatures = { signatures: { require: "ssh", allowedSigners: allowed } };
    signed("signed", file);
    await world.run();
    await world.event("applied");
    world.want("edge", { a: "10.0.0.1", theirs: "192.0.2.9" });
    world.git("add", ".");
    world.git("commit", "--quiet", "-m", "unsigned, declares theirs");
    const unsigned = world.git("rev-parse", "HEAD");
    forge({ came: "made", run: "x", commit: unsigned });
    world.want("edge", { a: "10.0.0.3" });
    signed("reviewed, without theirs", file);
    await world.after(4 * MINUTE, "applied");
    expect(world.addressesOf()).toEqual({ a: "10.0.0.3", theirs: "192.0.2.9" });
  });

  it("does not prevent the deletion of a true row", async () => {
    world = await AgentWorld.start();
    const { file, allowed } = key();
    world.signatures = { signatures: { require: "ssh", allowedSigners: allowed } };
    world.want("edge", { a: "10.0.0.1", b: "10.0.0.2" });
    signed("signed", file);
    await world.run();
    await world.event("applied");
    forge({ came: "made", run: "x" });
    world.want("edge", { a: "10.0.0.1" });
    signed("without b", file);
    await world.after(4 * MINUTE, "applied");
    expect(world.addressesOf()).toEqual({ a: "10.0.0.1", theirs: "192.0.2.9" });
  });
});
