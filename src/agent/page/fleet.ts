import { version } from "../../core/version.js";
import type { HistoryEntry } from "../../outcome/history.js";
import type { PushCourse } from "../../outcome/push-course.js";
import type { AgentEvent } from "../events.js";
import { isStopped, type RolloutStatus, waitingIn } from "../rollouts.js";
import type { Store } from "../store/store.js";
import type { Unanswered } from "../visit-parts.js";
import type { Controls } from "./controls.js";
import {
  type FleetRow,
  faultOf,
  newRow,
  type PackedRow,
  packRow,
  rememberedRow,
  rowAfter,
  seconds,
  unpackRow,
  whilePushing,
} from "./fleet-row.js";
import type { CommitView, FleetView, MetaView, PauseView, RolloutView } from "./view.js";

/** A change for the browser. */
export type FleetNews =
  | { readonly event: "rows"; readonly data: readonly PackedRow[] }
  /** Targets whose pass found no change, with the end of the pass. */
  | { readonly event: "checked"; readonly data: readonly (readonly [string, number])[] }
  | { readonly event: "gone"; readonly data: readonly string[] }
  | { readonly event: "meta"; readonly data: MetaView };

/** Number of passes that are read to find when a target began to fail. An older beginning is shown as the oldest of them. */
const FAULT_PASSES = 500;

