import type { PageRole } from "../../desired/configuration/page-settings.js";
import type { HistoryEntry } from "../../outcome/history.js";
import { historyKinds } from "../../outcome/history.js";
import type { OpenDrift, Store } from "../store/store.js";
import { type FleetRow, packRow, seconds } from "./fleet-row.js";
import type { DriftView, ErrorView, HistoryRowView, HistoryView, PassView, PlanView, TargetView } from "./view.js";

type Memory = Pick<Store, "drift" | "history" | "plans" | "holds" | "approvals">;

/** Rows of a page of history. */
const PAGE = 30;

/** Of whoever asks, and of the target. */
interface Asking {
  readonly may: readonly PageRole[];
  readonly seenBy: string;
  /** Its plans are applied only once somebody has approved them. */
  readonly approve: boolean;
}

/** Everything that the store knows of one target. */
export async function targetView(row: FleetRow, store: Memory, { may, seenBy, approve }: Asking): Promise<TargetView> {
  const target = row.name;
  const [drift, passes, plans, hold] = await Promise.all([
    store.drift.open(target),
    store.history.find({ target, kinds: ["pass"], limit: 1 }),
    store.history.find({ target, kinds: ["plan"], limit: 1 }),
    store.holds.get(target),
  ]);
  const [pass] = passes.entries;
  return {
    row: packRow(row),
    drift: drift.map(driftView),
    plan: await planOf(target, plans.entries[0], store, approve),
    pass: pass === undefined ? undefined : passView(pass),
    hold: hold === undefined ? undefined : { reason: hold.reason, attempts: hold.attempts, nextTry: seconds(hold.nextTry) },
    warnings: [],
    may,
    seenBy,
  };
}

async function planOf(target: string, entry: HistoryEntry | undefined, store: Memory, approve: boolean): Promise<TargetView["plan"]> {
  const digest = entry?.detail.digest;
  if (typeof digest !== "string") return undefined;
  const plan = await store.plans.get(target, digest);
  if (plan === undefined) return undefined;
  const json = plan.json === undefined ? undefined : (JSON.parse(plan.json) as PlanView);
  const writes = plan.operations > 0 || plan.commitOnly;
  const waitsForApproval = approve && writes && (await store.approvals.get(target, digest)) === undefined;
  return { planned: seconds(plan.planned), digest, json, waitsForApproval };
}

function driftView({ view, path, change, author, authorTime, firstSeen }: OpenDrift): DriftView {
  const shown = typeof view === "object" && view !== null ? (view as Partial<DriftView>) : {};
  return { ...shown, kind: change, xpath: path, author, authorTime, firstSeen: seconds(firstSeen) };
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

/** One page of what happened to a target, or to all; newest first. */
export async function historyView(
  store: Pick<Store, "history">,
  query: { readonly target?: string | undefined; readonly targets?: readonly string[] | undefined; readonly cursor?: string | undefined },
): Promise<HistoryView> {
  const { entries, next } = await store.history.find({ ...query, kinds: SHOWN, limit: PAGE });
  return { rows: entries.map(historyRow), next: next ?? "" };
}

/** Passes that found nothing are most of a history; what they would tell is in `checked`. */
const SHOWN = historyKinds.filter((kind) => kind !== "skip");

function historyRow(entry: HistoryEntry): HistoryRowView {
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
  };
}
