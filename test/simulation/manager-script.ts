import { Chance } from "./chance.js";
import { ACTIVE, type Entries, type Machine, type Script, type Step, USUAL } from "./script.js";
import { faultOf } from "./wire.js";

/** The firewalls of `managed-lab.ts`. */
export const LETTERS = ["a", "b", "c"] as const;
export type Letter = (typeof LETTERS)[number];
export type Place = "offices" | "plants" | "shared" | "template";
/** Requests of Plumbline that start a job on the manager. */
export type Order = "commit" | "validate" | "push";
export type Trouble = "fails" | "never-answers" | "slow" | "left-out" | "reverts" | "reverts-and-says" | "loses";

/** Actions of another administrator on the manager, and faults of the manager or a firewall. Times in milliseconds. */
export type ManagerStep =
  | { readonly act: "commit" | "edit"; readonly place: Place }
  | { readonly act: "push" | "move" | "forget" | "fail-over" | "fail-commit" | "idle-commit" | "kill" }
  | { readonly act: "away"; readonly firewall: Letter; readonly for: number }
  | { readonly act: "trouble"; readonly firewall: Letter; readonly kind: Trouble; readonly for: number }
  | { readonly act: "lock"; readonly on: Letter | "manager"; readonly for: number }
  /** Right before or after the nth job request of Plumbline from here. */
  | {
      readonly act: "at-order";
      readonly order: Order;
      readonly nth: number;
      readonly when: "before" | "after";
      readonly befalls: ManagerStep;
    };

export interface ManagerScript {
  readonly others: "refuse" | "include" | "selective";
  readonly firewalls: "watch" | "verify";
  readonly canary: Letter | undefined;
  readonly batch: number | undefined;
  readonly isApart: boolean;
  /** Which of `a` and `b` is active, if they are a pair. */
  readonly active: "a" | "b" | undefined;
  readonly lockStops: boolean;
  /** Milliseconds that a firewall takes. */
  readonly firewallJob: number;
}

const VALUES = ["v1", "v2", "v3"] as const;
const ZONES = ["UTC", "Europe/Rome", "Asia/Tokyo"] as const;
const PLACES = ["offices", "plants", "shared", "template"] as const;
/**
 * Places that documents of a history can declare: `g` a group above two firewalls, `p` the group of the third, `s` shared, `t` a template.
 */
const NAMES = ["g1 g2", "g1 t", "t", "p1 g1", "g1 s1 t", "g1 g2 p1 s1 t"] as const;
const MACHINES = ["hand", "ci"] as const;

/** The history of a seed in which a manager with its firewalls is the target. */
export function managerScriptOf(seed: number, { faults } = USUAL): Script {
  const chance = new Chance(seed, "manager script");
  const hasAgent = chance.isLikely(0.25);
  const names = chance.of(NAMES).split(" ");
  const firewalls = chance.isLikely(0.5) ? "verify" : "watch";
  const manager: ManagerScript = {
    others: chance.weighed({ refuse: 4, include: 2, selective: 2 }),
    firewalls,
    canary: chance.isLikely(0.5) ? chance.of(["a", "b"] as const) : undefined,
    batch: chance.isLikely(0.3) ? 1 : undefined,
    isApart: chance.isLikely(0.25),
    active: chance.isLikely(0.25) ? chance.of(["a", "b"] as const) : undefined,
    lockStops: chance.isLikely(0.5),
    firewallJob: chance.whole(200, 15_000),
  };
  const isProbed = chance.isLikely(0.25);
  const draw: Draw = { chance, names, isProbed, hasAgent, firewalls, faults };
  const single = Array.from({ length: chance.whole(3, 9) }, () => stepOf(draw));
  const runs = [...changeAndRun(draw), ...changeAndRun(draw)];
  const steps = [...single, ...runs, ...pauseDuringPush(new Chance(seed, "pause during a push"), runs)];
  return {
    seed,
    isCloud: false,
    manager,
    hasAgent,
    ledger: chance.isLikely(0.25) ? "store" : "git",
    hasLocks: true,
    partialCommit: true,
    commitDropsLocks: false,
    jobDuration: chance.whole(200, 8_000),
    skew: { hand: 0, ci: 0, agent: 0 },
    theirs: {},
    entries: entriesOf(draw),
    steps: steps.sort((a, b) => a.at - b.at),
    heldBack: undefined,
  };
}

interface Draw {
  readonly chance: Chance;
  readonly names: readonly string[];
  readonly isProbed: boolean;
  readonly hasAgent: boolean;
  readonly firewalls: ManagerScript["firewalls"];
  readonly faults: number;
}

