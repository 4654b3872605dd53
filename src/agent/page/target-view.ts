import { PlumblineError } from "../../core/errors.js";
import type { PageRole } from "../../desired/configuration/page-settings.js";
import { endingText, endState, type RuleEnd } from "../../desired/rule-end.js";
import type { CurrentAssertions } from "../../outcome/assertion.js";
import { type HistoryEntry, type HistoryQuery, historyKinds } from "../../outcome/history.js";
import type { Level } from "../../outcome/levels.js";
import { formatTime } from "../../plan/diff/change.js";
import type { OpenDrift, Store } from "../store/store.js";
import type { Controls } from "./controls.js";
import { commitView } from "./fleet.js";
import { type FleetRow, packRow, seconds } from "./fleet-row.js";
import { flagsOfPlan } from "./refused-plan.js";
import type { DriftView, ErrorView, HistoryRowView, HistoryView, PassView, PlanView, TargetView } from "./view.js";

type Memory = Pick<Store, "drift" | "history" | "plans" | "holds" | "approvals">;

/** Rows per page of history. */
const PAGE = 30;
/** Number of recent passes in which the passes of the drift and of the plan are searched. */
const PASSES = 10;
/** Number of end dates in a view. */
const MOST_ENDS = 6;

/** Rights of the user, and settings of the target. */
interface Asking {
  readonly may: readonly PageRole[];
  readonly seenBy: string;
  /** Plans of the target need an approval. */
  readonly approve: boolean;
  /** Rules whose end date has passed or is near. */
  readonly ends: readonly RuleEnd[];
  /** Today, yyyy-mm-dd. */
  readonly today: string;
}

/** Returns all data of the store about one target. */
export async function targetView(row: FleetRow, store: Memory, { may, seenBy, approve, ends, today }: Asking): Promise<TargetView> {
  const target = row.name;
  const [drift, passes, plans, hold] = await Promise.all([
    store.drift.open(target),
    store.history.find({ target, kinds: ["pass"], limit: PASSES }),
    store.history.find({ target, kinds: ["plan"], limit: 1 }),
    store.holds.get(target),
  ]);
  const [pass] = passes.entries;
  const commitOf = (is: (detail: HistoryEntry["detail"]) => boolean): string => {
    const commit = passes.entries.find(({ detail }) => is(detail))?.detail.commit;
    return typeof commit === "string" ? commit : "";
  };
  return {
    row: packRow(row),
    drift: drift.map(driftView),
    driftCommit: commitOf((detail) => detail.pass === "drift"),
    plan: await planOf(target, plans.entries[0], { store, approve, mode: row.mode, commitOf }),
    assertions: assertionsOf(passes.entries),
    unmanaged: passes.entries.map(({ detail }) => detail.unmanaged).find((count) => typeof count === "number"),
    levels: levelsSeen(passes.entries),
    pass: pass === undefined ? undefined : passView(pass),
    hold: hold === undefined ? undefined : { reason: hold.reason, attempts: hold.attempts, nextTry: seconds(hold.nextTry) },
    ends: endsView(ends, today),
    warnings: [],
    may,
    seenBy,
  };
}

/** Returns the result of the newest pass that judged assertions. A pass that failed earlier contains none. */
function assertionsOf(passes: readonly HistoryEntry[]): TargetView["assertions"] {
  const pass = passes.find(({ detail }) => detail.asserted !== undefined);
  const asserted = pass?.detail.asserted as CurrentAssertions | null | undefined;
  if (pass === undefined || asserted === null || asserted === undefined) return undefined;
  const { commit } = pass.detail;
  return { ...asserted, judged: seconds(pass.ended ?? pass.at), commit: typeof commit === "string" ? commit : "" };
}

/** Returns the levels of the newest pass that read them. A pass that failed earlier contains none. */
function levelsSeen(passes: readonly HistoryEntry[]): TargetView["levels"] {
  const pass = passes.find(({ detail }) => detail.levels !== undefined);
  return pass === undefined ? undefined : { seen: seconds(pass.ended ?? pass.at), all: pass.detail.levels as readonly Level[] };
}

function endsView(ends: readonly RuleEnd[], today: string): TargetView["ends"] {
  if (ends.length === 0) return undefined;
  const first = ends.slice(0, MOST_ENDS).map((end) => {
    return { text: endingText(end), until: end.until, isOver: endState(end, today) === "expired" };
  });
  return { first, count: ends.length };
}

