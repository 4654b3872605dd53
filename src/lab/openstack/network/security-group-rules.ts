import type { Json, JsonObject } from "../world/json.js";
import { isAdmin, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { formatBlock, parseBlock } from "./addresses.js";
import { type Attributes, STANDARD } from "./attributes.js";
import { ICMP_NUMBERS, IPV6_NUMBERS, PORT_NUMBERS, PROTOCOL_NAMES, protocolNumber, ruleKey, storedRule } from "./canonical-rule.js";
import { nullOr, oneOf, text, uuid } from "./checks.js";
import { conflict, notFound } from "./errors.js";
import type { Manager } from "./manager.js";
import type { SecurityGroup, SecurityGroupRule } from "./security-group.js";
import { type SecurityGroups, showRule } from "./security-groups.js";
import type { NetworkStore } from "./store.js";

const { name: _name, tags: _tags, ...COMMON } = STANDARD;

const refusal = (type: string, message: string): ServiceError => new ServiceError(400, type, message);

/** Returns the name or number of a protocol as the service stores it. */
const protocolName = (value: Json): Json => {
  const protocol = String(value).toLowerCase();
  const isNumber = /^\d+$/.test(protocol) && Number(protocol) <= 255;
  if (isNumber || PROTOCOL_NAMES.includes(protocol)) return protocol;
  const values = ["None", ...PROTOCOL_NAMES.map((name) => `'${name}'`)].join(", ");
  throw refusal(
    "SecurityGroupRuleInvalidProtocol",
    `Security group rule protocol ${protocol} not supported. Only protocol values [${values}] and integer representations [0 to 255] are supported.`,
  );
};

/** Converts a port, or a type or code of ICMP. */
const portNumber = (value: Json): Json => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw refusal("SecurityGroupInvalidPortValue", `Invalid value for port ${String(value)}`);
};

const ATTRIBUTES: Attributes = {
  ...COMMON,
  security_group_id: { check: uuid, post: true, required: true },
  direction: { check: oneOf("ingress", "egress"), post: true, required: true },
  ethertype: { check: oneOf("IPv4", "IPv6"), post: true, fallback: "IPv4" },
  protocol: { check: nullOr(protocolName), post: true },
  port_range_min: { check: nullOr(portNumber), post: true },
  port_range_max: { check: nullOr(portNumber), post: true },
  remote_ip_prefix: { check: nullOr(text), post: true },
  remote_group_id: { check: nullOr(uuid), post: true },
  remote_address_group_id: { check: nullOr(uuid), post: true },
  normalized_cidr: {},
};

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
    const rule = storedRule(values as unknown as SecurityGroupRule);
    if (typeof rule.remote_group_id === "string") this.#store.get("security_group", rule.remote_group_id);
    checkRule(rule);
    if (typeof rule.remote_address_group_id === "string") this.#store.get("address_group", rule.remote_address_group_id);
    this.#refuseDuplicate(group, rule);
    this.#store.quotas.demand("security_group_rule", String(values.project_id));
    const created = this.#groups.addRule(group, { ...rule, normalized_cidr: normalizedCidr(rule) });
    this.#store.change("security_group", group, {});
    return created;
  }

  checkTogether(several: readonly JsonObject[]): void {
    if (new Set(several.map(({ security_group_id }) => security_group_id)).size > 1)
      throw refusal("SecurityGroupNotSingleGroupRules", "Only allowed to update rules for one security profile at a time.");
    const keys = several.map((each) => ruleKey(storedRule(each as unknown as SecurityGroupRule)));
    if (new Set(keys).size < keys.length) throw conflict("DuplicateSecurityGroupRuleInPost", "Duplicate Security Group Rule in POST.");
  }

  /** The real service has no update and answers 500. */
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

  #refuseDuplicate(group: SecurityGroup, rule: SecurityGroupRule): void {
    const key = ruleKey(rule);
    const duplicate = this.#groups.rulesOf(group).find((each) => ruleKey(each) === key);
    if (duplicate !== undefined)
      throw conflict("SecurityGroupRuleExists", `Security group rule already exists. Rule id is ${duplicate.id}.`);
  }
}

function checkRule(rule: SecurityGroupRule): void {
  const { protocol, ethertype, remote_ip_prefix, remote_group_id, remote_address_group_id } = rule;
  const given = [remote_ip_prefix, remote_group_id, remote_address_group_id].filter((each) => typeof each === "string");
  if (given.length > 1) {
    throw refusal(
      "SecurityGroupMultipleRemoteEntites",
      "Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.",
    );
  }
  const prefix = typeof remote_ip_prefix === "string" ? parseBlock(remote_ip_prefix) : undefined;
  if (typeof remote_ip_prefix === "string" && prefix === undefined) {
    throw refusal("InvalidCIDR", `Invalid CIDR ${remote_ip_prefix} given as IP prefix.`);
  }
  checkPorts(rule);
  if (prefix !== undefined && ethertype !== `IPv${prefix.version}`) {
    throw refusal("SecurityGroupRuleParameterConflict", `Conflicting value ethertype ${ethertype} for CIDR ${remote_ip_prefix}`);
  }
  if (typeof protocol === "string" && ethertype === "IPv4" && IPV6_NUMBERS.has(protocolNumber(protocol))) {
    throw refusal("SecurityGroupEthertypeConflictWithProtocol", `Invalid ethertype ${ethertype} for protocol ${protocol}.`);
  }
}

function checkPorts({ protocol, port_range_min: min, port_range_max: max }: SecurityGroupRule): void {
  const [from, to] = [min ?? undefined, max ?? undefined];
  if (from === undefined && to === undefined) return;
  if (typeof protocol !== "string") {
    throw refusal("SecurityGroupProtocolRequiredWithPorts", "Must also specify protocol if port range is given.");
  }
  const number = protocolNumber(protocol);
  if (ICMP_NUMBERS.has(number)) {
    checkIcmp(from, to);
  } else if (!PORT_NUMBERS.has(number)) {
    throw refusal(
      "SecurityGroupInvalidProtocolForPort",
      `Ports cannot be specified for protocol ${number}. Ports are only supported for DCCP, SCTP, TCP, UDP, UDPLITE.`,
    );
  } else if (from === 0 || to === 0) {
    throw refusal("SecurityGroupInvalidPortValue", "Invalid value for port 0");
  } else if (from === undefined || to === undefined || from > to) {
    throw refusal("SecurityGroupInvalidPortRange", "For TCP/UDP protocols, port_range_min must be <= port_range_max");
  }
}

/** The two fields are the type and the code. */
function checkIcmp(type: number | undefined, code: number | undefined): void {
  for (const [field, attribute, value] of [["type", "port_range_min", type] as const, ["code", "port_range_max", code] as const]) {
    if (value === undefined || value <= 255) continue;
    throw refusal("SecurityGroupInvalidIcmpValue", `Invalid value for ICMP ${field} (${attribute}) ${value}. It must be 0 to 255.`);
  }
  if (type !== undefined) return;
  throw refusal(
    "SecurityGroupMissingIcmpType",
    `ICMP code (port-range-max) ${code} is provided but ICMP type (port-range-min) is missing.`,
  );
}

function normalizedCidr({ remote_ip_prefix }: SecurityGroupRule): string | null {
  const block = typeof remote_ip_prefix === "string" ? parseBlock(remote_ip_prefix) : undefined;
  return block === undefined ? null : formatBlock(block);
}
