import { readFileSync, rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KnownDrift } from "../../src/agent/events.js";
import { defineMetrics } from "../../src/agent/metrics/definitions.js";
import { MetricsListener } from "../../src/agent/metrics/listener.js";
import { noticeStates } from "../../src/agent/notify/notice-states.js";
import { newRow, rowAfter } from "../../src/agent/page/fleet-row.js";
import { staticView } from "../../src/agent/page/static-view.js";
import { passEnd } from "../../src/agent/store/from-outcome.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { NOTICES } from "../../src/engine/ledger/notice-text.js";
import type { OpenWatch } from "../../src/engine/watch/open-watch.js";
import { isInSync } from "../../src/outcome/in-sync.js";
import { type Command, outcomeCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { renderHtml } from "../../src/report/html.js";
import { renderJson } from "../../src/report/json.js";
import { renderJunit } from "../../src/report/junit.js";
import { lastLine } from "../../src/report/last-line.js";
import { renderMarkdown } from "../../src/report/markdown/markdown.js";
import { renderSarif } from "../../src/report/sarif/sarif.js";
import { plain } from "../../src/report/style.js";
import { renderText } from "../../src/report/text.js";
import { passEnded } from "../agent/events.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { ManagedWorld } from "../engine/apply/managed-world.js";
import { ADDRESS, BARE } from "../engine/apply/scenes.js";
import { SERIALS } from "../lab/panos/manager/managed-lab.js";

const RULE = "{ from: [any], to: [any], source: [any], destination: [any], application: [any], service: [any], action: allow }";
const RULE_XML = RULE.slice(2, -2).replaceAll(
  /(\w+): (?:\[(\w+)\]|(\w+)),? ?/g,
  (_, tag: string, member: string | undefined, leaf: string | undefined) =>
    `<${tag}>${member === undefined ? leaf : `<member>${member}</member>`}</${tag}>`,
);
const RULES = ADDRESS.replace("/address", "/rulebase/security/rules");

/** Something that keeps a target from being in sync, and how it gets into the world. */
interface Obstacle {
  /** Documents, by file name. */
  readonly documents?: Readonly<Record<string, string>>;
  /** Changes the configuration file. */
  readonly configuration?: (text: string) => string;
  /** Changes the device as another administrator does. */
  readonly act?: (world: LabWorld) => void;
  /** Changes the ledger file. `removed` deletes it. */
  readonly ledger?: ((text: string) => string) | "removed";
  /** `--path` */
  readonly only?: string;
  /** A run removes the obstacle. */
  readonly endsWithRun?: boolean;
}

const document = (config: string, more = "") => `target: edge\nscope: vsys1\n${more}config:\n${config}`;
const observedPath = (text: string) =>
  text.replace("mode: enforce", `mode: enforce, modes: { "${ADDRESS}/entry[@name='watched']": observe }`);

function set(world: LabWorld, xpath: string, element: string): void {
  const { device } = world.lab;
  device.act("alice", { type: "config", action: "set", xpath, element });
  device.act("alice", { type: "commit", cmd: "<commit/>" });
}

/** A bundle of ledgers, each a text of its own, with other fields in the ledger of the target. */
const withFields = (fields: object) => (text: string) => {
  const bundle = JSON.parse(text);
  const [[owner]] = Object.entries(bundle.ledgers) as [[string, unknown]];
  bundle.ledgers[owner].edge = JSON.stringify({ ...JSON.parse(bundle.ledgers[owner].edge), ...fields });
  return JSON.stringify(bundle);
};

/** The same bundle with a pause of the target. */
function withPause(text: string): string {
  const bundle = JSON.parse(text);
  const [[owner]] = Object.entries(bundle.ledgers) as [[string, unknown]];
  const pause = { target: "edge", reason: "maintenance", by: "ann", since: 0 };
  bundle.ledgers[owner][NOTICES] = JSON.stringify({ format: 1, pauses: [pause], approvals: [] });
  return JSON.stringify(bundle);
}

const UNDECIDED: OpenWatch = {
  run: "20260101T000000Z-a1-7-beef",
  digest: "0".repeat(64),
  commit: undefined,
  operations: "0".repeat(64),
  checks: { watches: [{ type: "traffic", query: undefined, threshold: 2, minutes: 5 }], probes: [] },
  snapshot: "plumbline-before-0123456789ab",
  written: [],
  description: "plumbline 20260101T000000Z-a1-7-beef.1",
  asked: "2026/01/01 00:00:00",
  baseline: [0],
  before: { commit: undefined, added: [], adopted: [], secrets: {} },
};

const OBSTACLES: Readonly<Record<string, Obstacle>> = {
  "a missing vsys": { documents: { "more.yaml": "target: edge\nscope: vsys2\nconfig:\n  address: { x: { ip-netmask: 10.0.0.9 } }\n" } },
  "a missing anchor": {
    documents: {
      "rules.yaml": document(
        `  rulebase:\n    security:\n      rules:\n        $position: { after: gone }\n        $entries:\n          - { name: ours, ${RULE.slice(2)}\n`,
      ),
    },
    act: (world) => set(world, `${RULES}/entry[@name='ours']`, RULE_XML),
  },
  "a missing secret": {
    documents: {
      "secret.yaml":
        'target: edge\nscope: device\nconfig:\n  network:\n    ike:\n      gateway:\n        gw: { authentication: { pre-shared-key: { key: "${keep}" } } }\n',
    },
    act: (world) =>
      set(
        world,
        "/config/devices/entry[@name='localhost.localdomain']/network/ike/gateway/entry[@name='gw']",
        "<authentication><pre-shared-key/></authentication>",
      ),
  },
  "an observed difference": {
    documents: { "watched.yaml": document("  address: { watched: { ip-netmask: 10.0.0.7 } }\n") },
    configuration: observedPath,
    act: (world) => set(world, `${ADDRESS}/entry[@name='watched']`, "<ip-netmask>10.66.0.1</ip-netmask>"),
  },
  "a missing object at an observed path": {
    documents: { "watched.yaml": document("  address: { watched: { ip-netmask: 10.0.0.7 } }\n") },
    configuration: observedPath,
  },
  "an unmanaged rule": {
    documents: { "rules.yaml": document(`  rulebase:\n    security:\n      rules: [{ name: web, ${RULE.slice(2)}]\n`) },
    act: (world) => set(world, `${RULES}/entry[@name='other']`, RULE_XML),
  },
  "another device": { ledger: withFields({ devices: ["007000000000000"] }) },
  "a deletion that was not pushed": {
    ledger: withFields({ undelivered: [`${ADDRESS}/entry[@name='old']`] }),
  },
  "a pause": { ledger: withPause },
  "an undecided commit": { ledger: withFields({ watch: UNDECIDED }), endsWithRun: true },
  "a commit that will be rolled back": {
    ledger: withFields({ watch: { ...UNDECIDED, tripped: "too many denied sessions" } }),
    endsWithRun: true,
  },
  "an unreadable ledger": { ledger: () => "this is not JSON" },
  "no ledger": { ledger: "removed", endsWithRun: true },
  "a narrowed run": { only: `${ADDRESS}/entry[@name='a']` },
};

async function outcomesOf(obstacles: readonly Obstacle[]): Promise<ReadonlyMap<Command, TargetOutcome>> {
  const world = await LabWorld.start(BARE);
  try {
    world.want(document("  address: { a: { ip-netmask: 10.0.0.1 } }\n"));
    const first = await world.reconcile();
    if (first.error !== undefined) throw first.error;
    const { configurationFile, ledger } = world.files;
    const change = (file: string, with_: (text: string) => string) => writeFileSync(file, with_(readFileSync(file, "utf8")));
    for (const each of obstacles) {
      for (const [file, text] of Object.entries(each.documents ?? {})) world.want(text, file);
      if (each.configuration !== undefined && !readFileSync(configurationFile, "utf8").includes("modes:"))
        change(configurationFile, each.configuration);
      each.act?.(world);
    }
    const isRemoved = obstacles.some((each) => each.ledger === "removed");
    for (const each of obstacles) if (typeof each.ledger === "function") change(ledger, each.ledger);
    if (isRemoved) rmSync(ledger);
    const only = obstacles.find((each) => each.only !== undefined)?.only;
    const run = only === undefined ? {} : { pass: { only: parsePath(only) } };
    const outcomes = new Map<Command, TargetOutcome>([
      ["plan", await world.plan(run)],
      ["drift", await world.drift(run)],
    ]);
    // Only obstacles in other files than the ledger stay for certain if a run removes one.
    const mayEnd = obstacles.some(({ endsWithRun }) => endsWithRun);
    if (!mayEnd || obstacles.some((each) => each.ledger === undefined)) outcomes.set("reconcile", await world.reconcile(run));
    return outcomes;
  } finally {
    await world.close();
  }
}

const LATE = "a firewall that answers late";

/** Something that keeps a manager from being in sync with its firewalls. */
const MANAGER_OBSTACLES: Readonly<Record<string, (world: ManagedWorld) => void>> = {
  [LATE]: ({ lab }) => lab.fault({ match: { target: SERIALS.a }, effect: { kind: "delay", milliseconds: 3_000 }, count: 1_000 }),
  "a firewall that does not answer": ({ lab }) =>
    lab.fault({ match: { target: SERIALS.b }, effect: { kind: "status", status: 504 }, count: 1_000 }),
  "a firewall that never had the commit": (world) => {
    world.commitByHand("/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='branch']");
  },
  "a manager that does not list its firewalls": ({ lab }) =>
    lab.fault({ match: { cmd: "<show><devicegroups" }, effect: { kind: "status", status: 504 }, count: 1_000 }),
};

/** A request to a firewall may take one second. */
const VERIFIED = "{ timeout: 5 }, firewalls: verify, timeout: 1";

async function managedOutcomes(names: readonly string[]): Promise<ReadonlyMap<Command, TargetOutcome>> {
  const world = await ManagedWorld.start(VERIFIED);
  world.want("a");
  const first = await world.reconcile();
  if (first.error !== undefined) throw first.error;
  for (const name of names) MANAGER_OBSTACLES[name]?.(world);
  const outcomes = new Map<Command, TargetOutcome>([["drift", await world.drift()]]);
  // Each read of a late firewall takes several seconds.
  if (!names.includes(LATE)) outcomes.set("plan", await world.plan()).set("reconcile", await world.reconcile());
  return new Map([...outcomes].map(([command, outcome]) => [command, { ...outcome, target: "edge" }]));
}

/** Every output that shows the in-sync state for this outcome. */
async function claimsIn(command: Command, outcome: TargetOutcome): Promise<string[]> {
  const all = [outcome];
  const words = /(?<!not )in sync|no drift|no changes|nothing to do/i;
  // The lines about single firewalls of a manager and their number make no claim about the target.
  const claims = (text: string) =>
    words.test(text.replaceAll(/in sync (?:with device-group\/|\d+ of \d+|not known)|\d+ of \d+ firewalls in sync/g, ""));
  const metrics = defineMetrics();
  const drift = (outcome.drift?.items ?? []).map((item) => ({ key: item.change.path.toString(), item, firstSeen: 0 }) as KnownDrift);
  const event = passEnded("in-sync", { outcome, drift });
  new MetricsListener(metrics).listen(event);
  const json = JSON.parse(renderJson(command, all));
  const sarif = JSON.parse(renderSarif(command, all)).runs[0];
  const looked = command === "plan" ? { drift: { ...outcome, plan: undefined }, plan: outcome } : { drift: outcome, plan: undefined };
  const page = staticView({ passes: [{ mode: "enforce", ...looked }], audit: undefined, commit: "c0ffee", source: "", now: 0 });
  const stored = passEnd(outcome, { ended: 0, durations: {} });
  const found: Readonly<Record<string, boolean>> = {
    text: claims(renderText(command, all, plain)),
    "last line": claims(lastLine(command, all)),
    HTML: claims(renderHtml(command, all)),
    Markdown: claims(renderMarkdown(command, all)),
    JSON: json.targets[0].inSync === true,
    JUnit: !/<(?:skipped|failure|error)\b/.test(renderJunit(command, all)),
    SARIF: sarif.results.length === 0 && (sarif.invocations[0].toolExecutionNotifications ?? []).length === 0,
    "exit code":
      outcomeCode(outcome) === 0 && outcome.narrowed === undefined && outcome.paused === undefined && outcome.lacksLedger === undefined,
    "page row": rowAfter(newRow("edge", { kind: "panos", mode: "enforce" }), event).state === "in-sync",
    "static page": page.targets.edge?.row.includes(STATE_IN_SYNC) === true && page.targets.edge.pass?.outcome === "in-sync",
    store: stored.outcome === "in-sync",
    metric: (await metrics.registry.metrics()).includes('plumbline_in_sync{target="edge"} 1'),
    notice: noticeStates(event).some(({ state }) => state === "in-sync"),
  };
  return Object.entries(found).flatMap(([name, isClaim]) => (isClaim ? [name] : []));
}

/** Place of `in-sync` in a packed row. */
const STATE_IN_SYNC = 4;

describe("a target that was not compared completely", () => {
  it.each(Object.keys(OBSTACLES))("is in sync in no output: %s", async (name) => {
    for (const [command, outcome] of await outcomesOf([OBSTACLES[name] as Obstacle])) {
      expect(isInSync(outcome), command).toBe(false);
      expect(await claimsIn(command, outcome), command).toEqual([]);
    }
  });

  it("is in sync in no output, whatever comes together", async () => {
    const some = fc.subarray(Object.keys(OBSTACLES), { minLength: 2 });
    await fc.assert(
      fc.asyncProperty(some, async (names) => {
        for (const [command, outcome] of await outcomesOf(names.map((name) => OBSTACLES[name] as Obstacle)))
          expect(await claimsIn(command, outcome), `${command}: ${names.join(", ")}`).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it("is in sync in every output without such an obstacle", async () => {
    for (const [command, outcome] of await outcomesOf([])) {
      expect(isInSync(outcome), command).toBe(true);
      expect(await claimsIn(command, outcome), command).toHaveLength(13);
    }
  });

  it.each(Object.keys(MANAGER_OBSTACLES))("is in sync in no output: %s", async (name) => {
    for (const [command, outcome] of await managedOutcomes([name])) expect(await claimsIn(command, outcome), command).toEqual([]);
  });

  it("is in sync in every output if all firewalls of a manager have the commit", async () => {
    for (const [command, outcome] of await managedOutcomes([])) expect(await claimsIn(command, outcome), command).toHaveLength(13);
  });
});
