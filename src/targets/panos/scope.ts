import { Path } from "../../core/tree/path.js";

const config = Path.root.child("config");

/** A firewall and its manager have exactly one device entry, always of this name. */
export const deviceEntry = config.child("devices").entry("localhost.localdomain");

/** The switch without which a firewall does not judge IPv6. */
export const IPV6_FIREWALLING = deviceEntry.child("deviceconfig").child("setting").child("session").child("ipv6-firewalling");

/** The words that `scope:` may say, for messages and editors. */
export const scopeWords = ["vsysN", "shared", "device", "template/NAME", "template-stack/NAME", "device-group/NAME"] as const;

/** The path that a scope word means (docs/desired-state.md#a-document), or undefined for a word that means none. */
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

/** The scope word of a path, the inverse of `scopePath`; undefined where only `at:` can say it. */
export function scopeWord(path: Path): string | undefined {
  if (path.equals(config.child("shared"))) return "shared";
  if (path.equals(deviceEntry)) return "device";
  const { name, parent } = path;
  if (path.tag !== "entry" || name === undefined || parent?.parent === undefined || !parent.parent.equals(deviceEntry)) return undefined;
  const word = parent.tag === "vsys" ? name : `${parent.tag}/${name}`;
  return scopePath(word)?.equals(path) === true ? word : undefined;
}
