import { isIP } from "node:net";
import { last } from "../tree/config-tree.js";
import type { Reference } from "./names.js";

/** Kinds of which devices bring many of their own (applications, categories, users …): an unknown name is none of ours. */
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

/** Names that devices define themselves, by kind. */
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

/** Below these names come from other templates, by an order that the lab does not know. */
const OF_TEMPLATES: ReadonlySet<string> = new Set(["template", "template-stack"]);

/** A manager's policy; what it names of a network (zones, interfaces) is in templates, objects are in groups and shared. */
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

/** True for a value that needs no definition: a literal address, a template variable, or what devices define themselves. */
export function needsNoDefinition({ kinds, value, chain }: Reference): boolean {
  if (value.startsWith("$") || chain.some(({ tag }) => OF_TEMPLATES.has(tag))) return true;
  if (!kinds.some((kind) => OBJECTS.has(kind)) && chain.some(({ tag }) => OF_GROUPS.has(tag))) return true;
  if (kinds.some((kind) => OPEN_KINDS.has(kind) || PREDEFINED[kind]?.test(value) === true)) return true;
  return kinds.includes("address") && (isAddressLiteral(value) || (last(chain).tag === "fqdn" && /^[\w.-]+$/.test(value)));
}

function isAddressLiteral(value: string): boolean {
  return value.split("-").every((part) => isIP(part.replace(/\/[\d.]+$/, "")) !== 0);
}