interface PlanParts {
  readonly store: Memory;
  readonly approve: boolean;
  readonly mode: string;
  /** Returns the commit of the newest pass that meets the condition. Empty if none of the recent passes does. */
  readonly commitOf: (is: (detail: HistoryEntry["detail"]) => boolean) => string;
}

async function planOf(
  target: string,
  entry: HistoryEntry | undefined,
  { store, approve, mode, commitOf }: PlanParts,
): Promise<TargetView["plan"]> {
  const digest = entry?.detail.digest;
  if (typeof digest !== "string") return undefined;
  const plan = await store.plans.get(target, digest);
  if (plan === undefined) return undefined;
  const json = plan.json === undefined ? undefined : (JSON.parse(plan.json) as PlanView);
  const writes = plan.operations > 0 || plan.commitOnly;
  const flags = mode === "enforce" ? flagsOfPlan(plan) : undefined;
  const waitsForApproval = approve && writes && (await store.approvals.get(target, digest)) === undefined;
  return { planned: seconds(plan.planned), digest, json, commit: commitOf((detail) => detail.digest === digest), waitsForApproval, flags };
}

function driftView({ view, path, change, author, authorTime, firstSeen }: OpenDrift): DriftView {
  const shown = typeof view === "object" && view !== null ? (view as Partial<DriftView>) : {};
  return { ...shown, kind: change, xpath: path, author, authorTime: formatTime(authorTime), firstSeen: seconds(firstSeen) };
}

function passView({ at, ended, outcome, summary, detail }: HistoryEntry): PassView {
  return {
    at: seconds(ended ?? at),
    outcome: outcome ?? "running",
    summary,
    commit: typeof detail.commit === "string" ? detail.commit : "",
    error: errorOf(detail.error),
  };
}

function errorOf(error: unknown): ErrorView | undefined {
  if (typeof error !== "object" || error === null || !("code" in error) || !("message" in error)) return undefined;
  const { code, message } = error;
  const next = "next" in error && typeof error.next === "string" ? error.next : undefined;
  return { code: String(code), message: String(message), next };
}

/** Returns one page of the history of one or all targets, newest first. */
export async function historyView(
  store: Pick<Store, "history">,
  controls: Pick<Controls, "describe">,
  query: Omit<HistoryQuery, "limit" | "path">,
): Promise<HistoryView> {
  const { entries, next } = await store.history.find({ ...query, kinds: query.kinds ?? SHOWN, limit: PAGE });
  return { rows: await Promise.all(entries.map((entry) => historyRow(entry, controls))), next: next ?? "" };
}

/** Kinds of rows that are shown by default. Skipped passes are most of a history, and `checked` contains their information. */
const SHOWN = historyKinds.filter((kind) => kind !== "skip");

async function historyRow(entry: HistoryEntry, controls: Pick<Controls, "describe">): Promise<HistoryRowView> {
  const id = entry.kind === "commit" && typeof entry.detail.commit === "string" ? entry.detail.commit : "";
  const commit = id === "" ? undefined : ((await commitView(id, controls)) ?? { id, author: "", at: 0, message: "" });
  return {
    id: entry.id,
    kind: entry.kind,
    at: seconds(entry.at),
    ended: seconds(entry.ended),
    target: entry.target ?? "",
    path: entry.path ?? "",
    author: entry.author ?? "",
    outcome: entry.outcome ?? "",
    summary: entry.summary,
    commit,
  };
}

/** Parses the query of a history request. @throws PlumblineError `option-invalid` */
export function historyQuery(query: URLSearchParams): Pick<HistoryQuery, "author" | "kinds" | "since" | "until" | "cursor"> {
  const kind = query.get("kind") || undefined;
  const kinds = kind === undefined ? undefined : historyKinds.filter((each) => each === kind);
  if (kinds?.length === 0) throw invalid(`"${kind}" is not a kind of history row`, `Name one of ${historyKinds.join(", ")}.`);
  return {
    author: query.get("person") || undefined,
    kinds,
    since: timeIn(query, "since"),
    until: timeIn(query, "until"),
    cursor: query.get("cursor") || undefined,
  };
}

function timeIn(query: URLSearchParams, name: "since" | "until"): number | undefined {
  const text = query.get(name) || undefined;
  if (text !== undefined && !/^\d{1,11}$/.test(text)) throw invalid(`${name} is "${text}"`, "Give seconds since 1970.");
  return text === undefined ? undefined : Number(text) * 1000;
}

function invalid(message: string, next: string): PlumblineError {
  return new PlumblineError("option-invalid", message, { next });
}
