import { escapeValue } from "../../../core/tree/xml/escape.js";
import type { LockKind } from "../access/locks.js";
import { dateTime } from "../clock.js";
import { invalidVsys, vsysNotProvided } from "../device-messages.js";
import { type Reply, result } from "../http/reply.js";
import { isManager, isScope } from "../state/device-groups.js";
import type { OperationCall, OperationTable } from "./operation.js";
import { fields, textAt } from "./operation.js";

export const LOCK_OPERATIONS: OperationTable = {
  "show/config-locks": { needs: "locks", run: (call) => show(call, "config") },
  "show/commit-locks": { needs: "locks", run: (call) => show(call, "commit") },
  "request/config-lock/add": { needs: "locks", run: (call) => add(call, "config") },
  "request/commit-lock/add": { needs: "locks", run: (call) => add(call, "commit") },
  "request/config-lock/remove": { needs: "locks", run: (call) => remove(call, "config") },
  "request/commit-lock/remove": { needs: "locks", run: (call) => remove(call, "commit") },
};

/** Since 9.1, the vsys is a required argument. */
function show(call: OperationCall, kind: LockKind): Reply {
  const { device, node, vsys } = call;
  const scope = textAt(node, "vsys") ?? vsys;
  if (scope === undefined || scope === "") throw vsysNotProvided();
  const entries = device.locks.list(kind, scope).map((lock) => {
    const created = dateTime(lock.created);
    const rows = fields([
      ["name", lock.scope],
      ["type", typeOf(call, lock.scope)],
      ["created", created],
      ["last-activity", created],
      ["loggedin", "yes"],
    ]);
    return `<entry name="${escapeValue(lock.owner)}">${rows}<comment><![CDATA[${lock.comment.replaceAll("]]>", "]] >")}]]></comment></entry>`;
  });
  return result(`<${kind}-locks>${entries.join("")}</${kind}-locks>`);
}

function typeOf({ device }: OperationCall, scope: string): string {
  if (scope === "shared") return "shared";
  return isManager(device.running) ? "device-group" : "vsys";
}

function add(call: OperationCall, kind: LockKind): Reply {
  const { device, admin, node } = call;
  const scope = scopeOf(call);
  device.locks.add({ kind, scope, owner: admin.name, comment: textAt(node, "comment") ?? "", created: device.clock.now() });
  return textReply(`Successfully acquired lock for scope ${scope}`);
}

function remove(call: OperationCall, kind: LockKind): Reply {
  const { device, admin, node } = call;
  const scope = scopeOf(call);
  device.locks.remove(kind, scope, textAt(node, "admin") ?? admin.name, admin.name, admin.role.kind === "superuser");
  return textReply(`${kind === "config" ? "Config" : "Commit"} lock released for scope ${scope}`);
}

function scopeOf({ device, vsys = "shared" }: OperationCall): string {
  if (!isScope(device.running, vsys)) throw invalidVsys(vsys);
  return vsys;
}

function textReply(text: string): Reply {
  return result(`<msg><line>${text}</line></msg>`);
}
