import { groupBy } from "../../../core/group-by.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { AnyOf, FlowSet, Limit, Match, Policy, Rule, ServiceRange } from "../../../reachability/flows/policy.js";
import type { PolicyOptions, Rulebase } from "../../../reachability/policy-role.js";
import { PROJECT } from "../shape.js";
import { flowsIn } from "./flows.js";
import { everything, type GroupRule } from "./groups.js";
import { ANYWHERE, type Project, projectIn, type Zone, zonesOf } from "./members.js";
import { statefulChanges, topologyChanges } from "./topology-changes.js";
import { transitOf } from "./transit.js";

/** Maximum number of pairs of ingress and egress rules. Beyond that, traffic between ports is not analyzed. */
const PAIRS = 50_000;

/** Returns the rulebase of a project: a flow passes if the sender's groups allow it out and the receiver's groups allow it in. */
export function rulebasesOf(trees: readonly TreeNode[], options: PolicyOptions = {}): [Rulebase] {
  const versions = trees.map(projectIn);
  const zones = zonesOf(versions);
  const explicit = [...(versions.at(-1)?.groups.values() ?? [])].reduce((sum, { rules }) => sum + rules.length, 0);
  return [
    {
      scope: PROJECT,
      within: [PROJECT],
      isSame: false,
      isThere: versions.map(() => true),
      size: explicit,
      policies: () =>
        versions.map((version, at) => {
          const policy = policyOf(version, zones, at, options);
          const [former, before, after] = [versions[at - 1], trees[at - 1], trees[at]];
          if (former === undefined || before === undefined || after === undefined) return policy;
          const changes = [...topologyChanges(before, after), ...statefulChanges(former.groups, version.groups)];
          return { ...policy, limits: [...changes, ...policy.limits] };
        }),
      flows: (version, question) => flowsIn(zones, version, question),
      transit(version) {
        const [root, project] = [trees[version], versions[version]];
        return root === undefined || project === undefined ? undefined : transitOf(root, project, options);
      },
    },
  ];
}

/** A rule in one version, with its groups and their zones. */
interface Held {
  readonly rule: GroupRule;
  readonly groups: readonly string[];
  readonly zones: readonly string[];
}

/** Returns the rules of one version of a project. */
export function policyOf({ groups }: Project, zones: readonly Zone[], at: number, options: PolicyOptions): Policy {
  const inOf = (names: ReadonlySet<string>) =>
    zones.filter((zone) => [...(zone.groups[at] ?? [])].some((group) => names.has(group))).map(({ name }) => name);
  const all = [...groups].flatMap(([group, { rules }]) =>
    rules.map((rule): Held => ({ rule, groups: [group], zones: inOf(new Set([group])) })),
  );
  const held = all.filter((each) => each.zones.length > 0);
  const into = held.filter(({ rule }) => rule.direction === "ingress");
  // Most groups have the same egress rules.
  const alike = groupBy(
    held.filter(({ rule }) => rule.direction === "egress"),
    ({ rule }) => rule.text,
  );
  const out = [...alike.values()].flatMap((same): Held[] => {
    const groups = same.flatMap((each) => each.groups).sort();
    return same.slice(0, 1).map(({ rule }) => ({ rule, groups, zones: inOf(new Set(groups)) }));
  });
  const narrow = out.filter(({ rule }) => !rule.isAll);
  const making = new Making(
    options,
    (group) => inOf(new Set([group])),
    (group) => groups.get(group)?.isShared !== false,
    (family) => out.find(({ rule }) => rule.isAll && rule.family === family)?.zones ?? [],
  );
  const strangers = [...new Set(zones.flatMap((zone) => [...(zone.groups[at] ?? [])]))].filter((name) => !groups.has(name));
  const isMuch = into.length * narrow.length > PAIRS;
  return {
    scope: PROJECT,
    zones: [ANYWHERE, ...zones.map(({ name }) => name)],
    otherZones: false,
    withoutApplications: true,
    rules: [
      ...into.flatMap((each) => making.into(each)),
      ...out.flatMap((each) => making.out(each)),
      ...(isMuch ? making.unknownPairs(zones) : into.flatMap((one) => narrow.flatMap((other) => making.between(one, other)))),
      ...strangers.flatMap((group) => making.ofStranger(group)),
    ],
    otherwise: "deny",
    limits: [...LIMITS, ...stateless(groups)],
  };
}

