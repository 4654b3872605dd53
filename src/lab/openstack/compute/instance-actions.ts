import { json, type ServiceReply } from "../http/reply.js";
import type { AuthenticatedRequest } from "../http/request.js";
import { owns } from "../world/requester.js";
import { itemNotFound } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";

interface InstanceAction {
  readonly action: string;
  readonly request_id: string;
  readonly user_id: string;
  readonly project_id: string | undefined;
  readonly start_time: string;
  /** Reason for a failure. */
  details?: string;
}

/** First minor version that also reports on deleted servers. */
const DELETED_SINCE = 21;

/** Actions on each server with their users, oldest first. They remain when the server is deleted. */
export class InstanceActions {
  readonly #actions = new Map<string, InstanceAction[]>();

  note(server: string, action: string, { requester, requestId }: AuthenticatedRequest, now: number): void {
    const { userId, projectId } = requester;
    const start_time = new Date(now).toISOString().replace("Z", "000");
    const done = { action, request_id: requestId, user_id: userId, project_id: projectId, start_time };
    this.#actions.set(server, [...(this.#actions.get(server) ?? []), done]);
  }

  /** Marks the last action as failed. */
  fail(server: string, details: string): void {
    const last = this.#actions.get(server)?.at(-1);
    if (last !== undefined) last.details = details;
  }

  /** Returns the actions on a server, newest first. */
  of(server: string): readonly InstanceAction[] {
    return [...(this.#actions.get(server) ?? [])].reverse();
  }
}

/** First minor version whose events contain the reason for a failure. */
const DETAILS_SINCE = 84;

/** `GET /servers/ID/os-instance-actions` and `…/REQUEST` */
export function listInstanceActions({ request, view, path }: ComputeCall, id: string): ServiceReply {
  const { compute } = view.world;
  const isDeleted = compute.deleted(request.requester.projectId).some((server) => server.id === id);
  if (isDeleted && view.version < DELETED_SINCE) throw itemNotFound(`Instance ${id} could not be found.`);
  const projectId = isDeleted ? request.requester.projectId : compute.get(id, request.requester).projectId;
  if (projectId === undefined || !owns(request.requester, projectId)) throw itemNotFound(`Instance ${id} could not be found.`);
  const actions = compute.actions.of(id).map(({ details, ...action }) => ({
    action: { ...action, instance_uuid: id, message: details === undefined ? null : "Error" },
    details,
  }));
  if (path[3] === undefined) return json(200, { instanceActions: actions.map(({ action }) => action) });
  const one = actions.find(({ action }) => action.request_id === path[3]);
  if (one === undefined) throw itemNotFound(`Action for request_id ${path[3]} on instance ${id} not found`);
  const result = one.details === undefined ? "Success" : "Error";
  const event = { event: `compute_${one.action.action}_instance`, result, start_time: one.action.start_time, finish_time: null };
  const events = [{ ...event, ...(view.version >= DETAILS_SINCE ? { details: one.details ?? null } : {}) }];
  return json(200, { instanceAction: { ...one.action, events } });
}
