import type { ContrailClient } from "../client/client.js";
import { requireUuid } from "../client/objects.js";
import { repeatablePost } from "../client/request.js";

/** Objects that each controller creates when it is installed, with a random uuid. Every role can read the domain. */
const FIRST_OBJECTS = [
  { type: "domain", fq_name: ["default-domain"] },
  { type: "global-system-config", fq_name: ["default-global-system-config"] },
];

/** Returns names that only this controller has. Empty if the account may read none of its first objects. */
export async function controllerIds(client: ContrailClient): Promise<readonly string[]> {
  const replies = await Promise.all(FIRST_OBJECTS.map((object) => client.send(repeatablePost("/fqname-to-id", object))));
  return replies.flatMap((reply, index) => {
    const { type = "" } = FIRST_OBJECTS[index] ?? {};
    return reply.kind === "done" ? [`${type} ${requireUuid(client, type, reply.json)}`] : [];
  });
}
