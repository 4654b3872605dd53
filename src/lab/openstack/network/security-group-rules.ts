import type { Json, JsonObject } from "../world/json.js";
import { isAdmin, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { formatBlock, parseBlock } from "./addresses.js";
import { type Attributes, STANDARD } from "./attributes.js";
import { integer, nullOr, oneOf, text, uuid } from "./checks.js";
import { conflict, notFound } from "./errors.js";
import type { Manager } from "./manager.js";
import type { SecurityGroup, SecurityGroupRule } from "./security-group.js";
import { type SecurityGroups, showRule } from "./security-groups.js";
import type { NetworkStore } from "./store.js";

const { name: _name, tags: _tags, ...COMMON } = STANDARD;

const ATTRIBUTES: Attributes = {
  ...COMMON,
  security_group_id: { check: uuid, post: true, required: true },
  direction: { check: oneOf("ingress", "egress"), post: true, required: true },
  ethertype: { check: oneOf("IPv4", "IPv6"), post: true, fallback: "IPv4" },
  protocol: { check: nullOr((value: Json) => (value === "any" ? null : String(value).toLowerCase())), post: true },
  port_range_min: { check: nullOr(integer), post: true },
  port_range_max: { check: nullOr(integer), post: true },
  remote_ip_prefix: { check: nullOr(text), post: true },
  remote_group_id: { check: nullOr(uuid), post: true },
  remote_address_group_id: { check: nullOr(uuid), post: true },
  normalized_cidr: {},
};

const WITH_PORTS = ["tcp", "udp", "dccp", "sctp", "udplite", "6", "17", "33", "132", "136"];
const PROTOCOLS = [...WITH_PORTS, "ah", "egp", "esp", "gre", "hopopt", "icmp", "icmpv6", "igmp", "ip", "ipip", "ipv6-encap", "ipv6-frag"];
const MORE_PROTOCOLS = ["ipv6-icmp", "ipv6-nonxt", "ipv6-opts", "ipv6-route", "ospf", "pgm", "rsvp", "vrrp"];
const KNOWN = [...PROTOCOLS, ...MORE_PROTOCOLS].filter((name) => !/^\d/.test(name)).sort();

export class SecurityGroupRules implements Manager<"security_group_rule"> {
  readonly kind = "security_group_rule";
  readonly plural = "security_group_rules";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;
  readonly #groups: SecurityGroups;

  constructor(store: NetworkStore, groups: SecurityGroups) {
    this.#store = store;
    this.#groups = groups;
  }

  create(values: JsonObject, requester: Requester): SecurityGroupRule {
    const group = this.#store.get("security_group", String(values.security_group_id));
    if (!isAdmin(requester) && group.project_id !== requester.projectId) throw notFound("security_group", group.id);
    const rule = values as unknown as SecurityGroupRule;
    if (typeof rule.remote_group_id === "string") this.#store.get("security_group", rule.remote_group_id);
    checkRule(rule);
    if (typeof rule.remote_address_group_id === "string") this.#store.get("address_group", rule.remote_address_group_id);
    const normalized = normalize(rule);
    this.#refuseTwin(group, rule, normalized);
    this.#store.quotas.demand("security_group_rule", String(values.project_id));
    const created = this.#groups.addRule(group, { ...rule, normalized_cidr: normalized });
    this.#store.change("security_group", group, {});
    return created;
  }

  /** A fault of the real service: it has no update, and says so with 500. */
  update(): never {
    throw new ServiceError(500, "HTTPInternalServerError", "Request Failed: internal server error while processing your request.");
  }

  remove(rule: SecurityGroupRule): void {
    this.#store.rulesOfGroup.get(rule.security_group_id)?.delete(rule.id);
    this.#store.remove("security_group_rule", rule);
    this.#store.change("security_group", this.#store.get("security_group", rule.security_group_id), {});
  }

  shared(): boolean {
    return false;
  }

  show(rule: SecurityGroupRule): JsonObject {
    return showRule(rule);
  }

  #refuseTwin(group: SecurityGroup, rule: SecurityGroupRule, normalized: string | null): void {
    const key = identity({ ...rule, normalized_cidr: normalized });
    const twin = this.#groups.rulesOf(group).find((each) => identity(each) === key);
    if (twin !== undefined) throw conflict("SecurityGroupRuleExists", `Security group rule already exists. Rule id is ${twin.id}.`);
  }
}

function checkRule({
  protocol,
  port_range_min: min,
  port_range_max: max,
  remote_ip_prefix,
  remote_group_id,
  remote_address_group_id,
  ethertype,
}: SecurityGroupRule): void {
  const refuse = (type: string, message: string): ServiceError => new ServiceError(400, type, message);
  const given = [remote_ip_prefix, remote_group_id, remote_address_group_id].filter((each) => typeof each === "string");
  if (given.length > 1) {
    throw refuse(
      "SecurityGroupMultipleRemoteEntites",
      "Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.",
    );
  }
  const prefix = typeof remote_ip_prefix === "string" ? parseBlock(remote_ip_prefix) : undefined;
  if (typeof remote_ip_prefix === "string" && prefix === undefined) {
    throw refuse("InvalidCIDR", `Invalid CIDR ${remote_ip_prefix} given as IP prefix.`);
  }
  if (prefix !== undefined && ethertype !== `IPv${prefix.version}`) {
    throw refuse("SecurityGroupRuleParameterConflict", `Conflicting value ethertype ${ethertype} for CIDR ${remote_ip_prefix}`);
  }
  const hasPorts = typeof min === "number" || typeof max === "number";
  if (typeof protocol !== "string") {
    if (hasPorts) throw refuse("SecurityGroupProtocolRequiredWithPorts", "Must also specify protocol if port range is given.");
    return;
  }
  const isNumber = /^\d+$/.test(protocol) && Number(protocol) <= 255;
  if (!isNumber && !KNOWN.includes(protocol)) {
    const values = ["None", ...KNOWN.map((name) => `'${name}'`)].join(", ");
    throw refuse(
      "SecurityGroupRuleInvalidProtocol",
      `Security group rule protocol ${protocol} not supported. Only protocol values [${values}] and integer representations [0 to 255] are supported.`,
    );
  }
  if (WITH_PORTS.includes(protocol) && hasPorts && (typeof min !== "number" || typeof max !== "number" || min > max)) {
    throw refuse("SecurityGroupInvalidPortRange", "For TCP/UDP protocols, port_range_min must be <= port_range_max");
  }
}

function normalize({ remote_ip_prefix }: SecurityGroupRule): string | null {
  const block = typeof remote_ip_prefix === "string" ? parseBlock(remote_ip_prefix) : undefined;
  return block === undefined ? null : formatBlock(block);
}

/** What two rules of a group may not have in common. */
function identity(rule: SecurityGroupRule): string {
  const { direction, ethertype, protocol, port_range_min, port_range_max, normalized_cidr, remote_group_id, remote_address_group_id } =
    rule;
  return JSON.stringify([
    direction,
    ethertype,
    protocol ?? null,
    port_range_min ?? null,
    port_range_max ?? null,
    normalized_cidr,
    remote_group_id ?? null,
    remote_address_group_id ?? null,
  ]);
}
