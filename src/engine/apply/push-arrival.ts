import { type ManagedFirewall, serialsOf } from "../../outcome/managed-firewalls.js";
import type { DueWave } from "../pass/push-order.js";
import { knowingWhose } from "../pass/whose-is-missing.js";
import { jobProgress, ourAccounts } from "./apply-session.js";
import { asPlumblineError } from "./errors.js";
import { PREFIX, VALIDATION } from "./push-part.js";
import { refuseNotArrived } from "./push-results.js";
import type { PushWork } from "./push-work.js";

/** Returns the state that the manager reports, with the results that firewalls reported for the version that they have. */
export async function readFirewallState({ read, draft, handed, session }: PushWork): Promise<readonly ManagedFirewall[]> {
  const firewalls = (await read()).map((row) => {
    const known = handed.get(rowKey(row));
    return known === undefined || known.version !== row.version ? row : { ...row, handed: known.handed };
  });
  const rows = await knowingWhose(session.target, firewalls, session.context, ourAccounts(session));
  draft.firewalls = { watched: true, rows };
  return rows;
}

/**
 * Returns the state after a wave. Also queries each firewall of the wave that took the push, unless the configuration trusts the manager's
 * report.
 */
export async function arrivalOf(work: PushWork, wave: DueWave): Promise<readonly ManagedFirewall[]> {
  const rows = await readFirewallState(work);
  if (work.session.context.configuration.push?.arrival === "manager") return rows;
  const serials = serialsOf(wave.rows);
  const taken = rows.filter(({ serial, state }) => state === "in sync" && serials.has(serial) && work.results.get(serial)?.result === "ok");
  work.session.warnings.push(...taken.filter(({ connected }) => !connected).map(disconnectedText));
  return await verified(work, taken);
}

/**
 * Verifies the firewalls of our last push before any other firewall is pushed to. The run that sent the push may have been killed before it
 * verified them, or may have ended for another reason.
 * @throws PlumblineError `push-failed`, `push-unknown`
 */
export async function refuseLastPush(work: PushWork): Promise<void> {
  const { pushes, session } = work;
  if (session.context.configuration.push?.arrival === "manager") return;
  const ours = (await pushes.jobs(PREFIX)).filter(({ description }) => description.startsWith(PREFIX));
  const last = ours.sort((a, b) => Number(b.job) - Number(a.job))[0];
  if (last === undefined || last.description.startsWith(VALIDATION)) return;
  const taken = (await pushes.watch(last.job, undefined, jobProgress(session, "looking at the last push"))).filter(
    ({ result }) => result === "ok",
  );
  const serials = new Set(taken.map(({ serial }) => serial));
  const rows = (work.draft.firewalls?.rows ?? []).filter(({ serial, state }) => state === "in sync" && serials.has(serial));
  // Firewalls that lack other versions too get them from this run.
  const firewalls = new Set(rows.map(rowKey));
  const judged = (await verified(work, rows)).filter((row) => firewalls.has(rowKey(row)));
  const done = taken.filter(({ serial }) => rows.some((row) => row.serial === serial)).map((each) => ({ ...each, wave: 1 }));
  refuseNotArrived(work, done, judged);
}

/** Verifies all firewalls that were not verified in this run, and reads the local configuration of all of them. */
export async function verifyRest(work: PushWork): Promise<void> {
  const { draft, managed } = work;
  await verified(work, draft.firewalls?.rows.filter(({ handed }) => handed === undefined) ?? []);
  const { rows = [] } = draft.firewalls ?? {};
  try {
    draft.firewalls = { watched: true, rows, inTheWay: await managed.local(rows) };
  } catch (error) {
    draft.firewalls = { watched: true, rows, failure: asPlumblineError(error, work.session.target.name).message };
  }
}

async function verified(work: PushWork, firewalls: readonly ManagedFirewall[]): Promise<readonly ManagedFirewall[]> {
  const { managed, draft, handed, session } = work;
  const found = await managed.verify(firewalls).catch((error: unknown) => {
    const why = asPlumblineError(error, session.target.name).message;
    return firewalls.map((row) => (row.connected ? { ...row, handed: { state: "unknown" as const, differences: [], more: 0, why } } : row));
  });
  for (const row of found) handed.set(rowKey(row), row);
  const rows = (draft.firewalls?.rows ?? []).map((row) => ({ ...row, handed: handed.get(rowKey(row))?.handed ?? row.handed }));
  draft.firewalls = { watched: true, rows };
  return rows;
}

function disconnectedText({ hostname, serial }: ManagedFirewall): string {
  return `${hostname ?? serial} disconnected after the push: its configuration was not read`;
}

function rowKey({ serial, vsys = "", by }: ManagedFirewall): string {
  return [serial, vsys, by].join(" ");
}
