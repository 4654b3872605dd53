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
}

/** From this minor version on servers that are gone are told of, too. */
const TELLS_OF_DELETED = 21;

/** What was done to each server and by whom, oldest first; kept when the server is gone. */
export class InstanceActions {
  readonly #actions = new Map<string, InstanceAction[]>();

  note(server: string, action: string, { requester, requestId }: AuthenticatedRequest, now: number): void {
    const { userId, projectId } = requester;
    const start_time = new Date(now).toISOString().replace("Z", "000");
    const done = { action, request_id: requestId, user_id: userId, project_id: projectId, start_time };
    this.#actions.set(server, [...(this.#actions.get(server) ?? []), done]);
  }

  /** Newest first. */
  of(server: string): readonly InstanceAction[] {
    return [...(this.#actions.get(server) ?? [])].reverse();
  }
}

/** `GET /servers/ID/os-instance-actions` */
export function listInstanceActions({ request, view }: ComputeCall, id: string): ServiceReply {
  const { compute } = view.world;
  const gone = compute.deleted(request.requester.projectId).some((server) => server.id === id);
  if (gone && view.version < TELLS_OF_DELETED) throw itemNotFound(`Instance ${id} could not be found.`);
  const projectId = gone ? request.requester.projectId : compute.get(id, request.requester).projectId;
  if (projectId === undefined || !owns(request.requester, projectId)) throw itemNotFound(`Instance ${id} could not be found.`);
  const actions = compute.actions.of(id).map((action) => ({ ...action, instance_uuid: id, message: null }));
  return json(200, { instanceActions: actions });
}