function entriesOf({ chance, names }: Draw): Entries {
  const chosen = names.filter(() => chance.isLikely(0.7));
  const all = chosen.length === 0 ? names.slice(0, 1) : chosen;
  return Object.fromEntries(all.map((name) => [name, name === "t" ? chance.of(ZONES) : chance.of(VALUES)]));
}

/** A change, a run that applies it, and a fault of one of its jobs; sometimes a concurrent run. */
function changeAndRun(draw: Draw): Step[] {
  const { chance, isProbed } = draw;
  const at = Math.round(chance.next() * ACTIVE * 0.7);
  const on = chance.of(MACHINES);
  const other: Machine = on === "hand" ? "ci" : "hand";
  return [
    { at, do: "push", entries: entriesOf(draw), isProbed },
    ...(chance.isLikely(0.75) ? [{ at: at + 40, do: "manager" as const, what: atOrderOf(draw) }] : []),
    { at: at + chance.whole(100, 3_000), do: "reconcile", on, pull: true },
    ...(chance.isLikely(0.4) ? [{ at: at + chance.whole(100, 40_000), do: "reconcile" as const, on: other, pull: true }] : []),
  ];
}

/** Milliseconds between the start of a run and its last push job, with slow firewalls. */
const LONGEST_PUSH = 60_000;

/** A pause during the run that another machine has started, and its end. */
function pauseDuringPush(chance: Chance, runs: readonly Step[]): Step[] {
  const [run] = runs.filter((step) => step.do === "reconcile");
  if (!chance.isLikely(0.3) || run === undefined) return [];
  const at = run.at + chance.whole(1_000, LONGEST_PUSH);
  const on: Machine = run.on === "hand" ? "ci" : "hand";
  return [
    { at, do: "pause", on },
    { at: at + chance.whole(30_000, 120_000), do: "resume", on },
  ];
}

function atOrderOf(draw: Draw): ManagerStep {
  const { chance } = draw;
  const order = chance.weighed({ commit: 2, validate: 2, push: 4 });
  const nth = order === "commit" ? 1 : chance.whole(1, 3);
  const befalls = chance.isLikely(0.4) ? ({ act: "kill" } as const) : happeningOf(draw);
  return { act: "at-order", order, nth, when: chance.of(["before", "after"] as const), befalls };
}

function happeningOf({ chance, firewalls }: Draw): ManagerStep {
  const act = chance.weighed({
    commit: 6,
    edit: 2,
    push: 4,
    away: 4,
    trouble: 8,
    lock: 3,
    move: 1,
    forget: 2,
    "fail-over": 1,
    "fail-commit": 1,
    "idle-commit": 1,
    kill: 2,
  });
  const time = chance.whole(2_000, 90_000);
  switch (act) {
    case "commit":
    case "edit":
      return { act, place: chance.of(PLACES) };
    case "away":
      return { act, firewall: chance.of(LETTERS), for: time };
    case "trouble": {
      const kind = chance.of(["fails", "never-answers", "slow", "left-out", "reverts", "reverts-and-says", "loses"] as const);
      // Without verification this is not detected, as docs/manager.md states.
      return { act, firewall: chance.of(LETTERS), kind: kind === "loses" && firewalls === "watch" ? "reverts" : kind, for: time };
    }
    case "lock":
      return { act, on: chance.of([...LETTERS, "manager"] as const), for: time };
    default:
      return { act };
  }
}

function stepOf(draw: Draw): Step {
  const { chance, hasAgent, faults, isProbed } = draw;
  const at = Math.round(chance.next() * ACTIVE);
  const on = chance.of(MACHINES);
  const kind = chance.weighed({
    push: 6,
    "take-back": 3,
    reconcile: hasAgent ? 4 : 10,
    plan: 1,
    manager: 24 * faults,
    kill: 4 * faults,
    "start-agent": hasAgent ? 4 : 0,
    wire: 10 * faults,
    "git-away": faults,
    "probe-away": isProbed ? 6 : 0,
  });
  switch (kind) {
    case "push":
      return { at, do: kind, entries: entriesOf(draw), isProbed };
    case "reconcile":
    case "plan":
      return { at, do: kind, on, pull: chance.isLikely(0.85) };
    case "manager":
      return { at, do: kind, what: chance.isLikely(0.3) ? atOrderOf(draw) : happeningOf(draw) };
    case "kill":
      return { at, do: kind, what: hasAgent ? chance.of(["agent", "runs"] as const) : "runs" };
    case "wire":
      return { at, do: kind, request: chance.isLikely(0.7) ? "write" : "read", fault: faultOf(chance, FAULTS) };
    case "git-away":
    case "probe-away":
      return { at, do: kind, for: chance.whole(5_000, 60_000) };
    default:
      return { at, do: kind };
  }
}

const FAULTS = { lost: 3, "reply-lost": 5, late: 2 };
