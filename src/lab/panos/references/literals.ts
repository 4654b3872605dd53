import { isIP } from "node:net";
import { last } from "../tree/config-tree.js";
import type { Reference } from "./names.js";

/**
 * Kinds with many predefined names on devices, such as applications. References of these kinds are not checked, because an unknown name
 * may be valid.
 */
const OPEN_KINDS: ReadonlySet<string> = new Set([
  "application",
  "application-group",
  "application-filter",
  "custom-url-category",
  "dynamic-user-group",
  "local-user",
  "report",
  "hip-profile",
  "device-object",
  "template",
  "vsys",
]);

/** Names that devices predefine, by kind. */
const PREDEFINED: Readonly<Record<string, RegExp>> = {
  service: /^(service-https?|application-default|any)$/,
  region: /^([A-Z]{2}|\d+\.\d+\.\d+\.\d+-\d+\.\d+\.\d+\.\d+)$/,
  "external-list": /^panw-/,
  virus: /^default$/,
  spyware: /^(default|strict)$/,
  vulnerability: /^(default|strict)$/,
  "url-filtering": /^default$/,
  "file-blocking": /^(basic|strict) file blocking$/,
  "wildfire-analysis": /^default$/,
  "decryption-profile": /^default$/,
  "zone-protection-profile": /^default$/,
  "monitor-profile": /^default$/,
  "ike-crypto": /^(default|Suite-B-GCM-(128|256))$/,
  "ipsec-crypto": /^(default|Suite-B-GCM-(128|256))$/,
  "log-profile": /^default$/,
  "qos-profile": /^default$/,
  interface: /^(any|loopback|tunnel|vlan|management|MGT)$/,
};

/** Nodes below these may use names from other templates. The lab does not model the order of templates. */
const OF_TEMPLATES: ReadonlySet<string> = new Set(["template", "template-stack"]);

/**
 * A manager's policy. Its objects are in groups and `shared`, but its zones and interfaces are in templates, so references to them are
 * not checked.
 */
const OF_GROUPS: ReadonlySet<string> = new Set(["device-group", "pre-rulebase", "post-rulebase"]);
const OBJECTS: ReadonlySet<string> = new Set([
  "address",
  "address-group",
  "service",
  "service-group",
  "tag",
  "schedule",
  "profile-group",
  "external-list",
]);

/** Whether a value needs no definition: a literal address, a template variable, a predefined name or a name that the lab cannot check. */
export function needsNoDefinition({ kinds, value, chain }: Reference): boolean {
  if (value.startsWith("$") || chain.some(({ tag }) => OF_TEMPLATES.has(tag))) return true;
  if (!kinds.some((kind) => OBJECTS.has(kind)) && chain.some(({ tag }) => OF_GROUPS.has(tag))) return true;
  if (kinds.some((kind) => OPEN_KINDS.has(kind) || PREDEFINED[kind]?.test(value) === true)) return true;
  return kinds.includes("address") && (isAddressLiteral(value) || (last(chain).tag === "fqdn" && /^[\w.-]+$/.test(value)));
}

function isAddressLiteral(value: string): boolean {
  return value.split("-").every((part) => isIP(part.replace(/\/[\d.]+$/, "")) !== 0);
}
