import { describe, expect, it } from "vitest";
import { defineMetrics } from "../../../src/agent/metrics/definitions.js";
import { MetricsListener } from "../../../src/agent/metrics/listener.js";
import { newRow, rowAfter } from "../../../src/agent/page/fleet-row.js";
import { SecretValue } from "../../../src/core/secret.js";
import { withPushes } from "../../../src/engine/managed-firewalls.js";
import { formatPushProgress, type PushCourse } from "../../../src/outcome/push-course.js";
import { firewallLines } from "../../../src/report/firewalls.js";
import { openPanosReader } from "../../../src/targets/panos/reader.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { configuration, dependencies } from "../../targets/panos/fixtures.js";
import { ManagedWorld } from "./managed-world.js";

const WAVES = `{ timeout: 5, rollout: { canary: ["${SERIALS.c}"], batch: 1 } }`;
const NAMES = new Map<string, string>(Object.entries(SERIALS).map(([name, serial]) => [serial, name]));

/** `a waiting, b pushing`, each once for each time that something moved. */
const stepsOf = ({ firewalls }: PushCourse) => firewalls.map(({ serial, step }) => `${NAMES.get(serial)} ${step}`).join(", ");
const told = ({ courses }: ManagedWorld) => courses.map(stepsOf).filter((each, at, all) => each !== all[at - 1]);

async function worldOf(push = WAVES): Promise<ManagedWorld> {
  const world = await ManagedWorld.start(push);
  world.write("above", "device-group/all", "{ tag: { above: { comments: ours } } }");
  return world;
}

describe("the state of firewalls in a push", () => {
  it("is reported in order: checked, waiting for the canary, pushed, arrived, each with wave, job and time", async () => {
    const world = await worldOf();
    await world.reconcile();
    expect(told(world)).toEqual([
      "c waiting, a waiting for a canary, b waiting for a canary",
      "c waiting, a validating, b validating",
      "c waiting, a waiting for a canary, b waiting for a canary",
      "c validating, a waiting for a canary, b waiting for a canary",
      "c waiting, a waiting for a canary, b waiting for a canary",
      "c pushing, a waiting for a canary, b waiting for a canary",
      "c pushed, a waiting for a canary, b waiting for a canary",
      "c arrived, a waiting, b waiting",
      "c arrived, a pushing, b waiting",
      "c arrived, a pushed, b waiting",
      "c arrived, a arrived, b waiting",
      "c arrived, a arrived, b pushing",
      "c arrived, a arrived, b pushed",
      "c arrived, a arrived, b arrived",
    ]);
    const last = world.courses.at(-1) ?? expect.fail();
    expect(last).toMatchObject({ by: "plumbline", waves: 3, isBack: false, ended: expect.any(String) });
    expect(world.courses.at(-2)?.ended).toBeUndefined();
    expect(last.firewalls.map(({ wave, hostname, job }) => [wave, hostname, job !== ""])).toEqual([
      [1, "fw-c", true],
      [2, "fw-a", true],
      [3, "fw-b", true],
    ]);
    for (const { since } of last.firewalls) expect(Date.parse(since)).toBeGreaterThanOrEqual(Date.parse(last.began));
    world.courses.length = 0;
    await world.reconcile();
    expect(world.courses).toEqual([]);
  });

  it.each([
    ["fails", { kind: "fails", lines: ["Commit failed"] }, "c failed, a waiting for a canary, b waiting for a canary"],
    ["goes back after its commit", { kind: "reverts" }, "c failed, a waiting for a canary, b waiting for a canary"],
    ["never answers", { kind: "never-answers" }, "c unknown, a waiting for a canary, b waiting for a canary"],
    ["is missing in the job", { kind: "left-out" }, "c failed, a waiting for a canary, b waiting for a canary"],
  ] as const)("ends with what became of a canary that %s, while the others wait", async (_, trouble, last) => {
    const world = await worldOf(WAVES.replace("timeout: 5", "timeout: 1, validate: false"));
    const { attachment } = world.device("c");
    if (attachment !== undefined) attachment.trouble = trouble;
    await world.reconcile();
    expect(told(world).at(-1)).toBe(last);
    expect(world.courses.at(-1)?.ended).toBeDefined();
  });

  it("is shown in a row and a metric, also for running jobs of the manager", async () => {
    const world = await worldOf(WAVES.replace("timeout: 5", "timeout: 1, validate: false"));
    const { attachment } = world.device("c");
    if (attachment !== undefined) attachment.trouble = { kind: "never-answers" };
    await world.reconcile();
    const course = world.courses.find((each) => stepsOf(each).startsWith("c pushing")) ?? expect.fail();
    const words = "wave 1 of 3, 0 of 3 firewalls have it, 1 pushing, 2 waiting for a canary";
    expect(formatPushProgress(course)).toBe(words);
    const event = { type: "push-moved", target: "manager", course, time: 0 } as const;
    const row = newRow("manager", { kind: "panos", mode: "enforce" });
    expect(rowAfter(row, event).note).toBe(`pushing: ${words}`);
    const metrics = defineMetrics();
    const listener = new MetricsListener(metrics);
    listener.listen(event);
    expect(await metrics.registry.metrics()).toContain('push_firewalls{target="manager",step="waiting for a canary"} 2');
    expect((await metrics.pushBegan.get()).values[0]?.value).toBe(Date.parse(course.began) / 1000);
    await listener.keepOnly(new Set());
    expect((await metrics.pushSteps.get()).values).toEqual([]);

    const reader = openPanosReader(
      configuration(world.lab.device.plainUrl ?? "", { credentials: { username: "alice", password: new SecretValue("alice", "alice") } }),
      dependencies(),
    );
    const known = { watched: true, rows: (await reader.managed.firewalls()) ?? [] };
    const { pushes } = (await withPushes(reader, known)) ?? expect.fail();
    expect(pushes).toMatchObject([
      {
        by: "plumbline",
        description: expect.stringMatching(/^plumbline push .* \(wave 1 of 3\)$/),
        firewalls: [{ serial: SERIALS.c, result: "not ended" }],
      },
    ]);
    const lines = firewallLines({ ...known, pushes }, (_, text) => text).join("\n");
    expect(lines).toMatch(/push {2}job \d+ by plumbline since .*: plumbline push .*\n {4}has not ended at fw-c/);
    await reader.close();
  });
});
