import type { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import { parameterRequired } from "../device-messages.js";
import { type Reply, success } from "../http/reply.js";
import { type ApiRequest, param } from "../http/request.js";
import { parseCommand } from "../ops/handle-operation.js";
import { child } from "../state/system-facts.js";

/** `type=user-id`: login and logout of users, and tags of addresses. */
export function handleUserId(device: LabDevice, request: ApiRequest): Reply {
  const command = param(request, "cmd");
  if (command === undefined) throw parameterRequired("cmd");
  const message = parseCommand(command);
  // Some clients put the payload inside the type.
  const payload = child(message, "payload") ?? child(child(message, "type"), "payload");
  for (const change of payload?.children ?? []) {
    for (const entry of change.children) apply(device, change.tag, entry);
  }
  return success(undefined, ["<result><uid-response><version>2.0</version><payload/></uid-response></result>"]);
}

function apply({ userMappings: { users, tags } }: LabDevice, change: string, entry: TreeNode): void {
  const ip = entry.attributes?.get("ip") ?? "";
  const members = (child(entry, "tag")?.children ?? []).map((member) => member.text);
  if (change === "login") users.set(ip, entry.name ?? "");
  else if (change === "logout") users.delete(ip);
  else if (change === "register") tags.set(ip, new Set([...(tags.get(ip) ?? []), ...members]));
  else if (change === "unregister") {
    const kept = [...(tags.get(ip) ?? [])].filter((tag) => members.length > 0 && !members.includes(tag));
    if (kept.length === 0) tags.delete(ip);
    else tags.set(ip, new Set(kept));
  }
}
