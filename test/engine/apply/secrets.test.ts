import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { LabWorld } from "./lab-world.js";
import { BARE } from "./scenes.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const GATEWAYS = "/config/devices/entry[@name='localhost.localdomain']/network/ike/gateway";
const KEYS = ["one", "two", "three", "four"];

/** A document of gateways, each with a key of its own from the environment. */
function gateways(names: readonly string[]): string {
  const rows = names.map((name) => `        ${name}: { authentication: { pre-shared-key: { key: "\${env:KEY_${name}}" } } }\n`);
  return `target: edge\nscope: device\nconfig:\n  network:\n    ike:\n      gateway:\n${rows.join("")}`;
}

function keyPath(name: string): string {
  return `${GATEWAYS}/entry[@name='${name}']/authentication/pre-shared-key/key`;
}

async function world(names: readonly string[]): Promise<LabWorld> {
  const made = await LabWorld.start(BARE, { behavior: { checks: false } });
  worlds.push(made);
  made.environment = Object.fromEntries(KEYS.map((name) => [`KEY_${name}`, `plain text of ${name}`]));
  made.want(gateways(names));
  return made;
}

/** Another administrator sets keys and commits. */
function setKeys(w: LabWorld, names: readonly string[]): void {
  for (const name of names)
    w.lab.device.act("alice", { type: "config", action: "edit", xpath: keyPath(name), element: "<key>of alice</key>" });
  w.lab.device.act("alice", { type: "commit", cmd: "<commit/>" });
}

describe("a secret that the device stores encrypted", () => {
  it("is written once, shows no drift afterwards, and is readable nowhere", async () => {
    const w = await world(["one"]);
    const first = await w.reconcile();
    expect(first.error).toBeUndefined();
    expect(exitCode([await w.plan()])).toBe(0);
    expect(exitCode([await w.drift()])).toBe(0);
    expect(w.lab.device.state.commits).toHaveLength(1);
    const seen = JSON.stringify([first.plan, first.applied]) + readFileSync(w.files.ledger, "utf8");
    expect(seen).not.toContain("plain text of");
    expect(seen).not.toContain("-AQ==");
  });

  it("is written again after a change in git, or on the device", async () => {
    const w = await world(["one"]);
    await w.reconcile();
    w.environment.KEY_one = "another plain text";
    expect(exitCode([await w.plan()])).toBe(2);
    expect((await w.reconcile()).error).toBeUndefined();
    setKeys(w, ["one"]);
    expect((await w.drift()).drift?.items.map(({ change }) => change.path.toString())).toEqual([keyPath("one")]);
    expect((await w.reconcile()).error).toBeUndefined();
    expect(exitCode([await w.drift()])).toBe(0);
  });

  it("is unknown, not drift, on a machine with another key; --rotate writes it", async () => {
    const w = await world(["one"]);
    await w.reconcile();
    const record = JSON.parse(readFileSync(w.files.ledger, "utf8"));
    expect(Object.keys(JSON.parse(record.ledgers["netops-edge"].edge).secrets)).toEqual([keyPath("one")]);
    const fresh = { ledger: `${w.files.ledger}.other` };
    const unknown = await w.plan({ pass: fresh });
    expect(unknown.plan?.findings.map(({ kind }) => kind)).toEqual(["unknown-secret"]);
    expect(exitCode([unknown])).toBe(0);
    expect((await w.plan({ pass: { ...fresh, rotateSecrets: true } })).plan?.operations).toHaveLength(1);
  });

  it("is written again by the next run if this one was killed before it recorded the stored form", async () => {
    const w = await world(["one"]);
    const die = { after: (step: string) => (step === "commit" ? Promise.reject(new Error("killed")) : undefined), before: () => undefined };
    expect((await w.reconcile({ write: { observer: die } })).error).toBeDefined();
    expect((await w.reconcile({ machine: { isAlive: () => false } })).error).toBeUndefined();
    expect(exitCode([await w.plan()])).toBe(0);
  });
});

describe("many secrets in another form", () => {
  it("refuse until the new form is adopted, or they are written again", async () => {
    const w = await world(KEYS);
    expect((await w.reconcile()).error).toBeUndefined();
    setKeys(w, KEYS);
    const commits = w.lab.device.state.commits.length;
    for (const outcome of [await w.plan(), await w.reconcile()]) {
      expect(outcome.error).toMatchObject({ code: "master-key-changed" });
      expect(exitCode([outcome])).toBe(3);
    }
    expect(w.lab.device.state.commits).toHaveLength(commits);
    expect((await w.plan({ pass: { allow: new Map([["master-key", ""]]) } })).plan?.operations.length).toBeGreaterThan(0);
    expect((await w.adopt()).error).toBeUndefined();
    expect(exitCode([await w.plan()])).toBe(0);
  });
});
