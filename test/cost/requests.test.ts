import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gitIn } from "../../src/engine/checkout/git.js";
import { afterTest } from "../after-test.js";
import { AgentWorld } from "../agent/world.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { addresses, BARE } from "../engine/apply/scenes.js";
import { freshConnections } from "./connections.js";
import { Recorder, type Sent } from "./recorder.js";
import { sumOf, tableOf } from "./tables.js";

/** Checks that a pass sends the requests of its table and no others, and that it exceeds neither the counts nor the steps of the page. */
function expectTable(heading: string, sent: readonly Sent[]): void {
  const table = countedWords(tableOf(heading).map((row) => row.replace(/^\d+ /, "")));
  const counts = countedWords(sent.map(({ words }) => words));
  expect([...counts.keys()].sort()).toEqual([...table.keys()].sort());
  for (const [words, count] of counts) expect(count, words).toBeLessThanOrEqual(table.get(words) ?? 0);
  const limits = sumOf(heading);
  expect(tableOf(heading)).toHaveLength(limits?.requests ?? 0);
  expect(Math.max(0, ...sent.map(({ step }) => step))).toBeLessThanOrEqual(limits?.steps ?? 0);
}

function countedWords(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const each of words) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

/** Maximum number of requests that the page may document for a small change. */
const SMALL_CHANGE = 35;

/** The documents, as one commit more of a repository. */
async function commitDocuments({ files }: LabWorld): Promise<void> {
  const git = gitIn(dirname(files.configurationFile));
  const us = ["-c", "user.name=tester", "-c", "user.email=tester@example.com"];
  for (const args of [
    ["init", "-q"],
    ["add", "edge", "plumbline.yaml"],
    [...us, "commit", "-qm", "documents"],
  ])
    expect(await git(args)).toMatchObject({ code: 0 });
}

describe("requests of a command to a firewall", async () => {
  const world = await LabWorld.start(BARE);
  afterAll(() => world.close());
  world.want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
  await commitDocuments(world);
  expect((await world.reconcile()).error).toBeUndefined();

  it("that plans, without changes", async () => {
    const recorder = new Recorder();
    const { plan } = await world.plan({ connections: freshConnections(recorder) });
    expect(plan?.operations).toEqual([]);
    expectTable("A plan", recorder.take());
  });

  it("that checks for drift, as for a plan", async () => {
    const recorder = new Recorder();
    const { drift } = await world.drift({ connections: freshConnections(recorder) });
    expect(drift?.items).toEqual([]);
    expectTable("A plan", recorder.take());
  });

  it("that applies, without changes", async () => {
    const recorder = new Recorder();
    const { applied } = await world.reconcile({ connections: freshConnections(recorder) });
    expect(applied).toMatchObject({ operations: 0, proven: true });
    expectTable("An apply that finds nothing to do", recorder.take());
  });

  it("that applies a small change", async () => {
    world.want(addresses({ a: "10.0.0.9", b: "10.0.0.2" }));
    await commitDocuments(world);
    const recorder = new Recorder();
    const { applied } = await world.reconcile({ connections: freshConnections(recorder) });
    expect(applied).toMatchObject({ operations: 1, commit: "committed", proven: true });
    expectTable("An apply of a small change", recorder.take());
    expect(sumOf("An apply of a small change")?.requests).toBeLessThanOrEqual(SMALL_CHANGE);
  });
});

/** Cached knowledge about devices, except for data that only writing runs learn. */
function answersIn(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => (key === "names" ? undefined : value));
}

interface Cost {
  readonly requests: number;
  readonly steps: number;
}

function expectAtMost(cost: Cost, limit: Cost): void {
  expect(cost.requests).toBeLessThanOrEqual(limit.requests);
  expect(cost.steps).toBeLessThanOrEqual(limit.steps);
}

describe("requests of a command with an API key", () => {
  it("are those of the tables without keygen, and one step less", async () => {
    const world = await LabWorld.start(BARE);
    afterTest(() => world.close());
    world.want(addresses({ a: "10.0.0.1" }));
    expect((await world.reconcile()).error).toBeUndefined();
    const key = world.lab.device.state.keys.generate("netops", "secret");
    const text = readFileSync(world.files.configurationFile, "utf8");
    writeFileSync(world.files.configurationFile, text.replace('username: netops, password: "${env:PW}"', 'apiKey: "${env:PW}"'));
    world.environment = { PW: key };
    const asked = async () => {
      const recorder = new Recorder();
      expect((await world.reconcile({ connections: freshConnections(recorder) })).error).toBeUndefined();
      const sent = recorder.take();
      return { requests: sent.length, steps: Math.max(...sent.map(({ step }) => step)) };
    };
    const less = (heading: string) => {
      const { requests, steps } = sumOf(heading) ?? { requests: 0, steps: 0 };
      return { requests: requests - 1, steps: steps - 1 };
    };
    await commitDocuments(world);
    // The first run of this login learns its name.
    await asked();
    expectAtMost(await asked(), less("An apply that finds nothing to do"));
    world.want(addresses({ a: "10.0.0.9" }));
    await commitDocuments(world);
    expectAtMost(await asked(), less("An apply of a small change"));
  });
});

