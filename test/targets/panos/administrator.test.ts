import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { afterTest } from "../../after-test.js";
import { freshConnections } from "../../cost/connections.js";
import { Recorder } from "../../cost/recorder.js";
import { LabWorld } from "../../engine/apply/lab-world.js";
import { ADDRESS, addresses, BARE, setAddress } from "../../engine/apply/scenes.js";

/** A firewall of which a run before has learned our name. */
async function known(): Promise<{ world: LabWorld; memory: string }> {
  const world = await LabWorld.start(BARE);
  afterTest(() => world.close());
  world.want(addresses({ a: "10.0.0.1" }));
  expect((await world.reconcile({ connections: freshConnections(new Recorder()) })).error).toBeUndefined();
  const memory = join(world.files.stateFolder, "devices", "edge.json");
  expect(readFileSync(memory, "utf8")).toContain('":"netops"');
  world.want(addresses({ a: "10.0.0.9" }));
  return { world, memory };
}

async function run(world: LabWorld) {
  const recorder = new Recorder();
  const outcome = await world.reconcile({ connections: freshConnections(recorder) });
  return { code: outcome.error?.code, severity: outcome.error?.severity, sent: recorder.take().map(({ words }) => words) };
}

function setBy({ lab: { device } }: LabWorld, admin: string): void {
  const { at, ...rest } = setAddress(ADDRESS, "theirs", "192.0.2.77");
  expect(rest.action).toBe("set");
  const element = "<entry name='theirs'><ip-netmask>192.0.2.77</ip-netmask></entry>";
  expect(device.act(admin, { type: "config", action: "set", xpath: at.toString(), element })).toMatchObject({ status: "success" });
}

describe("the administrator name from an earlier run", () => {
  it("is not read again if nothing depends on it, and the own lock has it", async () => {
    const { world } = await known();
    const { code, sent } = await run(world);
    expect(code).toBeUndefined();
    expect(sent).not.toContain("show admins");
  });

  it("is read if anybody has uncommitted changes", async () => {
    const { world } = await known();
    setBy(world, "colleague");
    const { sent } = await run(world);
    expect(sent.indexOf("show admins")).toBeGreaterThan(0);
    expect(sent.indexOf("show admins")).toBeLessThan(sent.indexOf("get vsys1/address"));
  });

  it("is read if anybody holds a lock", async () => {
    const { world } = await known();
    const lock = "<request><config-lock><add><comment>mine</comment></add></config-lock></request>";
    expect(world.lab.device.act("colleague", { type: "op", cmd: lock, vsys: "shared" })).toMatchObject({ status: "success" });
    const { code, sent } = await run(world);
    expect(code).toBe("locked-by-other");
    expect(sent).toContain("show admins");
  });

  it("that changed is refused before a write, as the own lock shows, and the lock is released", async () => {
    const { world, memory } = await known();
    writeFileSync(memory, readFileSync(memory, "utf8").replace('":"netops"', '":"colleague"'));
    const { code, severity, sent } = await run(world);
    expect([code, severity]).toEqual(["administrator-unknown", "refused"]);
    expect(sent.filter((words) => /multi-config|revert|^commit/.test(words))).toEqual([]);
    expect(world.lab.device.state.locks.list("config", "shared")).toEqual([]);
    expect(readFileSync(memory, "utf8")).toContain('":"netops"');
    expect((await run(world)).code).toBeUndefined();
  });

  it("of another person does not make their work owned: with their uncommitted work the device is read", async () => {
    const { world, memory } = await known();
    writeFileSync(memory, readFileSync(memory, "utf8").replace('":"netops"', '":"colleague"'));
    setBy(world, "colleague");
    const { code, sent } = await run(world);
    expect(code).toBeUndefined();
    expect(sent.filter((words) => words.startsWith("revert"))).toEqual([]);
    expect(world.lab.device.state.candidate.pending.map(({ stamp }) => stamp.admin)).toEqual(["colleague"]);
    expect(world.lab.device.state.commits.at(-1)?.edits.map(({ admin }) => admin)).toEqual(["netops"]);
  });

  it("belongs to one login only", async () => {
    const { world, memory } = await known();
    writeFileSync(memory, readFileSync(memory, "utf8").replace(/"[0-9a-f]{64}"/, `"${"0".repeat(64)}"`));
    const { code, sent } = await run(world);
    expect(code).toBeUndefined();
    expect(sent).toContain("show admins");
  });
});
