import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { defineMetrics } from "../../src/agent/metrics/definitions.js";
import { MetricsListener } from "../../src/agent/metrics/listener.js";
import { newRow } from "../../src/agent/page/fleet-row.js";
import { targetView } from "../../src/agent/page/target-view.js";
import { passEnd } from "../../src/agent/store/from-outcome.js";
import { openStore } from "../../src/agent/store/open.js";
import { setConnected } from "../../src/lab/panos/manager/push.js";
import { LEVEL_NAMES, levelsOf } from "../../src/outcome/levels.js";
import type { ManagedFirewall, ManagedFirewalls } from "../../src/outcome/managed-firewalls.js";
import type { TargetOutcome } from "../../src/outcome/outcome.js";
import { renderText } from "../../src/report/text.js";
import { runIn } from "../cli/run-in.js";
import { ManagedWorld } from "../engine/apply/managed-world.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const GROUP = `${DEVICE}/device-group/entry[@name='offices']`;
const BRANCH = `${DEVICE}/device-group/entry[@name='branch']`;

/** The result of the five levels on each surface, in order: `equal`, `differs`, `unknown`, `not asked`. */
const SURFACES = {
  plan: async (world: ManagedWorld) => fromLine(renderText("plan", [await world.plan()], (_, text) => text)),
  drift: async (world: ManagedWorld) => fromLine(renderText("drift", [await world.drift()], (_, text) => text)),
  status: async (world: ManagedWorld) => fromLine((await runIn(world.folder, ["status"], { PW: "plumbline" })).text),
  page: async (world: ManagedWorld) => {
    const outcome = await world.drift();
    const store = await openStore({ kind: "sqlite", file: join(world.folder, "levels.db") }, { readOnly: false });
    const start = { target: "manager", pass: "drift", trigger: "timer", started: 1, commit: "c", runner: "r" } as const;
    await store.passes.record(start, passEnd(outcome, { ended: 2000, durations: {} }));
    const view = await targetView(newRow("manager", { kind: "panos", mode: "enforce" }), store, {
      may: [],
      seenBy: "",
      approve: false,
      ends: [],
      today: "2026-11-20",
    });
    await store.close();
    expect(view.levels?.seen).toBe(2);
    return view.levels?.all.map(({ state }) => state);
  },
  metrics: async (world: ManagedWorld) => {
    const metrics = defineMetrics();
    new MetricsListener(metrics).listen(ended(await world.drift()));
    const values = (await metrics.levels.get()).values.filter(({ value }) => value === 1);
    expect(values.map(({ labels }) => labels.level)).toEqual(LEVEL_NAMES);
    return values.map(({ labels }) => labels.state);
  },
} as const;

const ended = (outcome: TargetOutcome) =>
  ({
    type: "pass-ended",
    target: "manager",
    pass: 1,
    commit: "c",
    trigger: "timer",
    time: 1,
    result: "pending",
    milliseconds: 1,
    outcome,
    drift: [],
  }) as const;

/** The states behind the words of the line. */
function fromLine(text: string): readonly string[] | undefined {
  const words = / {2}levels {2}(.*)/.exec(text)?.[1]?.split(" · ");
  return words?.map((each, at) => {
    const said = each.slice((LEVEL_NAMES[at] ?? "").length + 1);
    if (said === "not checked") return "not asked";
    if (said.includes("not known")) return "unknown";
    const [, some, all] = /^(\d+) of (\d+)$/.exec(said) ?? [];
    return said === "as declared" || said === "nothing" || (some !== undefined && some === all) ? "equal" : "differs";
  });
}

const BROKEN: Readonly<Record<number, (world: ManagedWorld) => void>> = {
  1: (world) =>
    world.alice({ type: "config", action: "set", xpath: `${GROUP}/tag/entry[@name='a']`, element: "<comments>theirs</comments>" }),
  // The declared value is there, but uncommitted.
  2: (world) => {
    world.want("a", "b");
    world.alice({ type: "config", action: "set", xpath: `${GROUP}/tag`, element: "<entry name='b'><comments>ours</comments></entry>" });
  },
  3: (world) => world.commitByHand(BRANCH),
  4: (world) => {
    const { attachment } = world.device("a");
    if (attachment === undefined) throw new Error("fw-a has no manager");
    attachment.trouble = { kind: "loses", name: "above" };
    world.commitByHand(BRANCH);
    world.pushByHand("branch");
    attachment.trouble = undefined;
  },
  5: (world) => {
    const firewall = world.lab.devices.find(({ name }) => name === "a");
    const xpath = `${DEVICE}/vsys/entry[@name='vsys1']/tag`;
    expect(firewall?.act("admin", { type: "config", action: "set", xpath, element: "<entry name='later'/>" }).status).toBe("success");
  },
};
/** Levels that a fault also changes: a firewall without the running configuration also lacks what follows from it. */
const ALONG: Readonly<Record<number, readonly number[]>> = { 3: [4] };

