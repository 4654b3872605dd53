import { empty, type ServiceReply } from "../http/reply.js";
import { isObject } from "../world/json.js";
import { badRequest } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";
import { refuseUnfit, type Server } from "./server.js";

/** What an action does; what it is called in what was done to a server. */
interface Action {
  readonly noted: string;
  act(call: ComputeCall, server: Server): void;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  "os-start": { noted: "start", act: (call, server) => switched(call, server, ["stopped"], "active", "powering-on") },
  "os-stop": { noted: "stop", act: (call, server) => switched(call, server, ["active", "error"], "stopped", "powering-off") },
  pause: { noted: "pause", act: (call, server) => switched(call, server, ["active"], "paused", "pausing") },
  unpause: { noted: "unpause", act: (call, server) => switched(call, server, ["paused"], "active", "unpausing") },
  lock: { noted: "lock", act: (_call, server) => (server.isLocked = true) },
  unlock: { noted: "unlock", act: (_call, server) => (server.isLocked = false) },
};

/** `POST /servers/<id>/action` */
export function act(call: ComputeCall, server: Server): ServiceReply {
  const { request, view } = call;
  const [name = ""] = isObject(request.body) ? Object.keys(request.body) : [];
  const action = ACTIONS[name];
  if (action === undefined) throw badRequest(`There is no such action: ${name}`);
  action.act(call, server);
  view.world.compute.actions.note(server.id, action.noted, request, view.world.clock.now());
  return empty(202);
}

function switched(
  { request, view }: ComputeCall,
  server: Server,
  from: readonly Server["vmState"][],
  to: Server["vmState"],
  taskState: string,
): void {
  const { compute } = view.world;
  const name = Object.keys(request.body as object)[0]?.replace("os-", "") ?? "";
  refuseUnfit(server, request.requester, name, from);
  compute.begin(server, taskState, compute.actionDuration, () => {
    server.vmState = to;
  });
}
