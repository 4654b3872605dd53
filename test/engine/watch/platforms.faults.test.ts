import { describe, expect, it } from "vitest";
import { canonicalText } from "../../../src/core/tree/canonical.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { Capabilities } from "../../../src/plan/platform.js";
import { panosShape } from "../../../src/targets/panos/shape.js";
import { ALL, SPECIFICATION } from "../apply/device-target.js";
import { type Death, Mortal } from "../apply/mortal.js";
import { ADDRESS, BARE, policy, setAddress, VSYS } from "../apply/scenes.js";
import { World } from "../apply/world.js";
import { reachableWhile } from "./reachable.js";

const PROBE = "probe:\n  - { tcp: { host: 192.0.2.80, port: 443 }, attempts: 1 }\n";
const watched = (text: string) => text.replace("config:\n", `${PROBE}config:\n`);
/** The committed change blocks the probed path. On another machine the lock or lease of a killed run must be seen unchanged first. */
const cutting = (world: World) => ({ network: reachableWhile(() => !meaning(world).includes("10.0.0.9")), lockTimeout: 3600 });

/** A world that was reconciled once, and whose next commit fails its probe. */
async function changedWorld(capabilities: Capabilities): Promise<{ readonly world: World; readonly before: string }> {
  const world = new World(BARE);
  world.capabilities = capabilities;
  world.want(policy({ a: "10.0.0.1", b: "10.0.0.2" }, "b"));
  const first = await world.reconcile();
  if (first.error !== undefined) throw first.error;
  world.want(watched(policy({ a: "10.0.0.9", c: "10.0.0.3" }, "c")));
  return { world, before: meaning(world) };
}

const meaning = (world: World) => canonicalText(world.device.running, panosShape());

const PLATFORMS: Record<string, Capabilities> = {
  "with everything": ALL,
  "without a revert": { ...ALL, partialRevert: false },
  "without batches": { ...ALL, atomicBatch: false, maxBatchOperations: 1 },
  "with a ceiling of pending changes": { ...ALL, maxPendingChanges: 2, maxBatchOperations: 1 },
  "with the specification alone": SPECIFICATION,
};

describe.each(Object.entries(PLATFORMS))("a platform %s", (_, capabilities) => {
  it("is restored, and the same is refused", async () => {
    const { world, before } = await changedWorld(capabilities);
    const outcome = await world.reconcile({ write: cutting(world) });
    expect(outcome.error?.message).toContain("192.0.2.80 port 443 failed (connection refused)");
    expect(outcome.error?.code).toBe("commit-taken-back");
    expect(meaning(world)).toBe(before);
    expect(world.device.pending).toEqual([]);
    expect((await world.reconcile({ write: cutting(world) })).error).toMatchObject({ code: "plan-refused" });
    world.want(policy({ a: "10.0.0.1", b: "10.0.0.2" }, "b"));
    const back = await world.reconcile();
    expect([back.error, back.applied?.operations]).toEqual([undefined, 0]);
    expect([...world.device.saved.keys()]).toEqual([]);
  });
});

describe("a platform without a revert, killed at any step", async () => {
  const capabilities = PLATFORMS["without a revert"] ?? ALL;
  const { world } = await changedWorld(capabilities);
  const mortal = new Mortal(undefined);
  await world.reconcile({ write: cutting(world), observer: mortal.observer });
  const deaths = mortal.steps.flatMap((name, step) =>
    (["before", "after"] as const).map((moment): [string, Death] => [`${moment} ${step} ${name}`, { step, moment }]),
  );

  it.each(deaths)("%s, is restored by the next runs", async (_, death) => {
    for (const keepState of [true, false]) {
      const { world, before } = await changedWorld(capabilities);
      const dying = new Mortal(death);
      await world.reconcile({ write: cutting(world), observer: dying.observer, wrap: dying.wrap });
      expect(dying.isAlive).toBe(false);
      const codes: (string | undefined)[] = [];
      for (let run = 0; run < 3 && codes.at(-1) !== "plan-refused"; run++) {
        if (!keepState) {
          world.emptyState();
          world.now += 3_600_000;
        }
        codes.push(
          (await world.reconcile({ write: cutting(world), ...(keepState ? {} : { machine: { host: "b2", isAlive: () => true } }) })).error
            ?.code,
        );
      }
      expect(codes.at(-1)).toBe("plan-refused");
      expect(meaning(world)).toBe(before);
      expect(world.device.pending).toEqual([]);
    }
  });
});

