import type { Json, JsonObject } from "../world/json.js";
import type { Attribute, Attributes } from "./attributes.js";
import { flag, integer } from "./checks.js";
import { badRequest, type NetworkKind } from "./errors.js";
import { hasFixedIp } from "./ports.js";

/** Query parameters that do not filter. */
const OTHERS = new Set(["fields", "limit", "marker", "page_reverse", "sort_key", "sort_dir"]);
const TAG_FILTERS = new Set(["tags", "tags-any", "not-tags", "not-tags-any"]);

/** Attributes that the service does not accept as filters. */
const NO_FILTERS: Readonly<Partial<Record<NetworkKind, ReadonlySet<string>>>> = {
  network: new Set([
    ...["availability_zone_hints", "availability_zones", "ipv4_address_scope", "ipv6_address_scope", "l2_adjacency"],
    ...["port_security_enabled", "qos_policy_id", "subnets"],
  ]),
  subnet: new Set(["allocation_pools", "dns_nameservers", "host_routes", "prefixlen", "service_types"]),
  subnetpool: new Set(["prefixes"]),
  port: new Set([
    ...["allowed_address_pairs", "binding:profile", "binding:vif_details", "binding:vif_type", "binding:vnic_type"],
    ...["extra_dhcp_opts", "port_security_enabled", "qos_network_policy_id", "qos_policy_id"],
  ]),
  trunk: new Set(["status", "sub_ports"]),
  router: new Set([
    ...["availability_zone_hints", "availability_zones", "distributed", "external_gateway_info"],
    ...["flavor_id", "ha", "routes", "status"],
  ]),
  security_group: new Set(["stateful"]),
  floatingip: new Set(["port_details", "qos_policy_id", "subnet_id"]),
  address_group: new Set(["addresses"]),
};

/** Returns the objects that match the query. Several values of one name mean any of them; several names mean all. */
export function filter(kind: NetworkKind, objects: readonly JsonObject[], query: URLSearchParams, attributes: Attributes): JsonObject[] {
  const names = [...new Set(query.keys())].filter((name) => !OTHERS.has(name));
  const isFilter = (name: string) => attributes[name] !== undefined && NO_FILTERS[kind]?.has(name) !== true;
  const unknown = names.filter((name) => !isFilter(name) && !TAG_FILTERS.has(name));
  if (unknown.length > 0) throw badRequest(`[${unknown.map((name) => `'${name}'`).join(", ")}] is invalid attribute for filtering`);
  for (const name of names) for (const value of query.getAll(name)) checkValue(value, attributes[name]);
  const tests = names.map((name) => testOf(name, query.getAll(name)));
  return objects.filter((object) => tests.every((test) => test(object)));
}

/** Refuses invalid values for fields with booleans or numbers. */
function checkValue(value: string, attribute: Attribute | undefined): void {
  if (attribute?.check === flag || attribute?.check === integer) attribute.check(value, "");
}

function testOf(name: string, values: readonly string[]): (object: JsonObject) => boolean {
  if (TAG_FILTERS.has(name))
    return tagTest(
      name,
      values.flatMap((value) => value.split(",")),
    );
  const wanted = new Set(values.map(normal));
  if (name === "fixed_ips") return ({ fixed_ips }) => values.every((value) => hasFixedIp(fixed_ips, value));
  return (object) => {
    const value = object[name] ?? null;
    return Array.isArray(value) ? value.some((each) => wanted.has(normal(each))) : wanted.has(normal(value));
  };
}

function tagTest(name: string, tags: readonly string[]): (object: JsonObject) => boolean {
  const has = (object: JsonObject, tag: string): boolean => Array.isArray(object.tags) && object.tags.includes(tag);
  switch (name) {
    case "tags":
      return (object) => tags.every((tag) => has(object, tag));
    case "tags-any":
      return (object) => tags.some((tag) => has(object, tag));
    case "not-tags":
      return (object) => !tags.every((tag) => has(object, tag));
    default:
      return (object) => !tags.some((tag) => has(object, tag));
  }
}

function normal(value: Json): string {
  const text = value === null ? "" : String(value);
  return /^(true|false)$/i.test(text) ? text.toLowerCase() : text;
}

/** Returns the fields that `fields=` selects. Unknown fields are ignored. */
export function pick(object: JsonObject, query: URLSearchParams): JsonObject {
  const fields = query.getAll("fields").filter((name) => name !== "");
  if (fields.length === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => fields.includes(name)));
}
