import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { formats, renderers } from "../../src/report/renderers.js";
import { plain } from "../../src/report/style.js";
import { AgentWorld } from "../agent/world.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { BARE } from "../engine/apply/scenes.js";

const MINUTE = 60_000;
const worlds: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const GATEWAYS = "/config/devices/entry[@name='localhost.localdomain']/network/ike/gateway";
const keyPath = (name: string): string => `${GATEWAYS}/entry[@name='${name}']/authentication/pre-shared-key/key`;

/** A document of gateways whose keys were set on the device, and one address. */
function kept(names: readonly string[], key = '"${keep}"'): string {
  const rows = names.map((name) => `        ${name}: { authentication: { pre-shared-key: { key: ${key} } } }\n`);
  return `target: edge\nscope: device\nconfig:\n  network:\n    ike:\n      gateway:\n${rows.join("")}`;
}

/** Another administrator sets a key and commits. */
function setKey(world: Pick<LabWorld, "lab">, name: string, text: string): void {
  const element = `<entry name='${name}'><authentication><pre-shared-key><key>${text}</key></pre-shared-key></authentication></entry>`;
  const device = world.lab.device;
  for (const reply of [
    device.act("alice", { type: "config", action: "set", xpath: GATEWAYS, element }),
    device.act("alice", { type: "commit", cmd: "<commit/>" }),
  ])
    expect(reply.status).toBe("success");
}

/** A firewall whose keys were read once. */
async function seen(...names: string[]): Promise<LabWorld> {
  const world = await LabWorld.start(BARE, { behavior: { checks: false } });
  worlds.push(world);
  for (const name of names) setKey(world, name, `first-of-${name}`);
  world.want(kept(names));
  const first = await world.reconcile();
  expect([first.error, exitCode([first])]).toEqual([undefined, 0]);
  return world;
}

