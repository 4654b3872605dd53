import type { Cloud } from "./cloud.js";
import { listOf } from "./cloud-documents.js";

const PATHS = { networks: "/v2.0/networks", security_groups: "/v2.0/security-groups", servers: "/v2.1/servers" } as const;
const WORDS = { networks: "network", security_groups: "security_group", servers: "server" } as const;

/** Another user changes the description of the named object, or creates it if it is missing; without a value, deletes it. */
export function meddleIn(cloud: Cloud, name: string, value: string | undefined): void {
  const list = listOf(name);
  const service = list === "servers" ? "compute" : "network";
  const [id] = [...cloud.standing()].find(([, each]) => each.list === list && each.name === name) ?? [];
  if (value === undefined) {
    if (id !== undefined) cloud.act(service, "DELETE", `${PATHS[list]}/${id}`);
  } else if (list !== "servers") {
    const body = { [WORDS[list]]: { name, description: value } };
    if (id === undefined) cloud.act(service, "POST", PATHS[list], body);
    else cloud.act(service, "PUT", `${PATHS[list]}/${id}`, body);
  }
}
