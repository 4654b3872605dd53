import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Identity } from "../../plan/platform.js";
import type { PanosClient } from "./client/client.js";
import { showSystemInfo } from "./client/commands.js";
import { descend, textOf } from "./client/reply.js";

export type SystemInfo = ReadonlyMap<string, string>;

/** Fields of the specification, in its order. A pair contains the names of one field in the specification and on devices. */
const FIELDS: readonly (string | readonly [string, string])[] = [
  ...["hostname", "ip-address", "netmask", "default-gateway", "ipv6-address", "ipv6-link-local-address", "ipv6-default-gateway"],
  ...["mac-address", "time", "uptime", "devicename", "family", "model", "serial", "sw-version"],
  ["remote-client-package-version", "global-protect-client-package-version"],
  ...["app-version", "app-release-date", "av-version", "av-release-date", "threat-version", "threat-release-date"],
  ["analysis-version", "wildfire-version"],
  ["analysis-release-date", "wildfire-release-date"],
  "url-filtering-version",
  ["remote-datafile-version", "global-protect-datafile-version"],
  ["remote-datafile-release-date", "global-protect-datafile-release-date"],
  ...["logdb-version", "platform-family", "logger_mode", "vpn-disable-mode", "operational-mode", "multi-vsys"],
];

/** Reads the system information. Throws if the device does not report it, because every device of the specification does. */
export async function readSystemInfo(client: PanosClient): Promise<SystemInfo> {
  const reply = await client.run(showSystemInfo);
  const system = descend(reply.result, "system");
  if (system === undefined) {
    throw new PlumblineError("system-info-missing", `${client.place.origin} does not identify itself`, {
      where: { target: client.place.target },
      next: "Check that the url is that of a firewall, and that the role permits operational commands.",
    });
  }
  return inSpecificationOrder(flatten(system));
}

/** Orders the fields: first those of the specification, under the device's names, then the rest in the device's order. */
function inSpecificationOrder(fields: ReadonlyMap<string, string>): SystemInfo {
  const known = FIELDS.flatMap((field) => (typeof field === "string" ? [field] : field.slice(0, 2)));
  const ordered = new Map<string, string>();
  for (const name of known) {
    const value = fields.get(name);
    if (value !== undefined) ordered.set(name, value);
  }
  for (const [name, value] of fields) if (!ordered.has(name)) ordered.set(name, value);
  return ordered;
}

/** Collects leaves by name. Nested leaves have a path (`plugin_versions/entry`), and values of equal names are joined. */
function flatten(system: TreeNode): Map<string, string> {
  const fields = new Map<string, string>();
  const walk = (node: TreeNode, prefix: string): void => {
    for (const child of node.children) {
      const name = `${prefix}${child.tag}${child.name === undefined ? "" : `/${child.name}`}`;
      if (child.children.length > 0) walk(child, `${name}/`);
      else fields.set(name, [fields.get(name), textOf(child)].filter((text) => text !== undefined).join(", "));
    }
  };
  walk(system, "");
  return fields;
}

/** Returns the identity of the device. `unknown` and empty values count as missing. */
export function identityOf(info: SystemInfo, role: Identity["role"]): Identity {
  const textOf = (name: string): string | undefined => {
    const value = info.get(name);
    return value === undefined || value === "" || value === "unknown" ? undefined : value;
  };
  return { serial: textOf("serial"), model: textOf("model"), version: textOf("sw-version"), hostname: textOf("hostname"), role };
}