describe("five levels of a manager and its firewalls", () => {
  let world: ManagedWorld;
  beforeEach(async () => {
    world = await ManagedWorld.start("{ timeout: 5 }, firewalls: verify");
    world.want("a");
    expect((await world.reconcile()).error).toBeUndefined();
  });

  it.each(Object.keys(SURFACES) as (keyof typeof SURFACES)[])("are all equal, and %s shows it", async (surface) => {
    expect(await SURFACES[surface](world)).toEqual(LEVEL_NAMES.map(() => "equal"));
  });

  it.each([1, 2, 3, 4, 5])("level %i differs, and plan, drift, status, page and metrics show it", async (level) => {
    BROKEN[level]?.(world);
    const wanted = LEVEL_NAMES.map((_, at) => (at + 1 === level || ALONG[level]?.includes(at + 1) === true ? "differs" : "equal"));
    for (const [surface, said] of Object.entries(SURFACES)) expect({ [surface]: await said(world) }).toEqual({ [surface]: wanted });
  });

  it("are unknown if they cannot be determined, and not requested if nothing was read, in each output", async () => {
    setConnected(world.device("b"), false);
    const away = ["equal", "equal", "equal", "unknown", "unknown"];
    for (const [surface, said] of Object.entries(SURFACES)) expect({ [surface]: await said(world) }).toEqual({ [surface]: away });
    setConnected(world.device("b"), true);
    world.configure("{ timeout: 5 }");
    const bare = ["equal", "equal", "equal", "not asked", "not asked"];
    for (const [surface, said] of Object.entries(SURFACES)) expect({ [surface]: await said(world) }).toEqual({ [surface]: bare });
    const silent = ["equal", "equal", "unknown", "unknown", "unknown"];
    for (const [surface, said] of Object.entries(SURFACES)) {
      world.lab.fault({ match: { cmd: "devicegroups" }, effect: { kind: "status", status: 500 }, count: 20 });
      expect({ [surface]: await said(world) }).toEqual({ [surface]: silent });
      world.lab.clearFaults();
    }
  });

  it("are shown by status if documents do not load: the first two are unknown, with the reason", async () => {
    world.write("broken", "device-group/offices", "{ tag: [ }");
    const { text } = await runIn(world.folder, ["status"], { PW: "plumbline" });
    expect(text).toMatch(/ {2}documents {2}not compared: manager.broken.yaml:3:\d+ The file is not valid YAML/);
    expect(fromLine(text)).toEqual(["unknown", "unknown", "equal", "equal", "equal"]);
    const { targets } = JSON.parse((await runIn(world.folder, ["status", "--format", "json"], { PW: "plumbline" })).out);
    expect(targets).toMatchObject([{ levels: [{ level: 1, name: "candidate", state: "unknown" }, {}, {}, {}, {}] }]);
  });

  it("describe the end of a run, also of an interrupted one", async () => {
    world.want("a", "b");
    const fails = world.device("b").attachment;
    if (fails !== undefined) fails.trouble = { kind: "fails", lines: ["no room"] };
    const partial = await world.reconcile();
    expect(partial.error?.code).toBe("push-refused");
    expect(states(partial).slice(0, 3)).toEqual(["equal", "equal", "differs"]);
  });
});

const states = (outcome: TargetOutcome) => (levelsOf(outcome) ?? []).map(({ state }) => state);

describe("messages about levels", () => {
  const row = (serial: string, more: Partial<ManagedFirewall> = {}): ManagedFirewall => ({
    serial,
    by: "device-group/a",
    state: "in sync",
    connected: true,
    ...more,
  });
  const words = (firewalls: Partial<ManagedFirewalls>, more: Partial<TargetOutcome> = {}) =>
    levelsOf({ sides: { candidate: 0, running: 2 }, firewalls: { watched: true, rows: [], ...firewalls }, ...more })?.map(
      ({ words }) => words,
    );
  const handed = { state: "equal", differences: [], more: 0 } as const;

  it("count each firewall once, by its worst state", () => {
    const rows = [
      row("1", { handed: { ...handed, state: "differs" } }),
      row("1", { handed }),
      row("2", { handed }),
      row("3"),
      row("4", { state: "unknown", connected: false }),
    ];
    const own = { xpath: "/config", words: "" };
    const inTheWay = [
      { ...own, serial: "1", kind: "override" as const },
      { ...own, serial: "1", kind: "unknown" as const },
    ];
    expect(words({ rows, inTheWay })).toEqual([
      "as declared",
      "differs in 2",
      "3 of 4, 1 not known",
      "1 of 4, 1 with something else, 1 not known, 1 not checked",
      "something at 1, 1 not known",
    ]);
  });

  it("omit the manager if a commit was rolled back after the read-back, and targets without firewalls", () => {
    const watch = { decision: "taken back", commit: undefined, reason: "", counts: [], samples: [], left: [] } as const;
    expect(words({ rows: [row("1")] }, { watch })).toEqual(["not known", "not known", "1 of 1", "not checked", "not checked"]);
    expect(levelsOf({})).toBeUndefined();
  });
});
