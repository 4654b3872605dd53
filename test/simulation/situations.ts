import { Chance } from "./chance.js";
import type { Entries, Machine, Step } from "./script.js";

const MACHINES = ["hand", "ci"] as const;

/** Draws the entries of a commit. */
type EntriesOf = (chance: Chance) => Entries;

/** Steps that only matter together, drawn independently of all others. Each seed has at most one of these situations. */
export function situationOf(seed: number, active: number, entriesOf: EntriesOf): Step[] {
  const chance = new Chance(seed, "situation");
  const begin = (share: number): Run => ({ at: Math.round(chance.next() * active * share), on: chance.of(MACHINES) });
  const kind = chance.weighed({ "restored ledger": 8, none: 62, "changed at the lock": 8, "begun at the write": 14, "lost commit": 8 });
  switch (kind) {
    case "restored ledger":
      return restoredLedger(chance, begin(0.3), entriesOf);
    case "changed at the lock":
      return changedAtLock(chance, begin(0.4));
    case "begun at the write":
      return begunAtWrite(chance, begin(0.7), entriesOf);
    case "lost commit":
      return lostCommit(chance, begin(0.6), entriesOf);
    default:
      return [];
  }
}

interface Run {
  readonly at: number;
  readonly on: Machine;
}

function run({ at, on }: Run, after: number): Step {
  return { at: at + after, do: "reconcile", on, pull: true };
}

/**
 * The target leads to another device for some time, and a commit deletes an entry that the other device has, too. Drawn independently of all
 * other steps.
 */
export function movedTarget(
  seed: number,
  active: number,
  entriesOf: EntriesOf,
): { readonly elsewhere: Entries | undefined; readonly steps: readonly Step[] } {
  const chance = new Chance(seed, "another device");
  if (!chance.isLikely(0.1)) return { elsewhere: undefined, steps: [] };
  const [at, on] = [Math.round(chance.next() * active * 0.4), chance.of(MACHINES)];
  const [first, second] = [entriesOf(chance), entriesOf(chance)];
  const command = (after: number): Step => ({
    at: at + after,
    do: chance.weighed({ reconcile: 4, plan: 1, drift: 1 }),
    on,
    pull: chance.isLikely(0.8),
  });
  const steps: Step[] = [
    { at, do: "push", entries: first, isProbed: false },
    run({ at, on }, 100),
    { at: at + 40_000, do: "move-target", for: chance.whole(30_000, 80_000) },
    { at: at + 40_000 + chance.whole(-20_000, 10_000), do: "push", entries: second, isProbed: false },
    command(40_000 + chance.whole(-5_000, 20_000)),
    command(60_000 + chance.whole(0, 20_000)),
    command(90_000 + chance.whole(0, 40_000)),
  ];
  return { elsewhere: { h1: "10.0.0.3", ...first }, steps };
}

/** A second agent stays at an older commit while newer commits are applied. Drawn independently of all other steps. */
export function secondAgent(seed: number, active: number, entriesOf: EntriesOf): readonly Step[] {
  const chance = new Chance(seed, "behind");
  if (!chance.isLikely(0.12)) return [];
  const [at, on] = [Math.round(chance.next() * active * 0.3), chance.of(MACHINES)];
  const change = (after: number): Step => {
    const name = chance.of(["a1", "a2", "a3", "a4"]);
    const value = chance.isLikely(0.6) ? "10.0.0.9" : undefined;
    return { at: at + after, do: "meddle", name, value, commitAfter: 0 };
  };
  return [
    { at, do: "push", entries: entriesOf(chance), isProbed: false },
    run({ at, on }, 100),
    { at: at + 20_000, do: "start-second-agent" },
    { at: at + 50_000, do: "push", entries: entriesOf(chance), isProbed: false },
    run({ at, on }, 50_100),
    change(80_000 + chance.whole(0, 40_000)),
    change(100_000 + chance.whole(0, 60_000)),
    run({ at, on }, 150_000),
  ];
}

/** A commit deletes an entry, and another administrator changes that entry after the plan and before the lock. */
function changedAtLock(chance: Chance, where: Run): Step[] {
  const { at } = where;
  const [name, kept] = chance.isLikely(0.5) ? ["a1", "a2"] : ["a3", "a4"];
  return [
    { at, do: "push", entries: { [name]: "10.0.0.1", [kept]: `10.0.0.${chance.whole(1, 3)}` }, isProbed: false },
    run(where, 100),
    { at: at + 60_000, do: "push", entries: { [kept]: `10.0.0.${chance.whole(1, 3)}` }, isProbed: false },
    { at: at + 60_000, do: "meddle-at-lock", name, value: "10.0.0.9" },
    run(where, 60_000 + chance.whole(100, 3_000)),
  ];
}

/**
 * The ledger is restored from a backup that lacks the last commit. It lists entries that this commit deleted, and one of them exists again,
 * created by another administrator.
 */
function restoredLedger(chance: Chance, where: Run, entriesOf: EntriesOf): Step[] {
  const { at } = where;
  const [first, second, third] = [entriesOf(chance), entriesOf(chance), entriesOf(chance)];
  const [deleted] = Object.entries(first).filter(([name]) => second[name] === undefined);
  const value = deleted !== undefined && chance.isLikely(0.5) ? deleted[1] : "10.0.0.9";
  return [
    { at, do: "push", entries: first, isProbed: false },
    run(where, 100),
    { at: at + 50_000, do: "back-up-ledger" },
    { at: at + 50_100, do: "push", entries: second, isProbed: false },
    run(where, 50_200),
    ...(deleted === undefined ? [] : [{ at: at + 90_000, do: "meddle", name: deleted[0], value, commitAfter: 0 } as const]),
    { at: at + 100_000, do: "restore-ledger" },
    { at: at + 100_100, do: "push", entries: third, isProbed: false },
    run(where, 100_200),
  ];
}

/** Another administrator begins a change between our write and our commit. */
function begunAtWrite(chance: Chance, where: Run, entriesOf: EntriesOf): Step[] {
  const { at } = where;
  return [
    { at, do: "push", entries: entriesOf(chance), isProbed: false },
    { at, do: "meddle-at-write", name: chance.of(["h1", "h2", "h3"]), value: "10.0.0.9" },
    run(where, chance.whole(100, 3_000)),
  ];
}

/** Our commit or its reply is lost, and often the job list cannot be read for some time. */
function lostCommit(chance: Chance, where: Run, entriesOf: EntriesOf): Step[] {
  const { at } = where;
  return [
    { at, do: "push", entries: entriesOf(chance), isProbed: false },
    { at, do: "lose-commit", what: chance.of(["lost", "reply-lost", "cut", "cut"] as const), jobs: chance.of([0, 1, 2] as const) },
    run(where, chance.whole(100, 3_000)),
  ];
}
