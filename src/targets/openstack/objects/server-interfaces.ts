import { type JsonObject, objectAt, objectsAt, textAt, texts } from "../../../core/json/value.js";

/**
 * Returns the groups of several ports that should have the same ones, named by `keyOf`. A group that some ports lack is returned with these
 * ports.
 */
export function groupsOfAll(ports: readonly JsonObject[], keyOf: (id: string) => string): string[] {
  const ids = new Set(ports.flatMap(({ security_groups }) => texts(security_groups) ?? []));
  return [...ids].map((id) => {
    const lacking = ports.filter(({ security_groups }) => texts(security_groups)?.includes(id) !== true);
    return lacking.length === 0 ? keyOf(id) : `${keyOf(id)}${NOT_ON}${lacking.map(calledBy).join(", ")})`;
  });
}

/** Whether the port can have security groups. */
export function isSecured({ port_security_enabled }: JsonObject): boolean {
  return port_security_enabled !== false;
}

const NOT_ON = " (not on ";

/** Returns the group of a text from `groupsOfAll`. */
export function groupIn(text: string): string {
  return text.endsWith(")") ? (text.split(NOT_ON)[0] ?? text) : text;
}

function calledBy(port: JsonObject): string {
  return textAt(objectsAt(port, "fixed_ips")[0] ?? {}, "ip_address") ?? textAt(port, "id") ?? "";
}

/** Returns the MAC address of a port. */
export function macOf(port: JsonObject): string | undefined {
  return textAt(port, "mac_address")?.toLowerCase();
}

/** Returns the MAC addresses that a server shows. */
export function macsOf(server: JsonObject): string[] {
  const addresses = objectAt(server, "addresses") ?? {};
  const all = Object.keys(addresses).flatMap((network) => objectsAt(addresses, network));
  return all.flatMap((each) => textAt(each, "OS-EXT-IPS-MAC:mac_addr")?.toLowerCase() ?? []);
}
