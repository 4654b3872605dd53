import type { Replacement } from "../changed-sources.js";
import type { SimulatedWorld } from "./lived.js";

/** A fault in the product, and the first history that finds it in each world. */
interface Mutant {
  readonly name: string;
  readonly replacements: readonly Replacement[];
  readonly found: readonly { readonly world: SimulatedWorld; readonly seed: number; readonly rule: string }[];
}

const APPLY = "src/engine/apply/apply-plan.ts";
const NEW_SESSION = "src/engine/apply/new-session.ts";
const PUSH_WAVES = "src/engine/apply/push-waves.ts";
const LATE_REQUESTS = "src/engine/apply/late-requests.ts";
const COMMIT = "src/engine/commit.ts";
const RECORD_WATCH = "src/engine/apply/record-watch.ts";
const TREE_COMPARISON = "src/plan/diff/tree-comparison.ts";
const AGENT_LEDGERS = "src/agent/agent-ledgers.ts";

/** Faults that an earlier version of the product had, and protections that are removed. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: "the agent has a ledger of its own",
    replacements: [
      {
        file: AGENT_LEDGERS,
        from: 'import type { Ledger } from "../engine/ledger/ledger.js";',
        to: 'import { StoredLedger } from "../engine/ledger/stored-ledger.js";\nimport type { Ledger } from "../engine/ledger/ledger.js";',
      },
      {
        file: AGENT_LEDGERS,
        from: '(isShared ? "store" : "git");\n    const ledger =',
        to: '(isShared ? "store" : "own");\n    const ledger =',
      },
      {
        file: AGENT_LEDGERS,
        from: "    const nextTo = (age: number) =>",
        to: '    if (place === "own") return new StoredLedger(stored);\n    const nextTo = (age: number) =>',
      },
    ],
    found: [{ world: "firewall", seed: 2, rule: "not converging" }],
  },
  {
    name: "a target without locks has no lease",
    replacements: [{ file: NEW_SESSION, from: "facts.capabilities.locks ? undefined : leaseOf(context, write, run)", to: "undefined" }],
    found: [
      { world: "firewall", seed: 411, rule: "no lock" },
      { world: "cloud", seed: 61, rule: "twice" },
    ],
  },
  {
    name: "omitted objects of a cloud are not read by their ids",
    replacements: [{ file: "src/targets/openstack/reader.ts", from: "hiddenByIds(missed, this", to: "hiddenByIds([], this" }],
    found: [{ world: "cloud", seed: 1, rule: "twice" }],
  },
  {
    name: "omitted servers are not found by their ports",
    replacements: [
      {
        file: "src/targets/openstack/read/hidden-by-id.ts",
        from: "missed.some(isServer) ? await unlistedServers(inventory, client) : []",
        to: "[]",
      },
    ],
    found: [{ world: "cloud", seed: 162, rule: "twice" }],
  },
  {
    name: "an object without a mark, left by an unfinished create, is in sync",
    replacements: [
      { file: "src/engine/pass/planner.ts", from: "asRemaining(unmarked))", to: "asRemaining(unmarked.slice(unmarked.length)))" },
    ],
    found: [{ world: "cloud", seed: 1521, rule: "not converging" }],
  },
  {
    name: "duplicates of two cut-off runs are in sync",
    replacements: [
      {
        file: "src/engine/pass/duplicate-creates.ts",
        from: 'if (announced.includes(text) && rows[text]?.came === "made" && rows[text].id === undefined) return true;',
        to: 'if (announced.includes(text) && rows[text]?.came === "equal") return true;',
      },
    ],
    found: [{ world: "cloud", seed: 361, rule: "not converging" }],
  },
  {
    name: "a restored ledger deletes objects that others created since",
    replacements: [
      {
        file: "src/guards/not-as-left.ts",
        from: 'if (input.ledger.state !== "present") return [];\n  const { rows = {} }',
        to: "if (changes.length >= 0) return [];\n  const { rows = {} }",
      },
    ],
    found: [{ world: "firewall", seed: 20, rule: "foreign change lost" }],
  },
  {
    name: "a restart before the commit is blamed on the device",
    replacements: [
      {
        file: APPLY,
        from: "plan.operations.length > 0 || remaining.plan.operations.length > 0)",
        to: "plan.operations.length < 0)",
      },
      {
        file: "src/engine/apply/after-commit.ts",
        from: "const theirs = await changedSinceCommit(session, planned, remaining);",
        to: "const theirs = undefined;",
      },
    ],
    found: [{ world: "firewall", seed: 116, rule: "not converging" }],
  },
  {
    name: "a pause does not wait for push jobs",
    replacements: [
      {
        file: "src/engine/active-runs.ts",
        from: "runs: [...new Set([...runs, ...(await pushesOn(reader))])]",
        to: "runs: [...new Set(runs), ...(await pushesOn(reader)).slice(0, 0)]",
      },
    ],
    found: [{ world: "manager", seed: 5, rule: "paused" }],
  },
  {
    name: "a run does not read new pauses before each push job",
    replacements: [
      {
        file: PUSH_WAVES,
        from: "  await refusePaused(session);\n  await verifyActiveBox(session);",
        to: "  await (session.warnings.length < 0 ? refusePaused(session) : Promise.resolve());\n  await verifyActiveBox(session);",
      },
      {
        file: "src/engine/apply/push-part.ts",
        from: "  await refusePaused(session);\n  const serials",
        to: "  await (part.length < 0 ? refusePaused(session) : Promise.resolve());\n  const serials",
      },
    ],
    found: [{ world: "manager", seed: 45, rule: "paused" }],
  },
  {
    name: "the agent does not read new pauses before it writes",
    replacements: [
      {
        file: "src/agent/agent-notices.ts",
        from: "async refusePaused(target: string, now: number): Promise<void> {\n    await this.refresh();",
        to: "async refusePaused(target: string, now: number): Promise<void> {",
      },
      { file: "src/agent/write-blocks.ts", from: "await notices.refresh(RECENT).then(", to: "await Promise.resolve().then(" },
    ],
    found: [{ world: "firewall", seed: 144, rule: "paused" }],
  },
  {
    name: "the result of a late create is not found",
    replacements: [
      {
        file: "src/engine/pass/duplicate-creates.ts",
        from: '(ledger.state !== "present" || capabilities.independentObjects !== true) return ledger;\n  const { record }',
        to: '(ledger.state !== "present" || capabilities.independentObjects !== undefined) return ledger;\n  const { record }',
      },
    ],
    found: [{ world: "cloud", seed: 432, rule: "not converging" }],
  },
  {
    name: "late requests are neither cleared nor reported",
    replacements: [
      { file: LATE_REQUESTS, from: "if (own.length === 0) return false;", to: "return false;" },
      { file: LATE_REQUESTS, from: "if (!hasLostReply) return;", to: "return;" },
    ],
    found: [{ world: "firewall", seed: 22, rule: "left behind" }],
  },
  {
    name: "an object that was only found equal is owned",
    replacements: [
      { file: "src/plan/ownership-record.ts", from: 'if (came === "equal" || came === "unclear"', to: 'if (came === "unclear"' },
    ],
    found: [{ world: "firewall", seed: 11, rule: "foreign change lost" }],
  },
  {
    // Each protection alone prevents what the other one misses.
    name: "a rolled-back commit leaves rows, and the guard not-as-left ignores content",
    replacements: [
      { file: RECORD_WATCH, from: "!kept.has(path) || !wasMade(path)));", to: "!kept.has(path) && wasMade(path)));" },
      {
        file: RECORD_WATCH,
        from: "Object.fromEntries(Object.entries({ ...old.rows, ...watch.before.rows }).filter(([path]) => !removed.has(path)));",
        to: "old.rows;",
      },
      { file: "src/guards/not-as-left.ts", from: "printOf(live, shape) === print\n", to: 'printOf(live, shape) !== ""\n' },
    ],
    found: [{ world: "firewall", seed: 26, rule: "foreign change lost" }],
  },
  {
    name: "drift checks stop while a commit is on hold",
    replacements: [
      {
        file: "src/agent/visit.ts",
        from: "  const isInSync = leavesSomething(visited, visit) && (await compareWhilePending(visit, visited, parts));\n",
        to: "  const isInSync = false;\n",
      },
    ],
    found: [{ world: "firewall", seed: 33, rule: "unseen" }],
  },
  {
    name: "a push does not check what others committed since",
    replacements: [
      {
        file: PUSH_WAVES,
        from: "const versions = await refuseStopped(work, part);",
        to: "const versions = await work.managed.versions();",
      },
      { file: PUSH_WAVES, from: "      await refuseStopped(work, part);\n", to: "" },
    ],
    found: [{ world: "manager", seed: 185, rule: "foreign work" }],
  },
  {
    name: "a push does not validate firewalls that came late",
    replacements: [
      {
        file: PUSH_WAVES,
        from: "part.filter(({ serial }) => work.validated.get(serial) !== newestOf(versions));",
        to: "part.slice(part.length);",
      },
    ],
    found: [{ world: "manager", seed: 221, rule: "not asked" }],
  },
  {
    name: "a push does not check the canary again",
    replacements: [
      {
        file: PUSH_WAVES,
        from: "ahead.canary && lackingIn(ahead, rows).length > 0",
        to: "ahead.canary && lackingIn(ahead, rows).some(({ connected }) => !connected)",
      },
    ],
    found: [{ world: "manager", seed: 110, rule: "canary" }],
  },
  {
    name: "deletions that a firewall did not get are forgotten",
    replacements: [
      {
        file: "src/engine/pass/planner.ts",
        from: "return [...subtrees, ...late.map((place) => parsePath(place))];",
        to: "return late.length < 0 ? [] : subtrees;",
      },
    ],
    found: [{ world: "manager", seed: 4844, rule: "not converging" }],
  },
  {
    name: "the plan is not checked again under the lock",
    replacements: [{ file: "src/engine/apply/confirm.ts", from: "isSameForOthers && isUnchanged(current) &&", to: "isSameForOthers &&" }],
    found: [{ world: "firewall", seed: 15, rule: "foreign change lost" }],
  },
  {
    name: "an unreadable job list counts as no job",
    replacements: [
      {
        file: COMMIT,
        from: "catch(() => {\n    throw unknown(session, cause);\n  });",
        to: "catch((): readonly SettledJob[] => []);",
      },
    ],
    found: [{ world: "firewall", seed: 101, rule: "nothing twice" }],
  },
  {
    name: "a commit with a lost reply counts as done",
    replacements: [
      {
        file: COMMIT,
        from: "    const found = await findJob(session, commits, prefix, error);\n",
        to: '    if (isLost(error)) return { outcome: "committed", job: undefined, lines: [] };\n    const found = await findJob(session, commits, prefix, error);\n',
      },
    ],
    found: [{ world: "firewall", seed: 6, rule: "untrue" }],
  },
  {
    name: "changes of others are not checked before the commit",
    replacements: [
      { file: APPLY, from: 'await step("foreign-check", () => refuseNewChangesOfOthers(session, pending));', to: "void pending;" },
    ],
    found: [{ world: "firewall", seed: 49, rule: "carried along" }],
  },
  {
    name: "the lease is not checked before a write",
    replacements: [
      {
        file: NEW_SESSION,
        from: "return keepingFence(lease, leaseFence(heldTogether(visit, lease), onLoss));",
        to: "return unshared;",
      },
    ],
    found: [{ world: "cloud", seed: 8, rule: "no lock" }],
  },
  {
    name: "a missing anchor of $position is ignored",
    replacements: [
      {
        file: "src/plan/diff/list-order.ts",
        from: 'if (problem.problem === "anchor-missing") reportAnchor(problem.block, path, problem.anchor, results);',
        to: 'if (problem.problem === "anchor-missing") continue;',
      },
    ],
    found: [{ world: "firewall", seed: 27, rule: "untrue" }],
  },
  {
    name: "a missing virtual system is ignored",
    replacements: [
      {
        file: TREE_COMPARISON,
        from: 'this.#results.find("place-missing", this.#trail.path(depth), message, firstOrigin(wanted), true);',
        to: "void message;",
      },
    ],
    found: [{ world: "firewall", seed: 98, rule: "untrue" }],
  },
  {
    name: "unmanaged rules are ignored",
    replacements: [
      {
        file: TREE_COMPARISON,
        from: 'for (const { path, node } of entries) this.#results.remaining.push({ kind: "unmanaged", path, before: node });',
        to: "void entries;",
      },
    ],
    found: [{ world: "firewall", seed: 8, rule: "untrue" }],
  },
  {
    name: "a ledger counts for every device",
    replacements: [
      {
        file: "src/engine/device-identity.ts",
        from: "return known !== undefined && !known.some((name) => names.includes(name));",
        to: "return known !== undefined && names.length < 0;",
      },
    ],
    found: [{ world: "firewall", seed: 10, rule: "other device" }],
  },
  {
    name: "an older commit restores former values",
    replacements: [
      {
        file: "src/engine/pass/newer-values.ts",
        from: "if (plan.operations.length === 0 || record === undefined",
        to: "if (plan.operations.length >= 0 || record === undefined",
      },
    ],
    found: [{ world: "firewall", seed: 46, rule: "former value" }],
  },
  {
    name: "a clone without the applied commit restores former values",
    replacements: [
      {
        file: "src/engine/pass/newer-values.ts",
        from: "if (!(await hasCommit(folder, commit))) {",
        to: "if (folder.length < 0 && (await hasCommit(folder, commit))) {",
      },
    ],
    found: [{ world: "firewall", seed: 179, rule: "former value" }],
  },
];