describe("a secret of ${keep}", () => {
  it("that was replaced is drift with its author and label, in every command and format", async () => {
    const world = await seen("one", "two");
    expect([exitCode([await world.drift()]), exitCode([await world.plan()])]).toEqual([0, 0]);
    setKey(world, "one", "of-alice");
    const drift = await world.drift();
    expect(drift.drift?.items).toMatchObject([{ change: { kind: "differs" }, attribution: { admin: "alice" } }]);
    expect(drift.drift?.items[0]?.change.path.toString()).toBe(keyPath("one"));
    const [planned, applied] = [await world.plan(), await world.reconcile()];
    expect([drift, planned, applied].map((outcome) => exitCode([outcome]))).toEqual([2, 2, 2]);
    expect([planned.plan?.operations, applied.applied?.operations]).toEqual([[], 0]);
    for (const [command, outcome] of [
      ["drift", drift],
      ["plan", planned],
      ["reconcile", applied],
    ] as const) {
      for (const format of formats) {
        const said = (await renderers[format].load())(command, [outcome], plain);
        expect(said, `${command} ${format}`).not.toMatch(/-AQ==|of-alice|first-of/);
        expect(said, `${command} ${format}`).toContain(format === "sarif" || format === "json" ? "kept-replaced" : "pre-shared-key");
      }
      const text = (await renderers.text.load())(command, [outcome], plain);
      expect(text).toContain("«stored secret»");
      expect(text).not.toMatch(/in sync|no changes|no drift/);
      expect(text).toContain(`plumbline adopt edge --path "${keyPath("one")}"`);
    }
  });

  it("is accepted only by adopt of its path, and is drift until then", async () => {
    const world = await seen("one", "two");
    setKey(world, "one", "of-alice");
    setKey(world, "two", "of-alice-too");
    for (let pass = 0; pass < 2; pass++) expect(exitCode([await world.reconcile()])).toBe(2);
    expect((await world.adopt({ pass: { only: parsePath(keyPath("one")) } })).error).toBeUndefined();
    expect((await world.drift()).drift?.items.map(({ change }) => change.path.toString())).toEqual([keyPath("two")]);
    expect((await world.adopt()).error).toBeUndefined();
    expect([exitCode([await world.drift()]), exitCode([await world.reconcile()])]).toEqual([0, 0]);
  });

  it("does not block other writes", async () => {
    const world = await seen("one");
    setKey(world, "one", "of-alice");
    world.want("target: edge\nscope: vsys1\nconfig:\n  address:\n    made: { ip-netmask: 10.0.0.1 }\n", "address.yaml");
    const outcome = await world.reconcile();
    expect([outcome.error, outcome.applied?.operations, outcome.applied?.proven, exitCode([outcome])]).toEqual([undefined, 1, true, 2]);
    expect(exitCode([await world.drift()])).toBe(2);
  });

  it("is neither written nor trusted when a reference replaces it, and is known again when it returns", async () => {
    const world = await seen("one");
    world.environment = { KEY: "ours" };
    world.want(kept(["one"], '"${env:KEY}"'));
    expect((await world.plan()).plan?.findings.map(({ kind }) => kind)).toEqual(["unknown-secret"]);
    expect((await world.reconcile({ pass: { rotateSecrets: true } })).error).toBeUndefined();
    world.want(kept(["one"]));
    expect(exitCode([await world.reconcile()])).toBe(0);
    setKey(world, "one", "of-alice");
    expect(exitCode([await world.drift()])).toBe(2);
  });

  it("is unknown on a machine with another key, which reports that and leaves the ledger unchanged", async () => {
    const world = await seen("one", "two", "three");
    const before = readFileSync(world.files.ledger, "utf8");
    expect(before).not.toMatch(/-AQ==|first-of/);
    world.emptyState();
    const outcome = await world.reconcile();
    expect([outcome.error, exitCode([outcome])]).toEqual([undefined, 0]);
    expect(outcome.plan?.findings.map(({ kind }) => kind)).toEqual(["unknown-secret", "unknown-secret", "unknown-secret"]);
    expect(readFileSync(world.files.ledger, "utf8")).toBe(before);
  });

  it("is no drift if an ignore covers it", async () => {
    const world = await seen("one");
    setKey(world, "one", "of-alice");
    const ignore = `ignore:\n  - { path: "${GATEWAYS}/entry[@name='one']/authentication", owner: alice, reason: hers, until: 2999-01-01 }\n`;
    world.want(kept(["one"]).replace("config:\n", `${ignore}config:\n`));
    expect(exitCode([await world.drift()])).toBe(0);
  });
});

describe("an enforcing agent", () => {
  it("reports the secret as drift that stays, never heals it, and heals other changes", async () => {
    const world = await AgentWorld.start({ agent: "driftInterval: 5m", device: { behavior: { checks: false } } });
    worlds.push(world);
    setKey(world, "one", "first");
    world.write("edge/gateways.yaml", kept(["one"]));
    world.push("gateways");
    await world.run();
    await world.event("applied");
    setKey(world, "one", "of-alice");
    const drift = await world.after(6 * MINUTE, "drift-appeared");
    expect([drift.item.attribution?.admin, drift.item.change.path.toString()]).toEqual(["alice", keyPath("one")]);
    for (const address of ["10.9.9.9", "10.9.9.8"]) {
      world.meddle("a", address);
      const healed = await world.after(6 * MINUTE, "drift-resolved");
      expect(healed).toMatchObject({ how: "healed" });
      expect(healed.item.change.path.toString()).toContain("entry[@name='a']");
    }
    await world.after(6 * MINUTE, "pass-ended", ({ result }) => result === "drifted");
    await world.settle();
    expect(world.events.filter((event) => event.type === "pass-ended" && event.drift.length > 0)).not.toEqual([]);
    expect((await world.store?.drift.open("edge"))?.map(({ path }) => path)).toEqual([keyPath("one")]);
    expect(world.faults).toEqual([]);
  });
});
