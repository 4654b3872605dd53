import type { Answer, Session } from "../harness/session.js";

type Json = Answer["json"];

/** Fields that differ after a heal although the object is as before. */
const PASSING = new Set(
  "id created_at updated_at revision_number status standard_attr_id progress updated created hostId links device_id binding:vif_details mac_address device_owner attachments OS-EXT-STS:task_state OS-EXT-STS:power_state OS-SRV-USG:launched_at security_group_id port_details router_id port_id attached_at attachment_id metadata addresses port_forwardings".split(
    " ",
  ),
);
const NETWORK_LISTS = ["networks", "subnets", "subnetpools", "routers", "security-groups", "ports", "trunks", "floatingips"];

/** Returns the objects of the project by kind and name, with names instead of ids and without passing fields. */
export async function liveState(user: Session): Promise<Record<string, Json>> {
  const project = await user.projectId();
  const lists: Record<string, Json[]> = {};
  for (const list of NETWORK_LISTS) {
    const objects = await user.list("network", `/v2.0/${list}`, list.replace("-", "_"));
    lists[list] = objects.filter((each) => each.project_id === project && each.name !== "default");
  }
  const servers = await user.request("compute", "GET", "/servers/detail", undefined, "2.26");
  lists.servers = servers.json.servers;
  lists.volumes = await user.list("volumev3", "/volumes/detail", "volumes");
  lists.keypairs = (await user.demand("compute", "GET", "/os-keypairs")).keypairs.map(({ keypair }: Json) => keypair);
  lists.server_groups = (await user.demand("compute", "GET", "/os-server-groups")).server_groups;
  return normalise(lists);
}

/** Returns the fields that differ: `ports/vip.description: "" / "x"`. */
export function stateChanges(before: Record<string, Json>, after: Record<string, Json>): string[] {
  const fieldsOf = (state: Record<string, Json>) =>
    new Map(
      Object.entries(state).flatMap(([where, fields]) =>
        Object.entries(fields).map(([key, value]) => [`${where}.${key}`, JSON.stringify(value)]),
      ),
    );
  const [left, right] = [fieldsOf(before), fieldsOf(after)];
  const keys = [...new Set([...left.keys(), ...right.keys()])].filter((key) => left.get(key) !== right.get(key));
  return keys.map((key) => `${key}: ${left.get(key)} / ${right.get(key)}`);
}

/** Floating IPs have no name: their mark has their key. */
function labelOf(object: Json): string {
  const key = object.tags?.find((tag: string) => tag.startsWith("plumbline:key="));
  return object.name || (key === undefined ? `${object.device_owner ?? ""}@` : key.slice("plumbline:key=".length));
}

function normalise(lists: Record<string, Json[]>): Record<string, Json> {
  const names = new Map(
    Object.values(lists).flatMap((objects) => objects.map((each): [string, string] => [each.id ?? each.name, labelOf(each)])),
  );
  const state: Record<string, Json> = {};
  for (const [list, objects] of Object.entries(lists))
    for (const object of objects) {
      const where = `${list}/${labelOf(object)}${labelOf(object).endsWith("@") ? ` ${names.get(object.network_id)} ${names.get(object.device_id)}` : ""}`;
      // A server that is created again gets new ports, with other addresses.
      const { metadata, ...rest } = where.startsWith("ports/compute:") ? { ...object, fixed_ips: [] } : object;
      state[where] = { ...normal(rest, names), ...(metadata === undefined ? {} : { metadata: userMetadata(metadata) }) };
    }
  return state;
}

const userMetadata = (metadata: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(metadata)
      .filter(([key]) => !key.startsWith("plumbline_"))
      .sort(),
  );

function normal(value: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value))
    return value.map((each) => normal(each, names)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value === "string") return names.get(value) ?? value;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([key]) => !PASSING.has(key));
  // Cinder stores no description as null, and a removed one as an empty text.
  return Object.fromEntries(fields.sort().map(([key, each]) => [key, key === "description" ? (each ?? "") : normal(each, names)]));
}
