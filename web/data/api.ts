import type { AccessTargets, AuditView, FleetView, HistoryView, SessionView, StaticView, TargetView } from "../../src/agent/page/view.ts";
import { askedFor, type HistoryFilter } from "./history-filter.ts";
import { readShown } from "./visible.ts";

/** Error reply of the agent, with a message for the user. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Data of a static report. Undefined if an agent serves the page. */
export const embedded: StaticView | undefined = readEmbedded();

function readEmbedded(): StaticView | undefined {
  const text = document.getElementById("data")?.textContent;
  return text === undefined || text === null ? undefined : readShown<StaticView>(text);
}

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const reply = await fetch(path, { credentials: "same-origin", ...init }).catch(() => {
    throw new Refused(0, "offline", "The agent does not answer.");
  });
  const body = await reply
    .text()
    .then((text) => readShown<{ error?: { code: string; message: string } }>(text))
    .catch(() => ({}) as { error?: { code: string; message: string } });
  if (reply.ok) return body as T;
  throw new Refused(reply.status, body.error?.code ?? "error", body.error?.message ?? `The agent answered ${reply.status}.`);
}

export async function getFleet(): Promise<FleetView> {
  return embedded?.fleet ?? (await ask<FleetView>("api/fleet"));
}

export async function getTarget(name: string): Promise<TargetView> {
  if (embedded === undefined) return await ask<TargetView>(`api/target?${new URLSearchParams({ name })}`);
  const found = embedded.targets[name];
  if (found === undefined) throw new Refused(404, "target-unknown", "There is no such target in this report.");
  return found;
}

export async function getHistory(filter: HistoryFilter, cursor: string): Promise<HistoryView> {
  const query = new URLSearchParams({ ...askedFor(filter), ...(cursor === "" ? {} : { cursor }) });
  return await ask<HistoryView>(`api/history?${query}`);
}

export async function getAudit(): Promise<AuditView> {
  return embedded?.audit ?? (await ask<AuditView>("api/audit"));
}

export async function getAccessTargets(): Promise<AccessTargets> {
  return await ask<AccessTargets>("api/access");
}

export const NOBODY: SessionView = {
  name: "",
  csrf: "",
  canSignIn: false,
  takes: { token: false, name: false },
  provider: "",
  askAgain: false,
  may: [],
  seesNothing: false,
};

export async function getSession(): Promise<SessionView> {
  return embedded === undefined ? await ask<SessionView>("api/session") : NOBODY;
}

/** Redirects to the provider, which returns to the current location. */
export function askProvider(): void {
  location.assign(`login/start?${new URLSearchParams({ back: location.hash })}`);
}

export async function post<T>(name: string, body: Readonly<Record<string, unknown>>, csrf: string): Promise<T> {
  const headers = { "content-type": "application/json", ...(csrf === "" ? {} : { "x-csrf-token": csrf }) };
  return await ask<T>(`api/${name}`, { method: "POST", headers, body: JSON.stringify(body) });
}
