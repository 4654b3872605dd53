import { Chance } from "./chance.js";
import { ACTIVE, type Entries, type Machine, type Script, type Step, USUAL } from "./script.js";
import { faultOf, type WireFault } from "./wire.js";

const NETWORKS = ["n1", "n2", "n3"] as const;
const GROUPS = ["g1", "g2"] as const;
const SERVERS = ["s1", "s2"] as const;
const MACHINES = ["hand", "ci"] as const;

/** The history of a seed in which a project of a cloud is the target. */
export function cloudScriptOf(seed: number, { steps, faults } = USUAL): Script {
  const chance = new Chance(seed, "cloud script");
  const hasAgent = chance.isLikely(0.3);
  const count = chance.whole(...steps.cloud);
  const single = Array.from({ length: count }, () => stepOf(chance, hasAgent, faults));
  const together = TOGETHER[chance.weighed({ "two at once": 3, "late create": 3, "left out": 3, none: 2 })](chance);
  const skew = () => (chance.isLikely(0.2) ? chance.whole(-20_000, 20_000) : 0);
  return {
    seed,
    isCloud: true,
    hasAgent,
    ledger: chance.isLikely(0.25) ? "store" : "git",
    hasLocks: false,
    partialCommit: true,
    commitDropsLocks: false,
    jobDuration: 0,
    skew: { hand: skew(), ci: skew(), agent: skew() },
    theirs: {},
    entries: entriesOf(chance),
    steps: [...single, ...together, ...stalled(new Chance(seed, "stall")), ...killedAtServer(new Chance(seed, "server"))].sort(
      (a, b) => a.at - b.at,
    ),
    heldBack: undefined,
  };
}

function value(chance: Chance): string {
  return `v${chance.whole(1, 3)}`;
}

function entriesOf(chance: Chance): Entries {
  const chosen: string[] = [...NETWORKS, ...GROUPS, ...SERVERS].filter(() => chance.isLikely(0.5));
  return Object.fromEntries((chosen.length === 0 ? ["n1"] : chosen).map((name) => [name, value(chance)]));
}

function run(chance: Chance, at: number, on: Machine = chance.of(MACHINES)): Step {
  return { at, do: "reconcile", on, pull: true };
}

/** Steps that only make sense together. */
const TOGETHER: Readonly<Record<"two at once" | "late create" | "left out" | "none", (chance: Chance) => Step[]>> = {
  none: () => [],
  "two at once": (chance) => {
    const at = moment(chance);
    return [
      { at, do: "push", entries: entriesOf(chance), isProbed: false },
      run(chance, at + 100, "hand"),
      run(chance, at + chance.whole(100, 1_500), "ci"),
    ];
  },
  "late create": (chance) => {
    const at = moment(chance);
    const fault: WireFault = chance.isLikely(0.6) ? { kind: "late", by: chance.whole(100, 40_000) } : { kind: "reply-lost" };
    return [
      { at, do: "push", entries: entriesOf(chance), isProbed: false },
      { at: at + 50, do: "wire", request: "change", fault },
      run(chance, at + chance.whole(100, 2_000)),
    ];
  },
  "left out": (chance) => {
    const at = moment(chance);
    const list = chance.isLikely(0.7) ? "servers" : "networks";
    const name = chance.isLikely(0.5) ? undefined : chance.of(list === "servers" ? SERVERS : NETWORKS);
    return [{ at, do: "leave-out", list, name, for: chance.whole(20_000, 60_000) }, run(chance, at + chance.whole(100, 15_000))];
  },
};

/** A machine is suspended for longer than the lease of its run, and a run of another machine takes over. */
function stalled(chance: Chance): Step[] {
  if (!chance.isLikely(0.1)) return [];
  const at = moment(chance) * 0.5;
  return [
    { at, do: "push", entries: { n1: value(chance), n2: value(chance), g1: value(chance), g2: value(chance) }, isProbed: false },
    { at, do: "stall-at-write", on: "hand", for: chance.whole(125_000, 160_000) },
    run(chance, at + 100, "hand"),
    { at: at + chance.whole(15_000, 50_000), do: "reconcile", on: "ci", pull: true, takeover: true },
  ];
}

/** A run is killed when it gets the reply of a server, before it stores the id. The list omits the server when the next run reads it. */
function killedAtServer(chance: Chance): Step[] {
  if (!chance.isLikely(0.05)) return [];
  const at = moment(chance);
  const on = chance.of(MACHINES);
  const without = { n1: value(chance), g1: value(chance) };
  return [
    { at, do: "push", entries: without, isProbed: false },
    run(chance, at + 100, on),
    { at: at + 30_000, do: "push", entries: { ...without, s1: value(chance) }, isProbed: false },
    { at: at + 30_000, do: "kill-at-server", for: chance.whole(40_000, 60_000) },
    run(chance, at + 30_100, on),
    { at: at + chance.whole(50_000, 60_000), do: "reconcile", on, pull: true, takeover: true },
  ];
}

function moment(chance: Chance): number {
  return Math.round(chance.next() * ACTIVE * 0.7);
}

function stepOf(chance: Chance, hasAgent: boolean, faults: number): Step {
  const at = Math.round(chance.next() * ACTIVE);
  const on = chance.of(MACHINES);
  const kind = chance.weighed({
    push: 18,
    reconcile: hasAgent ? 10 : 25,
    plan: 2,
    drift: 2,
    pause: 3,
    resume: 3,
    "meddle-in-cloud": 14,
    "leave-out": 4 * faults,
    kill: 6 * faults,
    "start-agent": hasAgent ? 4 * faults : 0,
    wire: 12 * faults,
    "git-away": 3 * faults,
  });
  switch (kind) {
    case "push":
      return { at, do: kind, entries: entriesOf(chance), isProbed: false };
    case "reconcile":
    case "plan":
    case "drift":
      return { at, do: kind, on, pull: chance.isLikely(0.85) };
    case "pause":
    case "resume":
      return { at, do: kind, on };
    case "meddle-in-cloud": {
      const name = chance.of([...NETWORKS, ...GROUPS, ...SERVERS, "nx", "gx"]);
      return { at, do: kind, name, value: chance.isLikely(0.6) ? value(chance) : undefined };
    }
    case "leave-out":
      return { at, do: kind, list: "servers", name: undefined, for: chance.whole(5_000, 40_000) };
    case "kill":
      return { at, do: kind, what: hasAgent ? chance.of(["agent", "runs"] as const) : "runs" };
    case "wire":
      return { at, do: kind, request: chance.of(["write", "change", "read"] as const), fault: faultOf(chance, FAULTS) };
    case "git-away":
      return { at, do: kind, for: chance.whole(5_000, 60_000) };
    default:
      return { at, do: kind };
  }
}

const FAULTS = { lost: 3, "reply-lost": 4, late: 3 };
