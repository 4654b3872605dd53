import type { ContrailClient } from "../client/client.js";
import { readObject, requireUuid } from "../client/objects.js";
import { refusalError } from "../client/refusal.js";
import { repeatablePost } from "../client/request.js";
import type { ContrailType } from "../client/types.js";

/** Name or uuid of an object that no list contains. */
export type Called = { readonly name: readonly string[] } | { readonly uuid: string };

/** Returns the reason why an object exists although no list contains it. Undefined if the object does not exist. */
export async function reasonHidden(client: ContrailClient, type: ContrailType, called: Called): Promise<string | undefined> {
  const uuid = "uuid" in called ? { uuid: called.uuid } : await uuidOf(client, type, called.name);
  if (uuid === undefined) return undefined;
  if ("reason" in uuid) return uuid.reason;
  const result = await readObject(client, type, uuid.uuid);
  if (result.kind === "absent") return undefined;
  return result.kind === "hidden" ? result.refusal.words : "the controller has it, and its list did not show it";
}

async function uuidOf(client: ContrailClient, type: ContrailType, name: readonly string[]) {
  const reply = await client.send(repeatablePost("/fqname-to-id", { type, fq_name: [...name] }));
  if (reply.kind === "done") return { uuid: requireUuid(client, type, reply.json) };
  if (reply.kind === "unchanged" || reply.refusal.reason === "not-found") return undefined;
  if (reply.refusal.reason === "permission") return { reason: reply.refusal.words };
  throw refusalError(reply.refusal, `to look for ${name.join(":")}`, client.place);
}
