import { Path } from "../../core/tree/path.js";

const config = Path.root.child("config");

/** A firewall or manager has exactly one device entry, always with this name. */
export const deviceEntry = config.child("devices").entry("localhost.localdomain");

/** Setting without which a firewall does not apply its rules to IPv6. */
export const IPV6_FIREWALLING = deviceEntry.child("deviceconfig").child("setting").child("session").child("ipv6-firewalling");

/** Setting that decides whether a wildcard rule or the first rule wins. */
export const WILDCARDS_IN_ORDER = deviceEntry
  .child("deviceconfig")
  .child("setting")
  .child("management")
  .child("wildcard-topdown-match-mode");

const system = deviceEntry.child("deviceconfig").child("system");

/** Settings that contain the address of the manager: the address itself in older versions, a container in newer ones. */
export const MANAGER_PLACES: readonly Path[] = ["panorama", "panorama-server", "panorama-server-2"].map((tag) => system.child(tag));

/** Settings that decide which addresses the device resolves an FQDN to. */
export const DNS_PLACES: readonly Path[] = [system.child("dns-setting"), deviceEntry.child("network").child("dns-proxy")];

/** Values of `scope:`, for messages and editors. */
export const scopeWords = ["vsysN", "shared", "device", "template/NAME", "template-stack/NAME", "device-group/NAME"] as const;

/** Returns the path of a `scope:` value (docs/desired-state.md#a-document), or undefined for an invalid one. */
export function scopePath(scope: string): Path | undefined {
  if (scope === "shared") return config.child("shared");
  if (scope === "device") return deviceEntry;
  if (/^vsys[1-9]\d*$/.test(scope)) return deviceEntry.child("vsys").entry(scope);
  const slash = scope.indexOf("/");
  const list = scope.slice(0, slash);
  const name = scope.slice(slash + 1);
  if (slash === -1 || name === "") return undefined;
  if (list !== "template" && list !== "template-stack" && list !== "device-group") return undefined;
  return deviceEntry.child(list).entry(name);
}

/** Returns the `scope:` value of a path, the inverse of `scopePath`. Undefined if only `at:` can express the path. */
export function scopeWord(path: Path): string | undefined {
  if (path.equals(config.child("shared"))) return "shared";
  if (path.equals(deviceEntry)) return "device";
  const { name, parent } = path;
  if (path.tag !== "entry" || name === undefined || parent?.parent === undefined || !parent.parent.equals(deviceEntry)) return undefined;
  const word = parent.tag === "vsys" ? name : `${parent.tag}/${name}`;
  return scopePath(word)?.equals(path) === true ? word : undefined;
}