describe("requests for the capabilities of a firewall", async () => {
  const world = await LabWorld.start(BARE);
  afterAll(() => world.close());
  world.want(addresses({ a: "10.0.0.1" }));
  expect((await world.reconcile()).error).toBeUndefined();
  const memory = join(world.files.stateFolder, "devices", "edge.json");
  const known = readFileSync(memory, "utf8");

  it.each([
    ["the state file is missing", undefined],
    ["the state file is truncated", known.slice(0, -9)],
    ["the version has changed", known.replace(/"version":"[^"]+"/, '"version":"10.1.0"')],
    ["the device was replaced", known.replace(/"serial":"[^"]+"/, '"serial":"007"')],
  ])("are sent once if %s", async (_, text) => {
    if (text === undefined) rmSync(memory);
    else writeFileSync(memory, text);
    const asked = async () => {
      const recorder = new Recorder();
      expect((await world.plan({ connections: freshConnections(recorder) })).error).toBeUndefined();
      return recorder.take().map(({ words }) => words);
    };
    const first = await asked();
    for (const words of tableOf("A firewall that is seen for the first time")) expect(first).toContain(words.slice(2));
    expect(answersIn(readFileSync(memory, "utf8"))).toEqual(answersIn(known));
    expect((await asked()).length).toBeLessThanOrEqual(sumOf("A plan")?.requests ?? 0);
  });

  it("are sent again after it refused a request that it was expected to support", async () => {
    const { capabilities } = world.lab.device.state;
    Object.assign(capabilities, { locks: false });
    const refused = await world.reconcile({ connections: freshConnections(new Recorder()) });
    expect(refused.error?.code).toBe("command-refused");
    expect(readFileSync(memory, "utf8")).toBe("");
    expect((await world.reconcile({ connections: freshConnections(new Recorder()) })).error).toBeUndefined();
    Object.assign(capabilities, { locks: true });
  });
});

describe("requests of a change to a firewall that validates as it commits", () => {
  it("are those of the table without the two of a validation", async () => {
    const world = await LabWorld.start(BARE, {}, undefined, ", validate: with-commit");
    afterTest(() => world.close());
    world.want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.9" }));
    const recorder = new Recorder();
    expect((await world.reconcile({ connections: freshConnections(recorder) })).error).toBeUndefined();
    const sent = recorder.take();
    const validation = (words: string) => /validate|jobs id/.test(words);
    expect(sent.filter(({ words }) => validation(words)).map(({ words }) => words)).toEqual(["show jobs id"]);
    expectAtMost({ requests: sent.length, steps: Math.max(...sent.map(({ step }) => step)) }, { requests: 26, steps: 19 });
  });

  it("restores the candidate if the commit fails, and leaves nothing behind", async () => {
    const world = await LabWorld.start(BARE, {}, undefined, ", validate: with-commit");
    afterTest(() => world.close());
    world.want(addresses({ a: "10.0.0.1" }));
    world.lab.fault({ match: { type: "commit" }, effect: { kind: "job-fails" } });
    expect((await world.reconcile()).error?.code).toBe("commit-failed");
    const { candidate, locks } = world.lab.device.state;
    expect([candidate.pending, locks.list("config", "shared")]).toEqual([[], []]);
  });
});

describe("requests of an agent to a firewall", () => {
  it("without changes", async () => {
    const recorder = new Recorder();
    const world = await AgentWorld.startForTest({ agent: "skipPasses: 5" });
    world.wrap = () => freshConnections(recorder);
    await world.run();
    await world.event("pass-ended", ({ result }) => result === "applied");
    await world.settle();
    await world.after(3_600_000, "pass-ended", ({ result }) => result === "in-sync");
    await world.settle();
    recorder.take();
    recorder.connections = 0;
    await world.after(3_600_000, "pass-ended", ({ result }) => result === "skipped");
    expectTable("A quiet pass of an agent", recorder.take());
    expect(recorder.connections).toBe(0);
  });
});
