import type { JsonObject } from "../world/json.js";
import { type Attributes, STANDARD } from "./attributes.js";
import { flag } from "./checks.js";
import { conflict } from "./errors.js";
import { asJson, type Manager } from "./manager.js";
import type { SecurityGroup, SecurityGroupRule } from "./security-group.js";
import { index, type NetworkStore } from "./store.js";

const ATTRIBUTES: Attributes = {
  ...STANDARD,
  stateful: { check: flag, post: true, put: true, fallback: true },
  shared: {},
  security_group_rules: {},
};

export class SecurityGroups implements Manager<"security_group"> {
  readonly kind = "security_group";
  readonly plural = "security_groups";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;
  #ruleCount = 0;
  readonly #defaults = new Map<string, string>();

  constructor(store: NetworkStore) {
    this.#store = store;
  }

  create(values: JsonObject): SecurityGroup {
    const project = String(values.project_id);
    this.defaultOf(project);
    refuseDefault(values);
    return this.#make(project, String(values.name), String(values.description), values.stateful !== false);
  }

  update(group: SecurityGroup, values: JsonObject): void {
    if (this.#isDefault(group) && values.name !== undefined) {
      throw conflict("SecurityGroupCannotUpdateDefault", "Updating default security group not allowed.");
    }
    refuseDefault(values);
    this.#store.change("security_group", group, values as Partial<SecurityGroup>);
  }

  remove(group: SecurityGroup): void {
    if ((this.#store.portsOfGroup.get(group.id)?.size ?? 0) > 0) {
      throw conflict("SecurityGroupInUse", `Security Group ${group.id} in use.`);
    }
    if (this.#isDefault(group)) {
      throw conflict("SecurityGroupCannotRemoveDefault", "Insufficient rights for removing default security group.");
    }
    for (const rule of this.rulesOf(group)) this.#store.remove("security_group_rule", rule);
    this.#store.rulesOfGroup.delete(group.id);
    this.#store.remove("security_group", group);
  }

  /** Returns the default group of a project. Creates it when the project first reads or creates groups, or creates a port. */
  defaultOf(project: string): SecurityGroup {
    const known = this.#defaults.get(project);
    if (known !== undefined) return this.#store.get("security_group", known);
    const group = this.#make(project, "default", "Default security group", true);
    this.#defaults.set(project, group.id);
    for (const ethertype of ["IPv4", "IPv6"] as const) this.addRule(group, { direction: "ingress", ethertype, remote_group_id: group.id });
    return group;
  }

  /** Adds a validated rule. */
  addRule(
    group: SecurityGroup,
    values: Partial<SecurityGroupRule> & Pick<SecurityGroupRule, "direction" | "ethertype">,
  ): SecurityGroupRule {
    const rule: SecurityGroupRule = {
      ...this.#store.standard({ project_id: values.project_id ?? group.project_id }, 0),
      description: values.description ?? null,
      standard_attr_id: ++this.#ruleCount,
      security_group_id: group.id,
      direction: values.direction,
      ethertype: values.ethertype,
      protocol: values.protocol ?? null,
      port_range_min: values.port_range_min ?? null,
      port_range_max: values.port_range_max ?? null,
      remote_ip_prefix: values.remote_ip_prefix ?? null,
      remote_group_id: values.remote_group_id ?? null,
      remote_address_group_id: values.remote_address_group_id ?? null,
      normalized_cidr: values.normalized_cidr ?? null,
    };
    index(this.#store.rulesOfGroup, group.id, rule.id);
    return this.#store.add("security_group_rule", rule);
  }

  rulesOf(group: SecurityGroup): SecurityGroupRule[] {
    return [...(this.#store.rulesOfGroup.get(group.id) ?? [])].map((id) => this.#store.get("security_group_rule", id));
  }

  shared(): boolean {
    return false;
  }

  show(group: SecurityGroup): JsonObject {
    return { ...asJson(group), security_group_rules: this.rulesOf(group).map(showInGroup) };
  }

  #make(project: string, name: string, description: string, stateful: boolean): SecurityGroup {
    this.#store.quotas.demand("security_group", project);
    const group = this.#store.add("security_group", {
      ...this.#store.standard({ project_id: project, name, description }, 1),
      stateful,
      shared: false,
    });
    for (const ethertype of ["IPv4", "IPv6"] as const) this.addRule(group, { direction: "egress", ethertype });
    return group;
  }

  #isDefault({ id, project_id }: SecurityGroup): boolean {
    return this.#defaults.get(project_id) === id;
  }
}

function refuseDefault({ name }: JsonObject): void {
  if (typeof name === "string" && name.toLowerCase() === "default")
    throw conflict("SecurityGroupDefaultAlreadyExists", "Default security group already exists.");
}

/** Returns a rule as a single read shows it, without name and tags. */
export function showRule(rule: SecurityGroupRule): JsonObject {
  const { name: _name, tags: _tags, standard_attr_id: _number, ...shown } = asJson(rule);
  return shown;
}

/** Returns a rule as its group shows it, with two more fields. */
function showInGroup(rule: SecurityGroupRule): JsonObject {
  const { name: _name, ...shown } = asJson(rule);
  return shown;
}
