import { type Json, type JsonObject, objectAt, textAt, texts } from "../../../core/json/value.js";
import { canonicalNetwork } from "../../../core/tree/canonical-network.js";

/** How the items of a list of objects are entries: what an item is called, and where its children are. */
export interface Naming {
  /** Undefined for an item that has no place in the tree: it is carried along as it is. */
  name(item: JsonObject): string | undefined;
  /** The document that holds the children of an item's entry. */
  content(item: JsonObject): JsonObject;
  /** An item of this name with this content; `before` is the item as it was. */
  item(name: string, content: JsonObject, before: JsonObject | undefined): Json;
}

/** Networks inside routers, which the controller makes and refers to for itself. */
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

/** The attribute of a policy's reference has a sequence always: the controller's own services take it for granted. */
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

/** Naming of a list whose entries have names of their own; undefined for one whose keys are made of content. */
export function namingOf(tag: string): Naming | undefined {
  if (tag === "ipam_subnets" || tag === "subnets") return SUBNETS;
  if (tag === "key_value_pair") return PAIRS;
  if (tag === "network_policy_refs") return POLICIES;
  if (tag === "network_ipam_refs") return IPAMS;
  return tag.endsWith("_refs") || tag === "routing_instances" ? REFERENCES : undefined;
}

/** The block of a subnet; undefined for an entry of a flat IPAM, which has a `subnet_uuid` alone. */
export function cidrOf(item: JsonObject): string | undefined {
  const subnet = objectAt(item, "subnet");
  if (subnet === undefined) return undefined;
  const { ip_prefix: prefix, ip_prefix_len: length } = subnet;
  return typeof prefix === "string" && (typeof length === "number" || typeof length === "string")
    ? canonicalNetwork(`${prefix}/${length}`)
    : undefined;
}
