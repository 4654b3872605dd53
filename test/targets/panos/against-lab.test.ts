import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Operation } from "../../../src/core/operation.js";
import { SecretValue } from "../../../src/core/secret.js";
import { find } from "../../../src/core/tree/lookup.js";
import { SecretLeaf, TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { belongsElsewhere, deviceOf } from "../../../src/engine/device-identity.js";
import type { ReadTarget } from "../../../src/engine/target.js";
import type { DeviceOptions } from "../../../src/lab/panos/options.js";
import { type RunningLab, startLab } from "../../../src/lab/panos/start.js";
import type { PanosOptions } from "../../../src/targets/panos/dependencies.js";
import { openPanosReader } from "../../../src/targets/panos/reader.js";
import type { PanosTargetConfiguration } from "../../../src/targets/panos/settings.js";
import { openPanosWriter } from "../../../src/targets/panos/writer.js";
import { handsOn } from "../hands-on.js";
import { configuration, dependencies, failure } from "./fixtures.js";

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const address = parsePath(`${VSYS}/address`);
const rule = parsePath(`${VSYS}/rulebase/security/rules/entry[@name='allow-web']`);
const OURS = "netops";
const quiet = () => undefined;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function lab(...devices: DeviceOptions[]): Promise<RunningLab> {
  const administrators = [OURS, "ann"].map((name) => ({ name, password: name, role: { kind: "superuser" } as const }));
  const running = await startLab({ devices: (devices.length === 0 ? [{}] : devices).map((device) => ({ administrators, ...device })) });
  opened.push(running);
  return running;
}

async function settings(running: RunningLab, overrides: Partial<PanosTargetConfiguration>): Promise<PanosTargetConfiguration> {
  const ca = join(await mkdtemp(join(tmpdir(), "plumbline-lab-")), "ca.pem");
  await writeFile(ca, running.caPem);
  const credentials = { username: OURS, password: new SecretValue(OURS, "${env:FW_PASSWORD}") };
  return configuration(running.device.url, { tls: { ca, insecure: false }, credentials, ...overrides });
}

async function reader(running: RunningLab, overrides: Partial<PanosTargetConfiguration> = {}) {
  const injected = dependencies();
  const target = openPanosReader(await settings(running, overrides), injected);
  opened.push(target);
  return { target, injected };
}

async function writer(running: RunningLab, overrides: Partial<PanosTargetConfiguration> = {}, options: PanosOptions = {}) {
  const target = handsOn(openPanosWriter(await settings(running, overrides), dependencies(), options));
  opened.push(target);
  return target;
}

const leaf = (tag: string, text: string) => new TreeNode(tag, undefined, text);
const host = (name: string, ip: string): Operation => ({
  action: "set",
  at: address,
  element: new TreeNode("entry", name, "", [leaf("ip-netmask", ip)]),
});
const repoint: Operation = {
  action: "set",
  at: parsePath(`${VSYS}/address-group/entry[@name='web']`),
  element: new TreeNode("static", undefined, "", [leaf("member", "web-3")]),
};

async function ipOf(target: ReadTarget, name: string, view: "candidate" | "running"): Promise<string | undefined> {
  return find(await target.read([address], view), address.entry(name).child("ip-netmask"))?.text;
}

const executed = (running: RunningLab, type: string, action?: string) =>
  running.device.state.journal.filter(
    (entry) => entry.executed && entry.type === type && (action === undefined || entry.action === action),
  );

describe("reading a lab firewall", () => {
  it("is opened over verified TLS, and reports all its capabilities", async () => {
    const running = await lab({ system: { version: "11.1.4" } });
    const { target, injected } = await reader(running);
    const { identity, capabilities } = await target.open();
    expect(identity).toMatchObject({ serial: running.device.state.serial, version: "11.1.4", role: "standalone" });
    expect(capabilities).toMatchObject({
      atomicBatch: true,
      move: true,
      locks: true,
      changeList: true,
      partialCommit: true,
      validate: true,
    });
    expect(injected.warnings).toEqual([]);
    expect((await target.status()).get("hostname")).toBe("lab-fw");
  });

  it("reports by version that it has no batches, and by silence that it supports only the specification", async () => {
    const old = await reader(await lab({ system: { version: "10.0.9" } }));
    expect((await old.target.open()).capabilities).toMatchObject({ atomicBatch: false, move: true, locks: true });
    const bare = await reader(await lab({ capabilities: "spec-only" }));
    expect((await bare.target.open()).capabilities).toMatchObject({
      atomicBatch: false,
      move: false,
      locks: false,
      changeList: false,
      validate: false,
    });
    expect(await ipOf(bare.target, "web-1", "running")).toBe("10.0.0.10");
  });

  it.each(["get", "post"] as const)("works with only %s", async (http) => {
    const running = await lab();
    const { target } = await reader(running, { http, keyIn: http === "get" ? "parameter" : "header" });
    expect(await ipOf(target, "web-1", "candidate")).toBe("10.0.0.10");
    expect(new Set(running.device.state.journal.map(({ method }) => method))).toEqual(new Set([http.toUpperCase()]));
  });

  it("shows candidate and running separately, and the author and time of changes", async () => {
    const running = await lab();
    const { target } = await reader(running);
    running.device.act("ann", {
      type: "config",
      action: "set",
      xpath: address.entry("web-1").toString(),
      element: "<ip-netmask>10.0.0.99</ip-netmask>",
    });
    expect(await ipOf(target, "web-1", "running")).toBe("10.0.0.10");
    expect(await ipOf(target, "web-1", "candidate")).toBe("10.0.0.99");
    expect(await target.pendingAndLocks.pending()).toMatchObject([{ owner: "ann", action: "SET" }]);
    const who = await target.attribution(address.entry("web-1").child("ip-netmask"), undefined);
    expect(who).toMatchObject({ admin: "ann", time: expect.stringMatching(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/) });
  });

  it("names the author of a deletion, by the marks or the configuration log", async () => {
    const running = await lab();
    running.device.act("ann", {
      type: "config",
      action: "delete",
      xpath: `${VSYS}/address-group/entry[@name='web']/static/member[text()='web-2']`,
    });
    running.device.act("ann", { type: "config", action: "delete", xpath: address.entry("web-2").toString() });
    const { target } = await reader(running);
    await target.read([address], "running");
    expect(await target.attribution(address.entry("web-2"), undefined)).toMatchObject({ admin: "ann" });
  });

  it("is not believed when it hides a list", async () => {
    const hidden = { name: OURS, password: OURS, role: { kind: "custom", hidden: [address.toString()] } } as const;
    const { target } = await reader(await lab({ administrators: [hidden] }));
    expect((await failure(target.read([address], "candidate"))).code).toBe("empty-read-not-believed");
  });

  it("works with the active one of a pair, whichever address is first", async () => {
    const running = await lab({ name: "a", peer: "b" }, { name: "b", peer: "a" });
    const [a, b] = running.devices;
    for (const [url, peer] of [
      [a?.url, b?.url],
      [b?.url, a?.url],
    ]) {
      const { target } = await reader(running, { url: url ?? "", peers: [peer ?? ""] });
      expect((await target.open()).identity).toMatchObject({ serial: a?.state.serial, role: "active" });
    }
  });

  it("names both members of a pair if only one is reached, so a failover is no other device", async () => {
    const running = await lab({ name: "a", peer: "b" }, { name: "b", peer: "a" });
    const serials = running.devices.map(({ state }) => state.serial).sort();
    for (const { url } of running.devices) {
      const { target } = await reader(running, { url, peers: ["https://127.0.0.1:1"] });
      const device = deviceOf(await target.open());
      expect([device, belongsElsewhere([serials[0] ?? ""], device)]).toEqual([{ names: serials, isPartial: false }, false]);
      for (const { state } of running.devices) state.haState = state.haState === "active" ? "passive" : "active";
    }
  });

  it.each([
    [{ kind: "cut", announced: "sent" }, "reply-not-well-formed"],
    [{ kind: "cut", announced: "whole" }, "connection-lost"],
    [{ kind: "drop" }, "connection-lost"],
    [{ kind: "html", status: 200 }, "reply-html"],
    [{ kind: "html", status: 414 }, "request-too-long"],
    [{ kind: "content-type", value: "text/plain" }, "reply-content-type"],
    [{ kind: "status", status: 504 }, "device-unavailable"],
    [{ kind: "huge", bytes: 5_000 }, "reply-too-large"],
  ] as const)("says what is wrong with each of its faults (%j)", async (effect, code) => {
    const running = await lab({ plainHttp: true });
    const target = openPanosReader(await settings(running, { url: running.device.plainUrl ?? "" }), dependencies(), {
      maxReplyBytes: 4_000,
    });
    opened.push(target);
    await target.open();
    running.fault({ match: { type: "config", action: "get" }, effect, count: 9 });
    expect((await failure(target.read([address], "candidate"))).code).toBe(code);
    running.clearFaults();
    expect(await ipOf(target, "web-1", "candidate")).toBe("10.0.0.10");
  });

  it("continues with a new key when the key is revoked during a run", async () => {
    const running = await lab();
    const { target } = await reader(running);
    await target.open();
    running.fault({ match: { type: "config" }, effect: { kind: "revoke-key" } });
    expect(await ipOf(target, "web-1", "candidate")).toBe("10.0.0.10");
    expect(executed(running, "keygen")).toHaveLength(2);
  });
});

describe("writing a lab firewall", () => {
  it("applies a locked, validated, described change of the own administrator, and keeps another's pending", async () => {
    const running = await lab({ jobDuration: 30 });
    running.device.act("ann", { type: "config", action: "set", xpath: "/config/shared/tag", element: `<entry name="ann"/>` });
    const target = await writer(running);
    await target.open();
    await target.lock("plumbline/1 netops-edge run1 abc", []);
    expect(await target.locks()).toMatchObject([
      { kind: "config", scope: "shared", owner: OURS, comment: "plumbline/1 netops-edge run1 abc" },
    ]);
    await target.save("plumbline-run1");
    await target.write([host("web-3", "10.0.0.12"), repoint, { action: "rename", at: rule, newName: "allow web" }]);
    expect((await target.validate(quiet)).outcome).toBe("committed");
    const seen: string[] = [];
    const committed = await target.commit({ description: "plumbline run1 abc", partial: true }, ({ status }) => seen.push(status));
    expect(committed).toMatchObject({ outcome: "committed", lines: expect.arrayContaining([expect.stringMatching(/\w/)]) });
    expect(seen.at(-1)).toBe("FIN");
    expect(await ipOf(target, "web-3", "running")).toBe("10.0.0.12");
    expect(await target.pending()).toMatchObject([{ owner: "ann" }]);
    await target.unlock();
    expect(await target.locks()).toEqual([]);
    expect(await target.settleJobs("plumbline run1", quiet)).toMatchObject([
      { job: committed.job, description: "plumbline run1 abc", ok: true },
    ]);
    expect((await target.commit({ description: "again", partial: true }, quiet)).outcome).toBe("nothing");
  });

  it("executes all of a batch or nothing, and names the obstacle", async () => {
    const target = await writer(await lab());
    const error = await failure(target.write([host("web-3", "10.0.0.12"), { action: "delete", at: address.entry("web-1") }]));
    expect([error.code, error.where.xpath]).toEqual(["still-referenced", address.entry("web-1").toString()]);
    expect(error.message).toMatch(/web/);
    expect(await ipOf(target, "web-3", "candidate")).toBeUndefined();
  });

  it("keeps a secret typed: revealed on the wire, ciphertext when read back", async () => {
    const running = await lab();
    const users = parsePath("/config/mgt-config/users");
    const target = await writer(running);
    const phash = new SecretLeaf("phash", new SecretValue("$5$salt$plaintext", "${env:HASH}"));
    await target.write([{ action: "set", at: users, element: new TreeNode("entry", "bob", "", [phash]) }]);
    const back = find(await target.read([users], "candidate"), users.entry("bob").child("phash"));
    expect(back).toBeInstanceOf(SecretLeaf);
    expect(executed(running, "config", "multi-config")[0]?.method).toBe("POST");
  });

  it("writes one by one to an old device, and to one that supports only the specification", async () => {
    for (const options of [{ system: { version: "9.1.0" } }, { capabilities: "spec-only" }] as DeviceOptions[]) {
      const running = await lab(options);
      const target = await writer(running);
      await target.lock("plumbline/1 netops-edge run1 abc", []);
      await target.write([host("web-3", "10.0.0.12"), repoint, { action: "delete", at: address.entry("gone") }]);
      expect((await target.commit({ description: "plumbline run1 abc", partial: true }, quiet)).outcome).toBe("committed");
      await expect.poll(() => ipOf(target, "web-3", "running")).toBe("10.0.0.12");
      expect(executed(running, "config", "set")).toHaveLength(2);
      await target.unlock();
    }
  });

  it("reports a lost reply, and has executed the write once", async () => {
    const running = await lab();
    const target = await writer(running);
    await target.open();
    running.fault({ match: { action: "multi-config" }, effect: { kind: "drop-reply" }, count: 9 });
    expect((await failure(target.write([host("web-3", "10.0.0.12")]))).code).toBe("reply-lost");
    expect(executed(running, "config", "multi-config")).toHaveLength(1);
    expect(await ipOf(target, "web-3", "candidate")).toBe("10.0.0.12");
  });

  it("finds the commit with a lost reply in the list of jobs", async () => {
    const running = await lab();
    const target = await writer(running);
    await target.write([host("web-3", "10.0.0.12")]);
    running.fault({ match: { type: "commit" }, effect: { kind: "drop-reply" } });
    expect((await failure(target.commit({ description: "plumbline run1 abc", partial: true }, quiet))).code).toBe("reply-lost");
    expect(await target.settleJobs("plumbline run1 abc", quiet)).toMatchObject([{ ok: true }]);
  });

  it("reverts only the own changes", async () => {
    const running = await lab();
    const target = await writer(running);
    await target.write([host("web-3", "10.0.0.12")]);
    running.device.act("ann", { type: "config", action: "set", xpath: "/config/shared/tag", element: `<entry name="ann"/>` });
    await target.revert();
    expect(await ipOf(target, "web-3", "candidate")).toBeUndefined();
    expect(await target.pending()).toMatchObject([{ owner: "ann" }]);
  });

  it("reports a commit that fails, one that never ends, and a busy device", async () => {
    const running = await lab();
    const target = await writer(running, {}, { jobTimeout: 600_000 });
    await target.write([host("web-3", "10.0.0.12")]);
    running.fault({ match: { type: "commit" }, effect: { kind: "job-fails", lines: ["phase 2 failed"] } });
    expect(await target.commit({ description: "x", partial: false }, quiet)).toMatchObject({
      outcome: "failed",
      lines: ["phase 2 failed"],
    });
    running.fault({ match: { type: "commit" }, effect: { kind: "busy" } });
    expect((await failure(target.commit({ description: "x", partial: false }, quiet))).code).toBe("device-busy");
    running.fault({ match: { type: "commit" }, effect: { kind: "job-never-ends" } });
    expect((await failure(target.commit({ description: "x", partial: false }, quiet))).code).toBe("job-not-ended");
  });

  it("respects another administrator's lock", async () => {
    const running = await lab();
    const target = await writer(running);
    await target.open();
    running.fault({ match: { cmd: "config-lock" }, effect: { kind: "lock", lock: "config", admin: "ann", comment: "hands off" } });
    expect((await failure(target.lock("plumbline/1 netops-edge run1 abc", []))).code).toBe("device-locked");
    expect((await failure(target.write([host("web-3", "10.0.0.12")]))).code).toBe("device-locked");
  });

  it("removes a lock of an earlier run, and takes its own", async () => {
    const target = await writer(await lab());
    await target.lock("plumbline/1 netops-edge run0 abc", []);
    expect((await failure(target.lock("plumbline/1 netops-edge run1 abc", []))).code).toBe("lock-already-ours");
    for (const lock of await target.locks()) await target.breakLock(lock);
    await target.lock("plumbline/1 netops-edge run1 abc", []);
    expect(await target.locks()).toMatchObject([{ comment: "plumbline/1 netops-edge run1 abc" }]);
  });

  it("detects a failover on the next read", async () => {
    const running = await lab({ name: "a", peer: "b" }, { name: "b", peer: "a" });
    const target = await writer(running, { peers: [running.devices[1]?.url ?? ""] });
    expect((await target.open()).identity.role).toBe("active");
    running.fault({ match: { cmd: "high-availability" }, effect: { kind: "fail-over" } });
    expect((await target.open()).identity).toMatchObject({ serial: running.device.state.serial, role: "passive" });
    expect((await failure(target.write([host("web-3", "10.0.0.12")]))).code).toBe("operation-denied");
  });
});
