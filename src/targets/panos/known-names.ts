import { find } from "../../core/tree/lookup.js";
import { isNetworkOrAddress, isRange } from "../../desired/address-forms.js";
import { checkText } from "../../desired/leaf-types.js";
import type { NameReference } from "../../plan/namespace.js";
import type { KindNames } from "../../plan/unknown-names.js";
import { importedInterfaces } from "./interface-imports.js";
import { deviceEntry } from "./scope.js";

const SHARED = "/config/shared";
const NONE = /^(?:$|a^)/;
const DEFAULT = /^default$/;
const SUITES = /^(?:default|Suite-B-GCM-(?:128|256))$/;

/**
 * Predefined names of each kind of object whose predefined names are all known (docs/contributing/devices/panos.md#names). Names of other kinds
 * (applications, categories, users, certificates …) come from content updates or other sources, so they are not checked.
 */
const PREDEFINED: Readonly<Record<string, RegExp>> = {
  address: NONE,
  "address-group": NONE,
  "external-list": /^panw-/,
  region: /^(?:[A-Z][A-Z0-9]|Reserved\b.*)$/,
  service: /^service-https?$/,
  "service-group": NONE,
  tag: /^Sanctioned$/,
  zone: NONE,
  schedule: NONE,
  "profile-group": NONE,
  virus: DEFAULT,
  spyware: /^(?:default|strict)$/,
  vulnerability: /^(?:default|strict)$/,
  "url-filtering": DEFAULT,
  "file-blocking": /^(?:basic|strict) file blocking$/,
  "wildfire-analysis": DEFAULT,
  "data-filtering": NONE,
  "decryption-profile": DEFAULT,
  "dos-protection": NONE,
  "log-profile": /^(?:default|IoT Security Default Profile)$/,
  "zone-protection-profile": NONE,
  "interface-management-profile": NONE,
  "monitor-profile": DEFAULT,
  // A name without a unit number is a physical or predefined interface.
  interface: /^[^.]*$/,
  "virtual-router": DEFAULT,
  "virtual-wire": /^default-vwire$/,
  vlan: NONE,
  "ike-crypto": SUITES,
  "ipsec-crypto": SUITES,
  "ike-gateway": NONE,
  "ldap-server": NONE,
  "radius-server": NONE,
  "tacplus-server": NONE,
  "kerberos-server": NONE,
  "snmptrap-profile": NONE,
  "email-profile": NONE,
  "syslog-profile": NONE,
  "http-profile": NONE,
};

/** Kinds that rules on a manager refer to, but that exist on its firewalls. */
const OF_FIREWALLS: ReadonlySet<string> = new Set(["zone", "interface"]);

const SYSTEM = deviceEntry.child("deviceconfig").child("system");

/** Names that a firewall knows without a declaration. */
export const panosNames: KindNames = {
  isGiven: (reference) =>
    reference.value.startsWith("$") ||
    /^(?:any|none)$/i.test(reference.value) ||
    reference.kinds.some((kind) => isPredefined(kind, reference)),
  seesEverywhere: (root) => {
    const device = find(root, deviceEntry);
    return device?.children.some(({ tag }) => tag === "device-group" || tag === "template" || tag === "template-stack") === true;
  },
  listed: importedInterfaces,
  isHidden: (object, from) => from.id === SHARED && object.id.includes("/device-group/"),
  pushed: {
    path: SYSTEM,
    isPushed: (tree) => find(tree, SYSTEM)?.children.some(({ tag }) => tag === "panorama" || tag === "panorama-server") === true,
  },
};

function isPredefined(kind: string, { value, path, scope }: NameReference): boolean {
  const predefined = Object.hasOwn(PREDEFINED, kind) ? PREDEFINED[kind] : undefined;
  if (predefined === undefined || predefined.test(value)) return true;
  if (kind === "address") return path.tag === "fqdn" || isAddress(value);
  return OF_FIREWALLS.has(kind) && (scope.id === SHARED || scope.id.includes("/device-group/"));
}

function isAddress(value: string): boolean {
  return isNetworkOrAddress(value) || isRange(value) || checkText("wildcard", value) === undefined;
}
