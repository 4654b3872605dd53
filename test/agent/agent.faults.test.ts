import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/agent/store/open.js";
import { PlumblineError } from "../../src/core/errors.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;

describe("faults", () => {
  it("a remote that is offline for an hour stops updates and writes, because it may contain a pause", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    await world.settle();
    renameSync(world.remote, `${world.remote}-away`);
    for (let minute = 0; minute < 60; minute += 4) await world.after(4 * MINUTE, "source-failed");
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "drift-appeared");
    await world.event("held", ({ reason }) => reason === "notices");
    await world.settle();
    expect(world.addressesOf().a).toBe("10.9.9.9");
    renameSync(`${world.remote}-away`, world.remote);
    await world.after(2 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
    world.want("edge", { a: "10.0.0.2" });
    world.push("back");
    await world.after(4 * MINUTE, "source-recovered");
    await world.event("applied", ({ trigger }) => trigger === "git");
    expect(world.addressesOf().a).toBe("10.0.0.2");
  });

  it("a clock that jumps a day in either direction makes nothing late or early", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    for (const jump of [24 * 60 * MINUTE, -48 * 60 * MINUTE]) {
      await world.settle();
      world.clock.jump(jump);
      const passes = world.seen("pass-ended");
      await world.after(20 * MINUTE, "pass-ended");
      await world.settle();
      expect(world.seen("pass-ended")).toBe(passes + 1);
      world.meddle("a", "10.9.9.9");
      await world.after(20 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
    }
  });

  it("a clock that is set back does not postpone a retry", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    world.lab.fault({ match: { type: "commit" }, effect: { kind: "job-fails", lines: ["no"] } });
    world.want("edge", { a: "10.0.0.2" });
    world.push("fails once");
    await world.after(4 * MINUTE, "apply-failed");
    await world.settle();
    world.clock.jump(-48 * 60 * MINUTE);
    await world.after(20 * MINUTE, "applied");
    expect(world.addressesOf().a).toBe("10.0.0.2");
  });

  it("a hanging device delays no other target, and does not keep the agent from stopping", async () => {
    const world = await AgentWorld.startForTest({ targets: ["edge", "core"] });
    await world.run();
    for (const name of world.names) await world.event("applied", ({ target }) => target === name);
    await world.settle();
    world.lab.fault({ match: { device: "edge" }, effect: { kind: "hold" }, count: 1000 });
    world.meddle("a", "10.9.9.9", "core");
    await world.after(20 * MINUTE, "drift-resolved", ({ target }) => target === "core");
    await world.end();
    expect(world.addressesOf("core").a).toBe("10.0.0.1");
  });

  it("a second agent on the same store detects the first and refuses", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    const second = await openStore({ kind: "sqlite", file: join(world.stateFolder, "plumbline.db") }, { readOnly: false });
    await expect(second.claim({ host: "other", pid: 1, started: 0, version: "0" }, 0)).rejects.toMatchObject({ code: "store-claimed" });
    await second.close();
  });

  it("a store that is not writable stops every write, but no drift report", async () => {
    const world = await AgentWorld.startForTest();
    await world.run();
    await world.event("applied");
    await world.settle();
    const passes = world.store?.passes as { start: unknown };
    const real = passes.start;
    passes.start = async () => {
      throw new PlumblineError("store-full", "There is no room left");
    };
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "store-failed");
    await world.event("drift-appeared");
    await world.event("held", ({ reason }) => reason === "store");
    expect(world.addressesOf().a).toBe("10.9.9.9");
    passes.start = real;
    await world.after(20 * MINUTE, "store-recovered");
    await world.event("drift-resolved", ({ how }) => how === "healed");
  });

  it("a store that fails during an apply does not fail the commit", async () => {
    const world = await AgentWorld.startForTest();
    const file = join(world.work, "plumbline.yaml");
    writeFileSync(file, `${readFileSync(file, "utf8")}ledger: store\n`);
    world.push("the ledger is in the store");
    await world.run();
    await world.event("applied");
    await world.settle();
    const ledger = world.store?.ledgers as { write: unknown };
    const real = ledger.write;
    ledger.write = async () => {
      throw new PlumblineError("store-unreachable", "The database does not answer");
    };
    world.want("edge", { a: "10.0.0.2" });
    world.push("while the database is started again");
    await world.after(4 * MINUTE, "held", ({ reason }) => reason === "store");
    ledger.write = real;
    await world.after(2 * MINUTE, "applied");
    expect(world.addressesOf().a).toBe("10.0.0.2");
    expect(world.seen("apply-failed")).toBe(0);
  });
});
