import { afterEach, describe, expect, it } from "vitest";
import type { ProbeNetwork } from "../../../src/engine/watch/probe-network.js";
import { ManualClock } from "../../../src/lab/panos/clock.js";
import type { DeviceOptions } from "../../../src/lab/panos/options.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { LabWorld } from "../apply/lab-world.js";
import { addressesOf } from "../apply/scenes.js";
import { reachableWhile } from "./reachable.js";
import { BAD, CLIENT, commitAs, GOOD, meaning, network, OPEN, RULES, VSYS, WATCH } from "./scene.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A lab whose traffic begins once the good state is there; its clock goes on when a run waits. */
async function settled(options: DeviceOptions = {}): Promise<LabWorld> {
  const clock = new ManualClock();
  const world = await LabWorld.start(OPEN, { strict: true, ...options }, clock);
  worlds.push(world);
  world.sleep = async (milliseconds) => clock.advance(milliseconds);
  world.want(GOOD.replace(WATCH, ""));
  const first = await world.reconcile();
  if (first.error !== undefined) throw first.error;
  world.lab.device.state.traffic.add([CLIENT]);
  return world;
}

describe("a commit that blocks a flow", () => {
  it("is rolled back within the window: running is restored, the report has the reason, and the same is refused", async () => {
    const world = await settled();
    const { state } = world.lab.device;
    const before = meaning(state.running);
    world.want(BAD);
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "commit-taken-back", severity: "error", message: expect.stringContaining("traffic log") });
    expect(exitCode([outcome])).toBe(1);
    expect(meaning(state.running)).toBe(before);
    expect(state.candidate.pending).toEqual([]);
    expect(state.violations).toEqual([]);
    expect(outcome.watch).toMatchObject({ decision: "taken back", left: [], counts: [{ type: "traffic", threshold: 2, before: 0 }] });
    expect(outcome.watch?.samples[0]).toContain("rule deny-all  action deny");
    const [good, bad, back] = state.commits.map(({ description }) => description);
    expect([good, bad]).toEqual([expect.stringMatching(/^plumbline 20/), expect.stringMatching(/^plumbline 20/)]);
    expect(back).toMatch(/^plumbline rollback 20/);
    expect(state.commits).toHaveLength(3);
    const again = await world.reconcile();
    expect(again.error).toMatchObject({ code: "plan-refused", severity: "refused", message: expect.stringContaining("refused-commit") });
    expect(state.commits).toHaveLength(3);
    expect(exitCode([await world.plan()])).toBe(3);
  });

  it("is tried again if allowed, and applied if the desired state has changed", async () => {
    const world = await settled();
    world.want(BAD);
    await world.reconcile();
    const once = await world.reconcile({ pass: { allow: new Map([["refused-commit", "here"]]) } });
    expect(once.error).toMatchObject({ code: "commit-taken-back" });
    world.want(network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n", ""));
    const other = await world.reconcile();
    expect(other.error).toBeUndefined();
    expect(addressesOf(world.lab.device.state.running)).toEqual({ theirs: "192.0.2.9", clients: "10.1.0.0/16", spare: "10.9.0.9" });
  });

  it("keeps commits of others in the meantime", async () => {
    const world = await settled();
    const { state } = world.lab.device;
    const before = meaning(state.running);
    world.want(BAD);
    let done = false;
    const observer = {
      before: (step: string) => {
        if (step !== "watch" || done) return;
        done = true;
        commitAs(world, "alice", `${VSYS}/tag`, "<entry name='hers'><color>color1</color></entry>");
      },
      after: () => undefined,
    };
    const outcome = await world.reconcile({ write: { observer } });
    expect(outcome.error).toMatchObject({ code: "commit-taken-back" });
    expect(meaning(state.running)).toContain("hers");
    world.lab.device.act("alice", { type: "config", action: "delete", xpath: `${VSYS}/tag/entry[@name='hers']` });
    world.lab.device.act("alice", { type: "commit", cmd: "<commit/>" });
    expect(meaning(state.running)).toBe(before);
  });

  it("leaves a node that others changed since, and reports it with exit code 4", async () => {
    const world = await settled();
    const { state } = world.lab.device;
    world.want(BAD);
    const observer = {
      before: (step: string) => {
        if (step === "watch") commitAs(world, "alice", `${VSYS}/address/entry[@name='spare']`, "<ip-netmask>10.77.0.1</ip-netmask>");
      },
      after: () => undefined,
    };
    const outcome = await world.reconcile({ write: { observer } });
    expect(outcome.error).toMatchObject({ code: "commit-stands", severity: "partial", message: expect.stringContaining("spare") });
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.watch?.left).toEqual([{ xpath: `${VSYS}/address/entry[@name='spare']/ip-netmask`, why: "it was changed since" }]);
    expect(addressesOf(state.running)).toEqual({ theirs: "192.0.2.9", clients: "10.1.0.0/16", spare: "10.77.0.1", gone: "10.9.0.2" });
  });

  it("leaves objects that others use by now", async () => {
    const world = await settled();
    const { state } = world.lab.device;
    world.want(BAD);
    const observer = {
      before: (step: string) => {
        if (step === "watch")
          commitAs(world, "alice", `${VSYS}/address-group`, "<entry name='hers'><static><member>made</member></static></entry>");
      },
      after: () => undefined,
    };
    const outcome = await world.reconcile({ write: { observer } });
    expect(outcome.error).toMatchObject({ code: "commit-stands" });
    expect(outcome.watch?.left.map(({ xpath }) => xpath)).toEqual([`${VSYS}/address/entry[@name='made']`]);
    expect(addressesOf(state.running)).toMatchObject({ clients: "10.1.0.0/16", made: "10.9.0.3" });
  });

  it.each<[string, DeviceOptions]>([
    ["without batches", { system: { version: "10.0.4" } }],
    ["without a revert", { capabilities: { revert: false } }],
  ])("is taken back on a device %s", async (_, options) => {
    const world = await settled(options);
    const { state } = world.lab.device;
    const before = meaning(state.running);
    world.want(BAD);
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "commit-taken-back" });
    expect(meaning(state.running)).toBe(before);
  });
});