function stateless(groups: Project["groups"]): Limit[] {
  const names = [...groups].filter(([, { isStateful }]) => !isStateful).map(([name]) => name);
  return names.map((name) => ({ text: `Replies to traffic that ${name} allows need their own rules: it is stateless.`, doubtful: false }));
}

const LIMITS: readonly Limit[] = [
  {
    text: "Only security groups are evaluated. Networks, routers and other firewalls decide, too.",
    doubtful: false,
  },
  { text: `Ports of services and of other projects count as ${ANYWHERE}; DHCP and neighbour discovery always pass.`, doubtful: false },
];

/** Builds rules of a single list, in which no rule denies. */
class Making {
  constructor(
    readonly options: PolicyOptions,
    readonly zonesOf: (group: string) => readonly string[],
    readonly hasStrangers: (group: string) => boolean,
    /** Returns zones that may send all traffic of a family. */
    readonly freeOf: (family: GroupRule["family"]) => readonly string[],
  ) {}

  /** Traffic that a rule admits from senders without egress restrictions. */
  into(held: Held): Rule[] {
    const { rule } = held;
    const free = this.freeOf(rule.family);
    const senders = "group" in rule.remote ? shared(free, this.zonesOf(rule.remote.group)) : [ANYWHERE, ...free];
    const known = senders.length === 0 ? [] : [this.#rule("in", held, { from: senders, to: held.zones }, { in: rule })];
    const strangers = this.#strangers(rule);
    return strangers === undefined
      ? known
      : [...known, this.#rule("in, of others", held, { from: [ANYWHERE], to: held.zones }, { in: rule, conditions: strangers })];
  }

  /** Traffic that a rule lets out to invisible destinations. */
  out(held: Held): Rule[] {
    const { rule } = held;
    const conditions = this.#strangers(rule);
    if ("group" in rule.remote && conditions === undefined) return [];
    return [this.#rule("out", held, { from: held.zones, to: [ANYWHERE] }, { out: rule, conditions })];
  }

  /** Traffic between a restricted sender and a receiver of the project that both an egress and an ingress rule allow. */
  between(one: Held, other: Held): Rule[] {
    const { rule: into } = one;
    const { rule: out } = other;
    if (into.family !== out.family) return [];
    const free = this.freeOf(out.family);
    const bound = other.zones.filter((name) => !free.includes(name));
    const from = "group" in into.remote ? shared(bound, this.zonesOf(into.remote.group)) : bound;
    const to = "group" in out.remote ? shared(one.zones, this.zonesOf(out.remote.group)) : one.zones;
    const services = both(into.services, out.services);
    if (from.length === 0 || to.length === 0 || services.length === 0) return [];
    return [this.#rule(`in, ${out.text}`, one, { from, to }, { in: into, out, services, name: `${nameOf(one)}, and ${nameOf(other)}` })];
  }

  /** Too many pairs to analyze: the result is unknown. */
  unknownPairs(zones: readonly Zone[]): Rule[] {
    const name = "what ports of the project that may not send everything say to each other";
    const sentence = "it is let out by a rule of who sends and let in by one of who receives";
    const unknown = { kind: "pairs", definition: "pairs", name: sentence, reason: "rules in and rules out make too many pairs to look at" };
    const names = zones.map((zone) => zone.name);
    return [this.#rule(name, undefined, { from: names, to: names }, { name, conditions: [[{ unknown, holds: true }]] })];
  }

  /** Rules of an unmanaged group are not readable, so its traffic is unknown. */
  ofStranger(group: string): Rule[] {
    const name = `rules of ${group}`;
    const sentence = `it is let through by ${name}, and by those of the other side`;
    const unknown = { kind: "group", definition: group, name: sentence, reason: "rules of a group of others were not read" };
    const conditions = [[{ unknown, holds: true }]];
    const zones = this.zonesOf(group);
    return [
      this.#rule(`into ${group}`, undefined, { from: "any", to: zones }, { name, conditions }),
      this.#rule(`out of ${group}`, undefined, { from: zones, to: "any" }, { name, conditions }),
    ];
  }

  /** Unseen ports can be members only of a shared group. Undefined if there can be none, or if the rule does not refer to a group. */
  #strangers({ remote }: GroupRule): readonly AnyOf[] | undefined {
    if (!("group" in remote) || !this.hasStrangers(remote.group)) return undefined;
    const { group } = remote;
    const unknown = {
      kind: "ports",
      definition: group,
      name: `the other side is a port of others in ${group}`,
      reason: "ports of others were not read",
    };
    return [[{ unknown, holds: true }]];
  }

  /** `level`, groups and text match a rule across versions. */
  #rule(level: string, held: Held | undefined, { from, to }: Pick<FlowSet["zones"], "from" | "to">, fields: RuleFields): Rule {
    const services = fields.services ?? (fields.in ?? fields.out)?.services ?? "any";
    const { rule, groups = [] } = held ?? {};
    // The set of groups with equal egress rules may change; the rule remains the same.
    const group = level === "out" ? "" : groups.join(", ");
    const path = rule?.path;
    return {
      key: { level, group, name: fields.name ?? nameOf(held), uuid: JSON.stringify([level, group, rule?.text]) },
      origin: path === undefined ? {} : { xpath: path.toString(), ...this.options.locate?.(path) },
      verdict: "allow",
      action: "allow",
      zones: { type: "universal", from, to },
      source: addressesOf(fields.in),
      destination: addressesOf(fields.out),
      traffic: [{ applications: "any", services: servicesOf(services) }],
      users: "any",
      conditions: [...(fields.in?.conditions ?? []), ...(fields.out?.conditions ?? []), ...(fields.conditions ?? [])],
    };
  }
}

interface RuleFields {
  readonly in?: GroupRule;
  readonly out?: GroupRule;
  readonly services?: GroupRule["services"];
  readonly conditions?: readonly AnyOf[] | undefined;
  readonly name?: string;
}

/** Maximum number of groups in a rule name. */
const NAMED = 3;

function nameOf(held: Held | undefined): string {
  if (held === undefined) return "";
  const { groups, rule } = held;
  return `${groups.length > NAMED ? `${groups.length} groups` : groups.join(", ")}: ${rule.text}`;
}

/** If the remote is a group, any address of the rule's family may match. */
function addressesOf(rule: GroupRule | undefined): FlowSet["source"] {
  if (rule === undefined) return "any";
  return "group" in rule.remote ? { negated: false, objects: [everything(rule.family)] } : rule.remote.addresses;
}

function servicesOf(values: GroupRule["services"]): Match<ServiceRange> {
  if (values === "any") return "any";
  const id = JSON.stringify(values);
  return { negated: false, objects: [{ id, name: id, values, members: [], unknowns: [] }] };
}

function shared(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((name) => others.includes(name));
}

function both(one: GroupRule["services"], other: GroupRule["services"]): GroupRule["services"] {
  if (one === "any") return other;
  if (other === "any") return one;
  return one.flatMap((range) =>
    other.flatMap((each) => {
      const [first, last] = [Math.max(range.first, each.first), Math.min(range.last, each.last)];
      return range.protocol === each.protocol && first <= last ? [{ protocol: range.protocol, first, last }] : [];
    }),
  );
}
