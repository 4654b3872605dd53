import { canonicalScalar } from "../../core/tree/canonical-text.js";
import { childByTag } from "../../core/tree/lookup.js";
import { DesiredNode } from "../../desired/model.js";
import { mapChildren } from "./map-children.js";
import { protocolName, protocolNumber } from "./policy/protocols.js";

/** Fields of a security group rule that the service accepts in several spellings. */
type Field = "protocol" | "port_range_min" | "port_range_max" | "remote_ip_prefix";
type CanonicalFields = Readonly<Record<Field, string | undefined>>;

const ANY_PREFIX: Readonly<Record<string, string>> = { "0.0.0.0/0": "IPv4", "::/0": "IPv6" };

/**
 * Returns the canonical form in which Neutron compares rules. An undefined field matches everything. Host bits of a prefix are kept:
 * 10.0.0.5/24 and 10.0.0.0/24 are two rules. Contrail's plugin shows `any`, ports 0-65535 and `::/0` for fields that match everything.
 */
export function canonicalFields(field: (tag: Field | "ethertype") => string | undefined): CanonicalFields {
  const ethertype = field("ethertype") ?? "IPv4";
  const [min, max] = [field("port_range_min"), field("port_range_max")];
  const isAllPorts = (min === "0" || min === "1") && max === "65535";
  const prefix = field("remote_ip_prefix");
  const isAnyPrefix = prefix !== undefined && ANY_PREFIX[canonicalScalar(prefix, "cidr")] === ethertype;
  return {
    protocol: canonicalProtocol(field("protocol"), ethertype),
    port_range_min: isAllPorts ? undefined : min,
    port_range_max: isAllPorts ? undefined : max,
    remote_ip_prefix: isAnyPrefix ? undefined : prefix,
  };
}

function canonicalProtocol(text: string | undefined, ethertype: string): string | undefined {
  const lower = text?.toLowerCase();
  if (lower === undefined || lower === "any") return undefined;
  const number = protocolNumber(lower);
  if (number === 1 && ethertype === "IPv6") return "ipv6-icmp";
  return number === undefined ? lower : (protocolName(number) ?? String(number));
}

/** Returns a declared rule with its fields in canonical form. */
export function canonicalRule(rule: DesiredNode): DesiredNode {
  const fields: Readonly<Record<string, string | undefined>> = canonicalFields((tag) => childByTag(rule, tag)?.text);
  return mapChildren(rule, (child) => {
    if (!(child.tag in fields) || child.handling !== undefined) return child;
    const text = fields[child.tag];
    if (text === undefined) return undefined;
    return text === child.text ? child : new DesiredNode(child.tag, undefined, text, [], child);
  });
}
