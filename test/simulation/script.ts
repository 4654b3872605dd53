import { Chance } from "./chance.js";
import type { ManagerScript, ManagerStep } from "./manager-script.js";
import type { RulesChange, RulesScript } from "./rules.js";
import { rulesOf } from "./rules-script.js";
import { movedTarget, secondAgent, situationOf } from "./situations.js";
import { faultOf, type RequestKind, type WireFault } from "./wire.js";

/** Addresses by name. */
export type Entries = Readonly<Record<string, string>>;

export type Machine = "hand" | "ci";

/** An action of a person or a fault, at a moment of a history. */
export type Step = { readonly at: number } & (
  | { readonly do: "push"; readonly entries: Entries; readonly isProbed: boolean }
  /** A commit that takes the last one back. */
  | { readonly do: "take-back" }
  | { readonly do: "reconcile"; readonly on: Machine; readonly pull: boolean; readonly takeover?: boolean }
  | { readonly do: "plan" | "drift"; readonly on: Machine; readonly pull: boolean }
  | { readonly do: "pause" | "resume"; readonly on: Machine }
  /** Another administrator's change of the firewall; committed after so many milliseconds, or reverted by the end. */
  | { readonly do: "meddle"; readonly name: string; readonly value: string | undefined; readonly commitAfter: number | undefined }
  /** Another administrator changes the rulebase or deletes a virtual system, and commits. */
  | { readonly do: "meddle-with-rules"; readonly change: RulesChange }
  /** A second agent follows a branch that stays at the current commit. */
  | { readonly do: "start-second-agent" }
  /** The address of the target leads to another device for some time. */
  | { readonly do: "move-target"; readonly for: number }
  | { readonly do: "restart-device"; readonly away: number }
  /** At the moment of Plumbline's next commit: a restart when it arrives, or a manual change after it. */
  | { readonly do: "restart-at-commit" }
  | { readonly do: "meddle-after-commit"; readonly name: string; readonly value: string }
  /** Another administrator changes an entry: committed right before our next lock, or uncommitted right after our next write. */
  | { readonly do: "meddle-at-lock" | "meddle-at-write"; readonly name: string; readonly value: string }
  /** Our next commit or its reply is lost, or its connection is cut. So many reads of the job list fail after it. */
  | { readonly do: "lose-commit"; readonly what: "lost" | "reply-lost" | "cut"; readonly jobs: number }
  /** The machine whose process sends the next write is suspended for some time. */
  | { readonly do: "stall-at-write"; readonly on: Machine; readonly for: number }
  | { readonly do: "break-lock" | "fail-commit" | "lose-state" }
  | { readonly do: "kill"; readonly what: "agent" | "runs" }
  | { readonly do: "start-agent" }
  /** The ledger is copied, and later the copy replaces the newer ledger. */
  | { readonly do: "back-up-ledger" | "restore-ledger" }
  | { readonly do: "wire"; readonly request: RequestKind; readonly fault: WireFault }
  /** For a cloud: lists omit all objects of others, or those with a name. */
  | { readonly do: "leave-out"; readonly list: "networks" | "servers"; readonly name: string | undefined; readonly for: number }
  /** For a cloud: the run that creates the next server is killed when it gets the reply. Lists then omit servers for some time. */
  | { readonly do: "kill-at-server"; readonly for: number }
  /** For a cloud: another user creates, changes or deletes an object of the project. */
  | { readonly do: "meddle-in-cloud"; readonly name: string; readonly value: string | undefined }
  /** For a manager with its firewalls. */
  | { readonly do: "manager"; readonly what: ManagerStep }
  | { readonly do: "git-away" | "probe-away" | "fail-probe-after-commit"; readonly for: number }
);

export interface Script {
  readonly seed: number;
  /** A project of a cloud is the target, not a firewall. */
  readonly isCloud: boolean;
  /** A manager with its firewalls is. */
  readonly manager?: ManagerScript;
  readonly rules?: RulesScript | undefined;
  /** Addresses of the device to which the target leads for some time. */
  readonly elsewhere?: Entries | undefined;
  readonly hasAgent: boolean;
  readonly ledger: "git" | "store";
  readonly hasLocks: boolean;
  readonly partialCommit: boolean;
  readonly commitDropsLocks: boolean;
  readonly jobDuration: number;
  /** Offset of each machine's clock, in milliseconds. */
  readonly skew: Readonly<Record<Machine | "agent", number>>;
  /** Other administrators' initial entries on the firewall. */
  readonly theirs: Entries;
  readonly entries: Entries;
  readonly steps: readonly Step[];
  /**
   * When all is quiet a commit arrives that a guard blocks, and so many milliseconds later another administrator changes a value that the
   * commit does not change.
   */
  readonly heldBack: { readonly after: number; readonly value: string } | undefined;
}