const OUTSIDE_GIT = "the desired state is not in a git repository, so missing files cannot be detected";

describe("a log that stops with a commit", () => {
  const silent = network("10.2.0.0/16").replace("action: allow }", "action: allow, log-end: yes }");
  const denyAll = `${RULES}/entry[@name='deny-all']`;

  it("causes a warning: traffic dropped by a rule without logging is invisible", async () => {
    const world = await settled();
    commitAs(world, "alice", denyAll, "<log-end>no</log-end>");
    await world.sleep?.(60_000);
    world.want(silent);
    const outcome = await world.reconcile();
    expect(outcome.watch?.decision).toBe("confirmed");
    expect(outcome.warnings).toEqual([OUTSIDE_GIT, expect.stringContaining("the traffic log has no records since the commit")]);
  });

  it("causes no warning if it continues, or was empty before", async () => {
    const busy = await settled();
    busy.want(network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n"));
    expect((await busy.reconcile()).warnings).toEqual([OUTSIDE_GIT]);
    const quiet = await settled();
    quiet.lab.device.state.traffic.clear();
    commitAs(quiet, "alice", denyAll, "<log-end>no</log-end>");
    await quiet.sleep?.(3_600_000);
    quiet.want(silent);
    expect(await quiet.reconcile()).toMatchObject({ watch: { decision: "confirmed" }, warnings: [OUTSIDE_GIT] });
  });
});

describe("a harmless commit", () => {
  it("is confirmed after the window, by the clock of the device, with progress", async () => {
    const world = await settled();
    world.want(network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n"));
    const told: string[] = [];
    const began = world.lab.device.state.clock.now();
    const outcome = await world.reconcile({ pass: { progress: (_, text) => told.push(text) } });
    expect(outcome.error).toBeUndefined();
    expect(outcome.applied).toMatchObject({ proven: true });
    expect(outcome.watch).toMatchObject({ decision: "confirmed", counts: [{ found: 0 }] });
    const waited = world.lab.device.state.clock.now() - began;
    expect(waited).toBeGreaterThanOrEqual(60_000);
    expect(waited).toBeLessThan(65_000);
    expect(told.some((text) => /watching the commit, \d+ s left, 0 of 2 traffic records/.test(text))).toBe(true);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(addressesOf(world.lab.device.state.running)).toEqual({ theirs: "192.0.2.9", clients: "10.1.0.0/16", spare: "10.9.0.9" });
  });

  it("is rolled back if the run is stopped before", async () => {
    const world = await settled();
    const before = meaning(world.lab.device.state.running);
    world.want(network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n"));
    const stop = new AbortController();
    const outcome = await world.reconcile({ pass: { stop: stop.signal }, write: { sleep: async () => stop.abort() } });
    expect(outcome.error).toMatchObject({ code: "commit-taken-back", message: expect.stringContaining("the run was stopped before") });
    expect(meaning(world.lab.device.state.running)).toBe(before);
  });
});

it("a run that will be restarted leaves the decision to its successor", async () => {
  const world = await settled();
  world.want(network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n"));
  const stop = new AbortController();
  const first = await world.reconcile({ pass: { stop: stop.signal }, write: { sleep: async () => stop.abort(), leaveWatch: true } });
  expect(first.error).toMatchObject({ code: "interrupted" });
  expect(addressesOf(world.lab.device.state.running)).toMatchObject({ spare: "10.9.0.9" });
  const next = await world.reconcile();
  expect([next.error, next.watch?.decision]).toEqual([undefined, "confirmed"]);
});

describe("probes", () => {
  const PROBE = "probe:\n  - { tcp: { host: 192.0.2.80, port: 443 }, attempts: 2 }\n";
  const HARMLESS = network("10.1.0.0/16", "    spare: { ip-netmask: 10.9.0.9 }\n", PROBE);
  const answering = (tcp: ProbeNetwork["tcp"]): ProbeNetwork => ({ tcp, http: async () => 200, dns: async () => [] });

  it("that fail roll the commit back, after their attempts", async () => {
    const world = await settled();
    const before = meaning(world.lab.device.state.running);
    world.want(HARMLESS);
    let tried = 0;
    const { commits } = world.lab.device.state;
    const network = answering(async () => {
      if (commits.length === 1) return;
      tried += 1;
      throw new Error("connection refused");
    });
    const outcome = await world.reconcile({ write: { network } });
    expect(outcome.error).toMatchObject({
      code: "commit-taken-back",
      message: expect.stringContaining("192.0.2.80 port 443 failed 2 times (connection refused)"),
    });
    expect(tried).toBe(2);
    expect(meaning(world.lab.device.state.running)).toBe(before);
  });

  it("that failed before the commit roll nothing back, which is reported: a repair is applied", async () => {
    const world = await settled();
    world.want(HARMLESS);
    const dead = answering(() => Promise.reject(new Error("connection refused")));
    const outcome = await world.reconcile({ write: { network: dead } });
    expect([outcome.error, outcome.watch?.decision]).toEqual([undefined, "confirmed"]);
    expect(outcome.warnings).toContain(
      "before the commit the probe of 192.0.2.80 port 443 failed 2 times (connection refused): it is not evidence about the commit until it succeeds",
    );
    // The way that another commit cut is opened again by taking that back.
    const { state } = world.lab.device;
    const cut = reachableWhile(() => !meaning(state.running).includes("10.9.0.77"));
    world.want(HARMLESS.replace("10.9.0.9", "10.9.0.77").replace(PROBE, ""));
    expect((await world.reconcile({ write: { network: cut } })).error).toBeUndefined();
    world.want(HARMLESS);
    const back = await world.reconcile({ write: { network: cut } });
    expect([back.error, back.watch?.decision]).toEqual([undefined, "confirmed"]);
  });

  it("that succeed confirm it immediately", async () => {
    const world = await settled();
    world.want(HARMLESS);
    const outcome = await world.reconcile({ write: { network: answering(async () => undefined) } });
    expect(outcome.error).toBeUndefined();
    expect(outcome.watch?.decision).toBe("confirmed");
  });
});

it("a watch that the device does not support refuses before a write", async () => {
  const world = await settled();
  const { commits } = world.lab.device.state;
  world.want(network("10.2.0.0/16", "", 'watch:\n  - { type: traffic, query: "( nonsense )", minutes: 1 }\n'));
  const outcome = await world.reconcile();
  expect(outcome.error).toMatchObject({ code: "watch-unreadable", severity: "refused" });
  expect(commits).toHaveLength(1);
  expect(world.lab.device.state.candidate.pending).toEqual([]);
});

it("moves and renames are reverted to their places and names", async () => {
  const world = await settled();
  const before = meaning(world.lab.device.state.running);
  const bad = network("10.2.0.0/16", "    reserve: { $was: spare, ip-netmask: 10.9.0.9 }\n").replace("$position: top", "$position: bottom");
  world.want(bad);
  const outcome = await world.reconcile();
  expect(outcome.error).toMatchObject({ code: "commit-taken-back" });
  expect(meaning(world.lab.device.state.running)).toBe(before);
  expect(world.lab.device.state.journal.some(({ params }) => JSON.stringify(params).includes(RULES))).toBe(true);
});
