import type { Replacement } from "../changed-sources.js";

/** Changes that revert a fix. The simulation must find a broken history for each. */
export const REVERTED_FIXES: Readonly<Record<string, readonly Replacement[]>> = {
  "1-two-ledgers": [
    {
      file: "src/agent/agent-ledgers.ts",
      from: `import type { LedgerStore } from "../engine/ledger/store.js";`,
      to: `import type { LedgerStore } from "../engine/ledger/store.js";
import { StoredLedger } from "../engine/ledger/stored-ledger.js";`,
    },
    {
      file: "src/agent/agent-ledgers.ts",
      from: `const { flag, isShared } = this.#options;
    const place = flag ?? said ?? (isShared ? "store" : "git");`,
      to: `const { flag, isShared } = this.#options;
    const place = flag ?? said ?? (isShared ? "store" : "own");`,
    },
    {
      file: "src/agent/agent-ledgers.ts",
      from: "const { stored } = this.#options;",
      to: `const { stored } = this.#options;
    if (place === "own") return new StoredLedger(stored);`,
    },
  ],
  "15-asked-anew": [
    {
      file: "src/engine/apply/push-waves.ts",
      from: "const unasked = part.filter(({ serial }) => work.asked.get(serial) !== newestOf(versions));",
      to: "const unasked = part.filter(({ serial }) => work.asked.get(serial) !== newestOf(versions) && versions.length < 0);",
    },
  ],
  "15-canary-anew": [
    {
      file: "src/engine/apply/push-waves.ts",
      from: "if (all.slice(0, wave.number - 1).some((ahead) => ahead.canary && lackingIn(ahead, rows).length > 0)) return;",
      to: "if (all.slice(0, wave.number - 1).some((ahead) => ahead.canary && lackingIn(ahead, rows).some(({ connected }) => !connected))) return;",
    },
  ],
  "15-undelivered": [
    {
      file: "src/engine/pass/planner.ts",
      from: "return [...subtrees, ...late.map((place) => parsePath(place))];",
      to: "return late.length < 0 ? [] : subtrees;",
    },
  ],
  "15-whose-anew": [
    {
      file: "src/engine/apply/push-waves.ts",
      from: "const versions = await refuseStopped(work, part);",
      to: "const versions = await work.managed.versions();",
    },
    {
      file: "src/engine/apply/push-waves.ts",
      from: `await session.step("push-validate", () => validateAll(work, [unasked], versions));
      await refuseStopped(work, part);`,
      to: `await session.step("push-validate", () => validateAll(work, [unasked], versions));`,
    },
  ],
  "2-no-lease": [
    {
      file: "src/engine/apply/new-session.ts",
      from: "const lease = facts.capabilities.locks ? undefined : leaseOf(context, write, run);",
      to: "const lease = facts.capabilities.locks || !facts.capabilities.locks ? undefined : leaseOf(context, write, run);",
    },
  ],
  "26-found-equal": [
    {
      file: "src/plan/ownership-record.ts",
      from: `if (came === "equal" || came === "unclear" || (came === "changed" && unproven.has(path))) found.add(path);`,
      to: `if (came === "unclear" || (came === "changed" && unproven.has(path))) found.add(path);`,
    },
  ],
  "26-taken-back": [
    {
      file: "src/engine/apply/record.ts",
      from: "const gone = new Set(added.filter((path) => !kept.has(path) || !wasMade(path)));",
      to: "const gone = new Set(added.filter((path) => !kept.has(path) && wasMade(path)));",
    },
    {
      file: "src/engine/apply/record.ts",
      from: "const rows = Object.fromEntries(Object.entries({ ...old.rows, ...watch.before.rows }).filter(([path]) => !gone.has(path)));",
      to: "const rows = old.rows;",
    },
    {
      file: "src/plan/guards/not-as-left.ts",
      from: `return print === undefined || printOf(live, shape) === print ? undefined : "What is there is not what we put there";`,
      to: `return print === undefined || printOf(live, shape) !== "" ? undefined : "What is there is not what we put there";`,
    },
  ],
  "27-looking": [
    {
      file: "src/agent/visit.ts",
      from: `if (!MEANWHILE.has(state.held)) state.tried = visit.since;
    if (leavesSomething(visited, visit)) await lookMeanwhile(visit, visited, parts);`,
      to: "if (!MEANWHILE.has(state.held)) state.tried = visit.since;",
    },
  ],
  "3-asked-by-id": [
    {
      file: "src/targets/openstack/reader.ts",
      from: "hidden: async (missed) => (this.inventory === undefined ? [] : await hiddenByIds(missed, this.inventory, this.client)),",
      to: "hidden: async (missed) => (this.inventory === undefined ? [] : await hiddenByIds(missed.slice(missed.length), this.inventory, this.client)),",
    },
  ],
  "3-asked-by-ports": [
    {
      file: "src/targets/openstack/read/by-id.ts",
      from: "const unlisted = missed.some(isUnrecorded) ? await unlistedServers(inventory, client) : [];",
      to: "const unlisted = missed.slice(missed.length).some(isUnrecorded) ? await unlistedServers(inventory, client) : [];",
    },
  ],
  "6-restart": [
    {
      file: "src/engine/apply.ts",
      from: `return result?.outcome === "nothing" && (plan.operations.length > 0 || standing.plan.operations.length > 0);`,
      to: `return result?.outcome === "nothing" && (plan.operations.length < 0 || standing.plan.operations.length < 0);`,
    },
    {
      file: "src/engine/apply.ts",
      from: `async function notConverging(session: ApplySession, planned: Planned, standing: Planned): Promise<PlumblineError> {
  const theirs = await changedSinceCommit(session, planned, standing);`,
      to: "async function notConverging(session: ApplySession, planned: Planned, standing: Planned): Promise<PlumblineError> {",
    },
    {
      file: "src/engine/apply.ts",
      from: `const { plan } = standing;
  if (theirs !== undefined) {
    await session.step("ledger-after", () =>
      recordWanted(
        session,
        plan.changes.map(({ path }) => path),
      ),
    );
    return theirs;
  }`,
      to: "const { plan } = standing;",
    },
  ],
  "7-pause": [
    {
      file: "src/agent/agent-notices.ts",
      from: `async refusePaused(target: string, now: number): Promise<void> {
    await this.refresh();`,
      to: "async refusePaused(target: string, now: number): Promise<void> {",
    },
    {
      file: "src/agent/may-write.ts",
      from: "const unreadable = await notices.refresh().then(",
      to: "const unreadable = await Promise.resolve().then(",
    },
  ],
  "8-late-create": [
    {
      file: "src/engine/pass/twins.ts",
      from: `if (ledger.state !== "present" || capabilities.independentObjects !== true) return ledger;`,
      to: `if (ledger.state !== "present" || capabilities.independentObjects !== undefined) return ledger;`,
    },
  ],
  "8-late-request": [
    {
      file: "src/engine/apply/late-requests.ts",
      from: "if (own.length === 0) return false;",
      to: "if (session !== undefined || own.length === 0) return false;",
    },
    {
      file: "src/engine/apply/late-requests.ts",
      from: "if (!hasLostReply) return;",
      to: "if (session !== undefined || !hasLostReply) return;",
    },
  ],
};