export interface FleetOptions {
  readonly store: Pick<Store, "passes" | "drift" | "history">;
  readonly controls: Pick<Controls, "targets" | "commit" | "describe" | "source" | "folder" | "pauses" | "rollout" | "hasAudit">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The state of all targets, in memory. It starts from the store and follows the agent's events, so that a page view needs no
 * query. `refresh` adds the work of other agents.
 */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #rows = new Map<string, FleetRow>();
  readonly #changed = new Set<string>();
  readonly #checked = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #pushes = new Map<string, PushCourse>();
  readonly #alarms = new Map<string, string>();
  #meta: MetaView | undefined;
  #metaChanged = false;
  #seeded: Promise<void> | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  async view(): Promise<FleetView> {
    await this.seed();
    const meta = this.#meta ?? (await this.#readMeta(await this.#options.controls.rollout()));
    return { now: seconds(this.#options.now()), meta, rows: [...this.#rows.values()].map(packRow) };
  }

  async row(target: string): Promise<FleetRow | undefined> {
    await this.seed();
    return this.#rows.get(target);
  }

  /** Reads the store on the first call. */
  async seed(): Promise<void> {
    this.#seeded ??= this.refresh().catch((error: unknown) => {
      this.#seeded = undefined;
      throw error;
    });
    await this.#seeded;
  }

  /** Reads the store again, because other agents and commands write to it. */
  async refresh(): Promise<void> {
    const { store, controls } = this.#options;
    const rollout = await controls.rollout();
    const [latest, totals, meta] = await Promise.all([store.passes.latest(), store.drift.totals(), this.#readMeta(rollout)]);
    const isWaiting = waitingIn(rollout);
    const passes = new Map(latest.map((entry) => [entry.target ?? "", entry]));
    for (const [name, { kind, mode, labels = "" }] of controls.targets()) {
      const facts = { kind, mode, labels };
      const before = this.#rows.get(name);
      const pass = passes.get(name);
      const isOlder = before !== undefined && before.checked >= seconds(pass?.ended ?? pass?.at);
      const row = { ...(before ?? newRow(name, facts)), ...facts };
      const known = isOlder ? row : rememberedRow(row, pass, totals.get(name), await this.#faultSince(row, pass));
      const shown = isWaiting(name, pass?.detail.commit) ? beforeItsWave(known, rollout?.commit) : known;
      const push = this.#pushes.get(name);
      this.#put(push !== undefined && push.ended === undefined ? whilePushing(shown, push) : shown);
    }
    for (const name of [...this.#rows.keys()]) if (!controls.targets().has(name)) this.#drop(name);
    this.#putMeta(meta);
  }

  /** Returns when the target began to fail, or to be refused, without a pass in between that ended otherwise. */
  async #faultSince({ name, state }: FleetRow, latest: HistoryEntry | undefined): Promise<number | undefined> {
    const fault = faultOf(latest);
    if (fault === undefined || fault === state) return undefined;
    const { entries } = await this.#options.store.history.find({ target: name, kinds: ["pass"], limit: FAULT_PASSES });
    const ended = entries.filter((pass) => pass.ended !== undefined && pass.outcome !== "interrupted");
    const other = ended.findIndex((pass) => faultOf(pass) !== fault);
    return (other === -1 ? ended : ended.slice(0, other)).at(-1)?.at;
  }

  /** Returns the current or latest push of this agent to the firewalls of a manager. */
  push(target: string): PushCourse | undefined {
    return this.#pushes.get(target);
  }

  /** Updates the rows after an event of the agent. */
  async listen(event: AgentEvent): Promise<void> {
    if (event.type === "push-moved") this.#pushes.set(event.target, event.course);
    const isOfAgent = await this.#takeAlarm(event);
    if (this.#seeded === undefined) return;
    if (event.type === "commit-in-force" || event.type === "rollout-wave") await this.refresh();
    else if (isOfAgent) this.#putMeta(await this.#readMeta(await this.#options.controls.rollout()));
    else if ("target" in event && event.target !== undefined) {
      const row = this.#rows.get(event.target);
      if (row !== undefined) this.#put(rowAfter(row, event));
    }
  }

  /** Returns the changes since the last call. Times of checks are included if `withChecked` is set. */
  takeNews(withChecked: boolean): FleetNews[] {
    const news: FleetNews[] = [];
    const rows = [...this.#changed].flatMap((name) => this.#rows.get(name) ?? []);
    if (rows.length > 0) news.push({ event: "rows", data: rows.map(packRow) });
    if (this.#removed.size > 0) news.push({ event: "gone", data: [...this.#removed] });
    if (this.#metaChanged && this.#meta !== undefined) news.push({ event: "meta", data: this.#meta });
    this.#changed.clear();
    this.#removed.clear();
    this.#metaChanged = false;
    if (withChecked && this.#checked.size > 0) {
      const checked = [...this.#checked].flatMap((name) => this.#rows.get(name) ?? []);
      news.push({ event: "checked", data: checked.map((row) => [row.name, row.checked] as const) });
      this.#checked.clear();
    }
    return news;
  }

  #put(row: FleetRow): void {
    const before = this.#rows.get(row.name);
    this.#rows.set(row.name, row);
    if (before === undefined || isNews(before, row)) {
      this.#changed.add(row.name);
      this.#checked.delete(row.name);
    } else if (before.checked !== row.checked && !this.#changed.has(row.name)) this.#checked.add(row.name);
  }

  #drop(name: string): void {
    this.#rows.delete(name);
    this.#changed.delete(name);
    this.#checked.delete(name);
    this.#pushes.delete(name);
    this.#removed.add(name);
  }

  #putMeta(meta: MetaView): void {
    this.#metaChanged ||= this.#meta !== undefined && JSON.stringify(meta) !== JSON.stringify(this.#meta);
    this.#meta = meta;
  }

  /** Returns whether the event is about the agent itself. */
  async #takeAlarm(event: AgentEvent): Promise<boolean> {
    switch (event.type) {
      case "store-failed":
        this.#alarms.set("store", `The store cannot be written, so nothing is applied: ${event.error.message}`);
        return true;
      case "source-failed":
        this.#alarms.set("source", `The repository does not answer: ${event.error.message}`);
        return true;
      case "commit-refused":
      case "commit-broken": {
        const why = event.type === "commit-refused" ? event.error.message : (event.errors[0]?.message ?? "it does not load");
        this.#alarms.set("commit", `Commit ${event.commit.slice(0, 12)} is not activated: ${why}`);
        return true;
      }
      case "targets-departed":
        if (event.warnings.length === 0) return this.#alarms.delete("departed");
        this.#alarms.set("departed", event.warnings.join(" "));
        return true;
      case "store-recovered":
        return this.#alarms.delete("store");
      case "source-recovered":
        return this.#alarms.delete("source");
      case "paused":
      case "resumed":
      case "rollout-stopped":
      case "rollout-ended":
        return true;
      default:
        return false;
    }
  }

  async #readMeta(rollout: RolloutStatus | undefined): Promise<MetaView> {
    const { controls } = this.#options;
    const commit = controls.commit() ?? "";
    if (commit !== this.#meta?.commit) this.#alarms.delete("commit");
    const pauses = (await controls.pauses()).map(
      ({ target = "", reason, by, since, until, onlyHere }): PauseView => ({
        target,
        reason: onlyHere === true ? `${reason} (only this agent: other runners do not know)` : reason,
        by,
        since: seconds(since),
        until: seconds(until),
      }),
    );
    const head = this.#meta?.head?.id === commit ? this.#meta.head : await commitView(commit, controls);
    const { source } = controls;
    const place = { commit, head, source, folder: controls.folder() };
    return { version, ...place, pauses, rollout: rolloutView(rollout), alarms: [...this.#alarms.values()], hasAudit: controls.hasAudit() };
  }
}

function beforeItsWave(row: FleetRow, commit = ""): FleetRow {
  if (row.state !== "in-sync") return row;
  return { ...row, state: "pending", note: `Commit ${commit.slice(0, 12)} waits for a later wave of its roll-out.` };
}

/** Returns undefined for a commit without waves. */
function rolloutView(status: RolloutStatus | undefined): RolloutView | undefined {
  if (status === undefined || status.of < 2) return undefined;
  return { ...status, isStopped: isStopped(status), left: status.left.length };
}

/** Returns author, time and message of a commit, or undefined if it is not known. */
export async function commitView(id: string, { describe }: Pick<Controls, "describe">): Promise<CommitView | undefined> {
  const facts = id === "" ? undefined : await describe(id);
  return facts === undefined ? undefined : { id, author: facts.author, at: seconds(facts.at), message: facts.message };
}

function isNews(before: FleetRow, after: FleetRow): boolean {
  return (Object.keys(after) as (keyof FleetRow)[]).some((field) => field !== "checked" && before[field] !== after[field]);
}

/** Returns the targets of a fleet view for programs, with the names of all fields. */
export function targetList({ now, meta, rows }: FleetView, unanswered: ReadonlyMap<string, Unanswered>): object {
  const isPaused = (name: string): boolean => meta.pauses.some(({ target }) => target === "" || target === name);
  const targets = rows.map(unpackRow).map((row) => {
    const labels = row.labels.split("\n").filter((label) => label !== "");
    return { ...row, labels, paused: isPaused(row.name), noAnswer: silenceView(unanswered.get(row.name)) };
  });
  return { now, targets };
}

function silenceView(silence: Unanswered | undefined): object | undefined {
  return silence && { since: seconds(silence.since), visits: silence.visits, nextTry: seconds(silence.next) };
}
