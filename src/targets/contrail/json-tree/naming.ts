import { type Json, type JsonObject, objectAt, textAt, texts } from "../../../core/json/value.js";
import { canonicalNetwork } from "../../../core/tree/canonical-network.js";

/** Mapping between the items of a list and entries of the tree. */
export interface Naming {
  /** Undefined for an item that has no place in the tree. It is kept unchanged. */
  name(item: JsonObject): string | undefined;
  /** Returns the document that contains the children of the entry. */
  content(item: JsonObject): JsonObject;
  /** Builds an item with this name and content. `before` is the previous item. */
  item(name: string, content: JsonObject, before: JsonObject | undefined): Json;
}

/** Prefix of networks inside routers, which the controller creates and references itself. */
const INNER = "__contrail_";

const REFERENCES: Naming = {
  name(item) {
    const to = texts(item.to);
    return to?.at(-1)?.startsWith(INNER) === true ? undefined : to?.join(":");
  },
  content: (item) => ({ ...objectAt(item, "attr"), ...(item.uuid === undefined ? {} : { uuid: item.uuid }) }),
  item(name, { uuid: _, ...attr }, before) {
    const { href: __, ...known } = before ?? {};
    return { ...known, to: name.split(":"), attr: Object.keys(attr).length === 0 ? null : attr };
  },
};

/** The attribute of a policy reference always has a sequence, because the controller's own services require it. */
const POLICIES: Naming = {
  ...REFERENCES,
  item(name, content, before) {
    const sequence = { major: 0, minor: 0, ...objectAt(content, "sequence") };
    return REFERENCES.item(name, { timer: null, ...content, sequence }, before);
  },
};

const IPAMS: Naming = {
  ...REFERENCES,
  item: (name, content, before) => REFERENCES.item(name, { ...content, ipam_subnets: content.ipam_subnets ?? [] }, before),
};

const SUBNETS: Naming = {
  name: (item) => cidrOf(item),
  content(item) {
    const cidr = cidrOf(item);
    const [address = "", length = ""] = cidr?.split("/") ?? [];
    return cidr === undefined ? item : { ...item, cidr, address, "prefix-len": length };
  },
  item(name, { cidr: _, address: __, "prefix-len": ___, ...content }, before) {
    const [prefix = "", length = ""] = name.split("/");
    return { ...content, subnet: before?.subnet ?? { ip_prefix: prefix, ip_prefix_len: Number(length) } };
  },
};

const PAIRS: Naming = {
  name: (pair) => textAt(pair, "key"),
  content: ({ value }) => (value === undefined ? {} : { value }),
  item: (name, { value }) => ({ key: name, value: value ?? "" }),
};

/** Naming of a list whose entries have their own names. Undefined for a list whose keys are derived from content. */
export function namingOf(tag: string): Naming | undefined {
  if (tag === "ipam_subnets" || tag === "subnets") return SUBNETS;
  if (tag === "key_value_pair") return PAIRS;
  if (tag === "network_policy_refs") return POLICIES;
  if (tag === "network_ipam_refs") return IPAMS;
  return tag.endsWith("_refs") || tag === "routing_instances" ? REFERENCES : undefined;
}

/** Returns the CIDR of a subnet. Undefined for an entry of a flat IPAM, which has only a `subnet_uuid`. */
export function cidrOf(item: JsonObject): string | undefined {
  const subnet = objectAt(item, "subnet");
  if (subnet === undefined) return undefined;
  const { ip_prefix: prefix, ip_prefix_len: length } = subnet;
  return typeof prefix === "string" && (typeof length === "number" || typeof length === "string")
    ? canonicalNetwork(`${prefix}/${length}`)
    : undefined;
}