/** Milliseconds in which everything happens; after it there is calm. */
export const ACTIVE = 240_000;

const OURS = ["a1", "a2", "a3", "a4"] as const;
const THEIRS = ["h1", "h2"] as const;
const ANY = [...OURS, ...THEIRS] as const;

/** Number of events in a history: more faults find in an hour what takes a day of ordinary ones. */
export interface Measure {
  /** The fewest and the most steps that are drawn one by one. */
  readonly steps: Readonly<Record<"firewall" | "cloud", readonly [number, number]>>;
  /** How many of all pushes are probed. */
  readonly probed: number;
  /** How often failures, losses and kills are drawn, relative to other events. */
  readonly faults: number;
}

export const USUAL: Measure = { steps: { firewall: [4, 12], cloud: [3, 8] }, probed: 0.3, faults: 1 };
export const MORE_FAULTS: Measure = { steps: { firewall: [8, 18], cloud: [7, 14] }, probed: 0.55, faults: 2 };

/** The history of a seed. */
export function scriptOf(seed: number, measure = USUAL): Script {
  const chance = new Chance(seed, "script");
  const hasAgent = chance.isLikely(0.4);
  const ledger = chance.isLikely(0.25) ? "store" : "git";
  const theirs = Object.fromEntries([
    ...THEIRS.map((name) => [name, value(chance)]),
    ...(chance.isLikely(0.3) ? [[chance.of(OURS), value(chance)]] : []),
  ]);
  const count = chance.whole(...measure.steps.firewall);
  const single = Array.from({ length: count }, () => stepOf(chance, { hasAgent, ledger, ...measure }));
  const together = [
    ...(chance.isLikely(0.25) ? takenBack(chance) : []),
    ...togetherOf(new Chance(seed, "together")),
    ...situationOf(seed, ACTIVE, entriesOf),
  ];
  const { rules, steps: ruleSteps } = rulesOf(seed, ACTIVE, entriesOf);
  const { elsewhere, steps: moved } = rules === undefined ? movedTarget(seed, ACTIVE, entriesOf) : { elsewhere: undefined, steps: [] };
  const isFree = rules === undefined && elsewhere === undefined && ledger === "git";
  const behind = isFree ? secondAgent(seed, ACTIVE, entriesOf) : [];
  const steps = [...single, ...together, ...ruleSteps, ...moved, ...behind].sort((a, b) => a.at - b.at);
  const skew = () => (chance.isLikely(0.2) ? chance.whole(-20_000, 20_000) : 0);
  return {
    seed,
    isCloud: false,
    rules,
    elsewhere,
    hasAgent,
    ledger,
    hasLocks: !chance.isLikely(0.25),
    partialCommit: !chance.isLikely(0.15),
    commitDropsLocks: chance.isLikely(0.5),
    jobDuration: chance.whole(500, 12_000),
    skew: { hand: skew(), ci: skew(), agent: skew() },
    theirs,
    entries: entriesOf(chance),
    steps,
    heldBack:
      hasAgent && rules === undefined && elsewhere === undefined && behind.length === 0
        ? heldBackOf(new Chance(seed, "held back"))
        : undefined,
  };
}

function heldBackOf(chance: Chance): Script["heldBack"] {
  return chance.isLikely(0.2) ? { after: chance.whole(0, 60_000), value: value(chance) } : undefined;
}

function value(chance: Chance): string {
  return `10.0.0.${chance.whole(1, 3)}`;
}

function entriesOf(chance: Chance): Entries {
  const chosen: string[] = OURS.filter(() => chance.isLikely(0.6));
  if (chance.isLikely(0.2)) chosen.push(chance.of(THEIRS));
  return Object.fromEntries((chosen.length === 0 ? ["a1"] : chosen).map((name) => [name, value(chance)]));
}

/**
 * Steps that only make sense together: a commit that changes an object of another administrator, fails its probe, and is also reverted in
 * git.
 */
function takenBack(chance: Chance): Step[] {
  const at = Math.round(chance.next() * ACTIVE * 0.4);
  const on = chance.of(["hand", "ci"] as const);
  const entries = { ...entriesOf(chance), [chance.of(THEIRS)]: value(chance) };
  return [
    { at, do: "push", entries, isProbed: true },
    { at, do: "probe-away", for: chance.whole(40_000, 80_000) },
    { at: at + chance.whole(100, 5_000), do: "reconcile", on, pull: true },
    { at: at + chance.whole(50_000, 90_000), do: "take-back" },
    { at: at + chance.whole(91_000, 110_000), do: "reconcile", on, pull: true },
  ];
}

