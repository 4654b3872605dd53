import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../../src/agent/store/open.js";
import { ManualClock } from "../../../src/lab/lab.js";
import type { Flow } from "../../../src/lab/panos/traffic/flow.js";
import type { Traffic } from "../../../src/outcome/traffic.js";
import { type CliWorld, openWorld } from "../world.js";

const RULES = "desired-state/edge/rules/security.yaml";
const LOOKED_AT = "--allow dirty=1 --allow first-contact=1";
const HOUR = 3_600_000;
const POSTGRES: Flow = { from: "web", to: "db", source: "10.110.0.11", destination: "10.120.0.21", application: "postgres", port: 5432 };

let world: CliWorld;
let clock: ManualClock;
beforeEach(async () => {
  clock = new ManualClock();
  world = await openWorld(undefined, clock);
});
afterEach(() => world.close());

/** Traffic of 36 hours, with frequent flows. */
function traffic(): void {
  const often = [
    {},
    { source: "10.110.0.12" },
    { port: 5433 },
    { from: "db", to: "web" },
    { source: "10.110.0.99", to: "untrust", user: "acme\\ann" },
  ];
  const seldom = [{ source: "10.110.0.77" }, { application: "ssl", port: 443, to: "untrust", destination: "198.51.100.7" }];
  const flow = (more: Partial<Flow>, every: number) => ({ ...POSTGRES, ...more, every });
  world.lab.device.state.traffic.add([...often.map((each) => flow(each, 7 * 60_000)), ...seldom.map((each) => flow(each, 5 * HOUR))]);
  clock.advance(36 * HOUR);
}

function keep(settings: string): void {
  const file = join(world.folder, "desired-state/plumbline.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(/\nagent: .*\n$/, "\n"));
  appendFileSync(file, `agent: { traffic: ${settings} }\n`);
  world.commit("keep traffic");
}

async function dueNow(): Promise<void> {
  const store = await openStore({ kind: "sqlite", file: join(world.folder, "state/plumbline.db") }, { readOnly: false });
  await store.traffic.note("edge", { next: 0 });
  await store.close();
}

/** A change that lets through and stops. */
function change(): void {
  const file = join(world.folder, RULES);
  writeFileSync(file, readFileSync(file, "utf8").replace("source: [web-servers]", "source: [10.110.0.77]"));
}

async function replayed(options: string): Promise<Traffic | undefined> {
  const { out } = await world.run(`plan --target edge ${LOOKED_AT} ${options} --format json`);
  return (JSON.parse(out) as { targets: { traffic?: Traffic }[] }).targets[0]?.traffic;
}

const without = (traffic: Traffic | undefined) => ({ ...traffic, source: undefined });

describe("plan --replay of stored traffic", () => {
  it("gives the same result as the firewall's own log, with the time of each source", async () => {
    keep("{ keep: 7d }");
    traffic();
    world.lab.device.act("mkovacs", { type: "commit", cmd: "<commit/>" });
    const read = await world.run("agent --once");
    expect(read.out).toContain("first-contact");
    change();
    const first = await replayed("--replay 2026-01-05");
    expect(first?.source).toEqual({ from: "store", boxes: [{ box: "007000009572932", until: "2026/01/06 20:00:00" }], gaps: [] });
    expect(first?.scopes[0]).toMatchObject({ closed: 618, mayChange: 8 });
    // The next reading continues at the end of this one. The agent's clock did not move with the firewall's.
    clock.advance(2 * HOUR + 17_000);
    await dueNow();
    await world.run("agent --once");
    const gap = { from: "2026/01/06 20:00:00", to: "2026/01/06 22:00:17", why: "clock" };
    expect((await replayed("--replay 2026-01-05"))?.source).toMatchObject({ boxes: [{ until: "2026/01/06 22:00:17" }], gaps: [gap] });
    for (const since of ["2026-01-05", "2026-01-06"]) {
      const [fromStore, fromDevice] = [await replayed(`--replay ${since}`), await replayed(`--replay ${since} --replay-from device`)];
      expect(fromDevice?.source).toEqual({ from: "device" });
      expect(without(fromStore)).toEqual(without(fromDevice));
    }
    const { out } = await world.run(`plan --target edge ${LOOKED_AT} --replay 3h`);
    expect(out).toContain("Traffic since 2026/01/06 19:00:00");
    expect(out).toContain("As agents have kept the log up to 2026/01/06 22:00:17, by the hour.");
    expect(out).toContain("From 2026/01/06 20:00:00 to 2026/01/06 22:00:17 the clocks of target and agent diverged");
    const { out: comment } = await world.run(`plan --target edge ${LOOKED_AT} --replay 3h --format markdown`);
    expect(comment).toMatch(/- \*\*traffic\*\* As agents have kept the log up to/);
  });

  it("reads the firewall if nothing is stored, and neither if only the store is requested", async () => {
    traffic();
    change();
    expect((await replayed("--replay 7d"))?.source).toEqual({ from: "device" });
    expect(await replayed("--replay 7d --replay-from store")).toMatchObject({ failure: "no agent has kept traffic of edge", scopes: [] });
    writeFileSync(join(world.folder, "no-store"), "nothing of a store");
    const { out } = await world.run(`plan --target edge ${LOOKED_AT} --replay 7d`, { PLUMBLINE_STORE: "sqlite:no-store" });
    expect(out).toMatch(/Read from the device: .*no-store/);
    expect(out).toMatch(/would be stopped {2}\d+ sessions/);
  });

  it("needs no log of the firewall: one that refuses it is replayed too", async () => {
    keep("{ keep: 7d, targets: [edge] }");
    traffic();
    await world.run("agent --once");
    change();
    const before = await replayed("--replay 2026-01-05");
    world.lab.fault({ match: { type: "log" }, effect: { kind: "status", status: 403 }, count: 100 });
    expect(await replayed("--replay 2026-01-05")).toEqual(before);
    expect(before?.scopes[0]?.closed).toBeGreaterThan(500);
  });

  it("reports the start of its data, and omitted rare flows", async () => {
    keep("{ keep: 6h, rows: 20 }");
    traffic();
    await world.run("agent --once");
    change();
    const kept = await replayed("--replay 2026-01-05");
    expect(kept?.backTo).toBe("2026/01/06 14:00:00");
    expect(kept?.source).toMatchObject({ from: "store", cut: { from: expect.any(String), flows: expect.any(Number) } });
    const { out } = await world.run(`plan --target edge ${LOOKED_AT} --replay 2026-01-05`);
    expect(out).toMatch(/Requested from 2026\/01\/05 00:00:00; sessions are available from 2026\/01\/06 14:00:00\./);
    expect(out).toMatch(/only the most frequent flows were kept: \d+ flows with \d+ sessions are missing\./);
    const [all, some] = [await replayed("--replay 2026-01-06 --replay-from device"), kept];
    expect(some?.scopes[0]?.sessions).toBeLessThan(all?.scopes[0]?.sessions ?? 0);
  });

  it("deletes traffic that is no longer to be stored", async () => {
    keep("{ keep: 7d }");
    traffic();
    await world.run("agent --once");
    keep("{ keep: 7d, targets: [core] }");
    await world.run("agent --once");
    change();
    expect((await replayed("--replay 7d"))?.source).toEqual({ from: "device" });
  });
});