it("a device that is not writable during a rollback keeps the commit, and the next run rolls it back", async () => {
  const { world, before } = await changedWorld(ALL);
  let committed = 0;
  const wire = {
    after: (call: string) => {
      if (call === "commit") committed += 1;
    },
    before: (call: string) => {
      if (call === "lock" && committed > 0) throw new Error("the device is gone");
    },
  };
  const outcome = await world.reconcile({ write: cutting(world), wire });
  expect(outcome.error).toMatchObject({ code: "commit-stands", severity: "partial" });
  expect(meaning(world)).not.toBe(before);
  const next = await world.reconcile({ write: cutting(world) });
  expect(next.error).toMatchObject({ code: "commit-taken-back" });
  expect(meaning(world)).toBe(before);
});

it("a commit whose former state is unknown stays, and that is reported", async () => {
  const { world } = await changedWorld(ALL);
  const measured = new Mortal(undefined);
  const other = (await changedWorld(ALL)).world;
  await other.reconcile({ write: cutting(other), observer: measured.observer });
  const dying = new Mortal({ step: measured.steps.indexOf("read-back"), moment: "before" });
  await world.reconcile({ write: cutting(world), observer: dying.observer, wrap: dying.wrap });
  world.device.saved.clear();
  const next = await world.reconcile({ write: cutting(world) });
  expect(next.error).toMatchObject({ code: "commit-stands", severity: "partial", message: expect.stringContaining("plumbline-before-") });
  // An administrator reverts it manually, so there is no decision to make.
  for (const [name, ip] of Object.entries({ a: "10.0.0.1", b: "10.0.0.2" })) world.device.write("alice", [setAddress(ADDRESS, name, ip)]);
  const source = `${VSYS}/rulebase/security/rules/entry[@name='allow']/source`;
  world.device.write("alice", [{ action: "edit", at: parsePath(source), element: parseXml("<source><member>b</member></source>") }]);
  world.device.write("alice", [{ action: "delete", at: parsePath(`${ADDRESS}/entry[@name='c']`) }]);
  world.device.commit("alice", "by hand", false);
  expect((await world.reconcile({ write: cutting(world) })).error).toMatchObject({ code: "commit-taken-back" });
  expect((await world.reconcile({ write: cutting(world) })).error).toMatchObject({ code: "plan-refused" });
});

it("uncommitted work of others is neither committed nor lost", async () => {
  const { world, before } = await changedWorld(ALL);
  const theirs = setAddress("/config/shared/address", "half-done", "10.5.5.5");
  const observer = {
    before: (step: string) => {
      if (step === "watch") world.device.write("alice", [theirs]);
    },
    after: () => undefined,
  };
  const outcome = await world.reconcile({ write: cutting(world), observer });
  expect(outcome.error).toMatchObject({ code: "commit-taken-back" });
  expect(meaning(world)).toBe(before);
  expect(world.device.pending).toEqual([{ admin: "alice", operation: theirs }]);
});

it("without a commit nothing can be rolled back: checks are not run, and that is reported", async () => {
  const world = new World(BARE);
  world.capabilities = { ...ALL, candidate: false };
  world.want(watched(policy({ a: "10.0.0.1" }, "a")));
  const outcome = await world.reconcile({ write: cutting(world) });
  expect(outcome.error).toBeUndefined();
  expect(outcome.warnings).toEqual([
    expect.stringContaining("not in a git repository"),
    expect.stringContaining("watch: and probe: are not used"),
  ]);
});
