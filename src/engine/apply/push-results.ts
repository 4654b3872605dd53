import { PlumblineError, type Severity } from "../../core/errors.js";
import { UNPUSHED } from "../../guards/unpushed.js";
import {
  behind,
  formatFirewallDifferences,
  type ManagedFirewall,
  type PushedFirewall,
  serialsOf,
} from "../../outcome/managed-firewalls.js";
import type { PushWave } from "../../plan/model.js";
import { isDue, lackingIn } from "../pass/push-order.js";
import { excludesUnpushed } from "../pass/unpushed-commits.js";
import type { PushResult } from "../write-target.js";
import type { PushWork } from "./push-work.js";

/**
 * Fails if a firewall refused the push or did not report in time. Later waves stay unchanged.
 * @throws PlumblineError `push-failed`, `push-unknown`
 */
export function refuseFailed(work: PushWork): void {
  const done = [...work.results.values()];
  const failed = done.filter(({ result }) => result === "failed" || result === "missing");
  if (failed.length > 0) throw pushFailure(work, "push-failed", "did not take it", failed, "partial");
  const open = done.filter(({ result }) => result === "unknown");
  if (open.length > 0) throw pushFailure(work, "push-unknown", "did not confirm the push in time", open, "partial");
}

/**
 * Fails if a firewall took the push and is not in sync. The firewall reverted it, or another administrator has committed since.
 * @throws PlumblineError `push-failed`, `push-unknown`
 */
export function refuseNotArrived(work: PushWork, done: readonly PushedFirewall[], rows: readonly ManagedFirewall[]): void {
  const late = serialsOf(behind({ watched: true, rows }).filter(({ lacksOnlyOf }) => lacksOnlyOf === undefined));
  const reconnected = done.filter(({ serial, result }) => result === "ok" && late.has(serial));
  const others = new Map(
    rows.flatMap(({ serial, handed }) => (handed?.state === "differs" ? [[serial, formatFirewallDifferences(handed)] as const] : [])),
  );
  const odd = reconnected.filter(({ serial }) => others.has(serial)).map((each) => ({ ...each, lines: [others.get(each.serial) ?? ""] }));
  if (odd.length > 0)
    throw pushFailure(work, "push-failed", "accepted it and differs from the manager's running configuration", odd, "partial");
  const silent = new Map(rows.flatMap(({ serial, handed }) => (handed?.state === "unknown" ? [[serial, handed.why ?? ""] as const] : [])));
  const open = reconnected.filter(({ serial }) => silent.has(serial)).map((each) => ({ ...each, lines: [silent.get(each.serial) ?? ""] }));
  if (open.length > 0) throw pushFailure(work, "push-unknown", "accepted it and did not report its configuration", open, "partial");
  if (reconnected.length > 0) throw pushFailure(work, "push-failed", "took it and is not in sync", reconnected, "partial");
}

/** Returns a warning about firewalls that wait for a canary that did not get the push. */
export function heldWords(waves: readonly PushWave[], rows: readonly ManagedFirewall[]): string[] {
  const at = waves.findIndex((wave) => wave.canary && lackingIn(wave, rows).length > 0);
  const wave = waves[at];
  if (wave === undefined) return [];
  const [first] = lackingIn(wave, rows);
  const waiting = serialsOf(waves.slice(at + 1).flatMap((each) => lackingIn(each, rows).filter(isDue)));
  if (first === undefined || waiting.size === 0) return [];
  const why = first.connected ? "is not known to be in sync" : "is not connected";
  const words = `${waiting.size} ${waiting.size === 1 ? "firewall waits" : "firewalls wait"}`;
  return [`${words} for the canary ${first.hostname ?? first.serial}, which ${why}`];
}

/** Returns the error that ends a push, with the number of firewalls that were not pushed to. */
export function pushFailure(
  { session, results }: PushWork,
  code: "push-refused" | "push-failed" | "push-unknown",
  what: string,
  firewalls: readonly PushResult[],
  severity: Severity,
): PlumblineError {
  const [first] = firewalls;
  const why = first === undefined ? [] : first.result === "missing" ? ["its job has no result for it"] : first.lines;
  const words = `${firewalls.map(({ serial }) => serial).join(", ")} ${what}${why.length === 0 ? "" : `: ${why.join(" ")}`}`;
  const left = [...results.values()].filter(({ result }) => result === "not pushed").length;
  const rest = left === 0 ? "" : ` (${left} more ${left === 1 ? "was" : "were"} not pushed to)`;
  const all = code === "push-refused" && excludesUnpushed(session.context) ? ` --allow ${UNPUSHED} pushes all once.` : "";
  const next = `${NEXT[code]}${all}`;
  return new PlumblineError(code, `${words}${rest}`, {
    where: { target: session.target.name },
    next: first?.job === "" || first === undefined ? next : `See job ${first.job} on the manager. ${next}`,
    severity,
  });
}

const NEXT = {
  "push-refused": "Fix the problems that the firewalls report, and run again. Nothing was pushed.",
  "push-failed": "Fix the problems that the firewalls report, and run again. Firewalls that have the change keep it.",
  "push-unknown": "Run again: the manager's state is read before anything is pushed.",
};