/** More of these, drawn apart from all others. */
function togetherOf(chance: Chance): Step[] {
  const of = chance.weighed({ none: 6, "late change": 1, "probe that fails after the commit": 1 });
  if (of === "none") return [];
  return of === "late change" ? lateChange(chance) : failedAfterCommit(chance);
}

/** A change of the configuration that is executed after its sender stopped waiting, most often right after the commit. */
function lateChange(chance: Chance): Step[] {
  const at = Math.round(chance.next() * ACTIVE * 0.6);
  const fault: WireFault = chance.isLikely(0.7) ? { kind: "after-commit" } : { kind: "late", by: chance.whole(100, 30_000) };
  return [
    { at, do: "push", entries: entriesOf(chance), isProbed: false },
    { at: at + 50, do: "wire", request: "change", fault },
    { at: at + chance.whole(100, 5_000), do: "reconcile", on: chance.of(["hand", "ci"] as const), pull: true },
  ];
}

/** A commit that changes an object of another administrator and whose probe fails after it. Then it is also reverted in git. */
function failedAfterCommit(chance: Chance): Step[] {
  const at = Math.round(chance.next() * ACTIVE * 0.4);
  const on = chance.of(["hand", "ci"] as const);
  return [
    { at, do: "fail-probe-after-commit", for: chance.whole(20_000, 60_000) },
    { at: at + 50, do: "push", entries: { ...entriesOf(chance), [chance.of(THEIRS)]: value(chance) }, isProbed: true },
    { at: at + chance.whole(100, 5_000), do: "reconcile", on, pull: true },
    { at: at + chance.whole(70_000, 90_000), do: "take-back" },
    { at: at + chance.whole(91_000, 110_000), do: "reconcile", on, pull: true },
  ];
}

function stepOf(chance: Chance, { hasAgent, ledger, probed, faults }: Pick<Script, "hasAgent" | "ledger"> & Measure): Step {
  const at = Math.round(chance.next() * ACTIVE);
  const on = chance.of(["hand", "ci"] as const);
  const kind = chance.weighed({
    push: 20,
    "take-back": 6,
    reconcile: hasAgent ? 12 : 30,
    plan: 2,
    drift: 2,
    pause: 5,
    resume: 4,
    meddle: 18,
    "restart-device": 5,
    "restart-at-commit": 5,
    "meddle-after-commit": 4 * faults,
    "break-lock": 3 * faults,
    "fail-commit": 2 * faults,
    "lose-state": hasAgent && ledger === "git" ? 3 : 0,
    kill: 7 * faults,
    "start-agent": hasAgent ? 4 * faults : 0,
    wire: 14 * faults,
    "git-away": 4 * faults,
    "probe-away": 5 * faults,
  });
  switch (kind) {
    case "push":
      return { at, do: kind, entries: entriesOf(chance), isProbed: chance.isLikely(probed) };
    case "reconcile":
    case "plan":
    case "drift":
      return { at, do: kind, on, pull: chance.isLikely(0.85) };
    case "pause":
    case "resume":
      return { at, do: kind, on };
    case "meddle": {
      const isChange = chance.isLikely(0.7);
      const commitAfter = chance.isLikely(0.8) ? (chance.isLikely(0.6) ? 0 : chance.whole(100, 20_000)) : undefined;
      return { at, do: kind, name: chance.of(ANY), value: isChange ? value(chance) : undefined, commitAfter };
    }
    case "restart-device":
      return { at, do: kind, away: chance.isLikely(0.5) ? 0 : chance.whole(1_000, 40_000) };
    case "meddle-after-commit":
      return { at, do: kind, name: chance.of(ANY), value: value(chance) };
    case "kill":
      return { at, do: kind, what: hasAgent ? chance.of(["agent", "runs"] as const) : "runs" };
    case "wire":
      return { at, do: kind, request: chance.isLikely(0.8) ? "write" : "read", fault: faultOf(chance, FAULTS) };
    case "git-away":
    case "probe-away":
      return { at, do: kind, for: chance.whole(5_000, 60_000) };
    default:
      return { at, do: kind };
  }
}

const FAULTS = { lost: 3, "reply-lost": 4, late: 3, "after-commit": 2 };
