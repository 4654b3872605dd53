import { groupBy } from "../../../core/group-by.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { DEFAULT_LEVEL, type FlowSet, type Limit, type Policy, type Rule } from "../../../reachability/flows/policy.js";
import type { PolicyOptions, Rulebase } from "../../../reachability/policy-role.js";
import { SCOPE } from "../collections.js";
import { type Acl, aclsOf, isJudged } from "./acl.js";
import { type Fabric, fabricIn, lastOf, type Network, type PolicyRule } from "./fabric.js";
import { flowsIn, labelsOf } from "./flows.js";
import { ANYWHERE, type Link, Links } from "./links.js";
import { type List, listOf, PASSES, type Piece, rangesOf, sideOf, together } from "./pieces.js";
import { ASSUMED, type ControllerReading, type ReadingOptions } from "./reading.js";
import { transitOf } from "./transit.js";
import { uncomparedChanges } from "./uncompared-changes.js";

/** Maximum number of rules. Beyond it, the policies are not analysed. */
const MOST_RULES = 50_000;

/** Translates a controller to one rulebase with the networks as zones. */
export function rulebasesOf(trees: readonly TreeNode[], options: ReadingOptions = {}): [Rulebase] {
  const reading = { ...ASSUMED, ...options };
  const versions = trees.map((tree) => new Version(fabricIn(tree, reading)));
  const labels = labelsOf(versions.flatMap(({ names }) => names));
  const size = [...(versions.at(-1)?.fabric.policies.values() ?? [])].reduce((sum, rules) => sum + rules.length, 0);
  return [
    {
      scope: SCOPE,
      within: [SCOPE],
      isSame: false,
      isThere: versions.map(() => true),
      size,
      policies: () =>
        versions.map((version, at) => {
          const policy = policyOf(version, labels, { ...reading, ...options });
          const [before, after] = [trees[at - 1], trees[at]];
          if (before === undefined || after === undefined) return policy;
          return { ...policy, limits: [...uncomparedChanges(before, after), ...policy.limits] };
        }),
      flows: (_version, question) => flowsIn(labels, question),
      transit(version) {
        const [root, read] = [trees[version], versions[version]];
        return root === undefined || read === undefined ? undefined : transitOf(root, read, labels);
      },
    },
  ];
}

/** A controller in one version of its tree. */
class Version {
  readonly acls: ReadonlyMap<string, Acl>;
  readonly links: Links;
  /** Networks, including unread networks that rules name. */
  readonly names: readonly string[];
  readonly #sides = new Map<string, List>();
  readonly #lists = new Map<List, Map<List, List>>();
  readonly #known = new Map<string, List>();

  constructor(readonly fabric: Fabric) {
    this.acls = aclsOf(fabric);
    this.links = new Links(fabric, this.acls);
    const named = [...this.acls.values()].flatMap(({ named: all }) => [...all.keys()]);
    this.names = [...new Set([...fabric.networks.keys(), ...named])].filter((name) => name !== "*").sort();
  }

  /** Yields each pair of networks that flows may pass between, with the list that decides. */
  *courses(): Generator<Course> {
    const { networks } = this.fabric;
    for (const name of this.names) {
      const network = networks.get(name);
      if (network !== undefined) {
        yield { from: name, to: name, list: this.#list(name, name) };
        for (const isOut of [true, false]) {
          const [from, to] = isOut ? [name, ANYWHERE] : [ANYWHERE, name];
          yield { from, to, list: this.#one(linked(this.#list(from, to), this.links.outside(network, isOut))) };
        }
      }
      for (const [other, link] of this.links.from(name)) {
        const list = this.#list(name, other);
        yield { from: name, to: other, list: link.length === 0 ? list : this.#one(linked(list, link)) };
      }
    }
  }

  /** Returns the combined list of both sides. */
  #list(from: string, to: string): List {
    const [one, other] = [this.#side(from, from, to), this.#side(to, from, to)];
    const made = this.#lists.get(one)?.get(other) ?? this.#one(together(one, other));
    this.#lists.set(one, (this.#lists.get(one) ?? new Map<List, List>()).set(other, made));
    return made;
  }

  #side(of: string, from: string, to: string): List {
    const acl = this.acls.get(of);
    if (acl === undefined) return UNKNOWN_SIDE;
    const word = (name: string) => (acl.mentioned.has(name) || name === of ? name : "");
    const key = `${of}\n${word(from)}\n${word(to)}`;
    const made = this.#sides.get(key) ?? this.#one(sideOf(acl, from, to));
    this.#sides.set(key, made);
    return made;
  }

  /** Returns one shared instance for equal lists. */
  #one(list: List): List {
    const known = this.#known.get(list.key) ?? list;
    this.#known.set(list.key, known);
    return known;
  }
}

/** Networks that were not read have unknown policies. */
const UNKNOWN_SIDE = listOf([PASSES]);

interface Course {
  readonly from: string;
  readonly to: string;
  readonly list: List;
}

/** Adds the conditions of the connection to each allow piece. Without a connection, no flow passes. */
function linked(list: List, link: Link): List {
  if (link === undefined) return listOf([]);
  const words = link.flatMap((anyOf) => anyOf.map(({ unknown }) => unknown.name)).join("|");
  const conditioned = (piece: Piece): Piece => ({
    ...piece,
    key: `${piece.key} if ${words}`,
    conditions: [...piece.conditions, ...link],
  });
  return listOf(list.pieces.map((piece) => (piece.verdict === "allow" ? conditioned(piece) : piece)));
}

/** Groups courses with equal lists into one list of rules. Courses within a network and courses between networks are grouped separately. */
function policyOf(version: Version, labels: ReadonlyMap<string, string>, options: PolicyOptions & ControllerReading): Policy {
  const label = (name: string) => labels.get(name) ?? name;
  const courses = [...version.courses()].filter(({ list }) => list.pieces.length > 0);
  const [within, between] = [true, false].map((isWithin) => courses.filter(({ from, to }) => (from === to) === isWithin));
  const making = new Making(options);
  for (const [{ pieces }, alike] of groupBy(within ?? [], ({ list }) => list))
    making.add(pieces, { type: "intrazone", from: alike.map(({ from }) => label(from)), to: "any" });
  for (const [{ pieces }, alike] of groupBy(between ?? [], ({ list }) => list))
    for (const zones of pairsOf(alike, label)) making.add(pieces, zones);
  for (const [policy, rules] of version.fabric.policies) for (const rule of rules) making.idle(policy, rule);
  const zones = [ANYWHERE, ...version.names.map(label)];
  return {
    scope: SCOPE,
    zones,
    otherZones: false,
    withoutApplications: true,
    rules: making.rules.length > MOST_RULES ? [making.unknown(zones)] : making.rules,
    otherwise: "deny",
    limits: limitsOf(version.fabric, options),
  };
}

/** Combines pairs into few zone products: groups of networks that all reach each other, and sources with the same destinations. */
function pairsOf(courses: readonly Course[], label: (name: string) => string): FlowSet["zones"][] {
  const rows = [...groupBy(courses, ({ from }) => from)].map(([from, all]) => ({ from, to: all.map(({ to }) => to).sort() }));
  const rings = [...groupBy(rows, ({ from, to }) => [...to, from].sort().join("\n")).values()];
  const alone = rings.filter(({ length }) => length === 1).flat();
  const stars = [...groupBy(alone, ({ to }) => to.join("\n")).values()];
  const product = (type: "universal" | "interzone") => (all: readonly (typeof rows)[number][]) => ({
    type,
    from: all.map(({ from }) => label(from)),
    to: [...new Set(all.flatMap(({ to }) => to))].map(label),
  });
  return [...rings.filter(({ length }) => length > 1).map(product("interzone")), ...stars.map(product("universal"))];
}

/** Builds the ordered rules. Each pair of networks has only one list. */
class Making {
  readonly rules: Rule[] = [];
  readonly #times = new Map<string, number>();
  readonly #parts = new Set<string>();

  constructor(readonly options: PolicyOptions) {}

  add(pieces: readonly Piece[], zones: FlowSet["zones"]): void {
    for (const piece of pieces) this.rules.push(this.#rule(piece, zones));
  }

  /** Adds a rule without effect: the controller ignores it, or it applies to no connected networks. */
  idle(policy: string, { text, path }: PolicyRule): void {
    if (this.#parts.has(path.toString())) return;
    const rule = { name: `${lastOf(policy)}: ${text}`, path, isDefault: false };
    this.add([{ ...PASSES, rules: [rule] }], { type: "universal", from: [], to: [] });
  }

  unknown(zones: readonly string[]): Rule {
    const name = "what policies say of so many networks is that it passes";
    const unknown = { kind: "policies", definition: name, name, reason: "policies and networks make too many rules to look at" };
    const piece: Piece = { ...PASSES, conditions: [[{ unknown, holds: true }]] };
    return this.#rule(piece, { type: "universal", from: zones, to: zones });
  }

  #rule({ rules, verdict, source, destination, services, conditions }: Piece, zones: FlowSet["zones"]): Rule {
    const isWithin = zones.type === "intrazone";
    const isUnsaid = rules.every(({ isDefault }) => isDefault);
    const unsaid = isWithin && verdict === "allow" ? "within a network" : (rules[0]?.name ?? "no rule names them");
    const name = isUnsaid ? unsaid : rules.map((rule) => rule.name).join(", and ");
    const level = isUnsaid ? DEFAULT_LEVEL : isWithin ? "within" : "between";
    const words = (value: typeof source) => (value === "any" ? "any" : value.map((each) => each.id).join(" "));
    const text = JSON.stringify([level, name, words(source), words(destination)]);
    const time = this.#times.get(text) ?? 0;
    this.#times.set(text, time + 1);
    const path = rules.find((rule) => rule.path !== undefined)?.path;
    const values = rangesOf(services);
    const id = JSON.stringify(values);
    const parts = rules.filter(({ isDefault }) => !isDefault).map((rule) => rule.path?.toString() ?? rule.name);
    for (const part of parts) this.#parts.add(part);
    return {
      key: { level, group: "", name, uuid: `${text} ${time}` },
      parts,
      origin: path === undefined ? {} : { xpath: path.toString(), ...this.options.locate?.(path) },
      verdict,
      action: verdict,
      zones,
      source: source === "any" ? "any" : { negated: false, objects: source },
      destination: destination === "any" ? "any" : { negated: false, objects: destination },
      traffic: [
        {
          applications: "any",
          services: values === "any" ? "any" : { negated: false, objects: [{ id, name: id, values, members: [], unknowns: [] }] },
        },
      ],
      users: "any",
      conditions,
    };
  }
}

function limitsOf({ networks, policies }: Fabric, { equalSequence, logicalRouters }: ControllerReading): Limit[] {
  const certain = (text: string): Limit => ({ text, doubtful: false });
  return [
    certain("Only network policies are evaluated. Security groups of interfaces and tag-based firewall policies decide, too."),
    certain(`Addresses outside the visible networks count as ${ANYWHERE}. Floating IPs and service instances are not followed.`),
    ...([...networks.values()].some(isJudged) ? [certain(UNNAMED[logicalRouters])] : []),
    ...[...networks.values()].flatMap((network) => tied(network, policies, equalSequence)),
    ...[...policies].flatMap(([name, rules]) =>
      rules.flatMap((rule) => {
        const missing = [
          ["src_addresses", rule.sources],
          ["src_ports", rule.sourcePorts],
          ["dst_addresses", rule.destinations],
          ["dst_ports", rule.destinationPorts],
        ].find(([, all]) => all?.length === 0)?.[0];
        const lacks = rule.hasActions ? missing : "action_list";
        return lacks === undefined
          ? []
          : [certain(`The controller ignores rule ${lastOf(name)}: ${rule.text}, which has no ${String(lacks)}.`)];
      }),
    ),
  ];
}

const UNNAMED: Readonly<Record<ControllerReading["logicalRouters"], string>> = {
  enabled:
    "Traffic between connected networks is allowed if no rule of either network matches it, as in controllers with logical routers [?].",
  disabled: "A network with policies denies traffic that no rule matches, as in controllers without logical routers [?].",
};

/** Warns of policies with the same sequence if one allows and another denies. */
function tied({ name, attached }: Network, policies: Fabric["policies"], taken: ControllerReading["equalSequence"]): Limit[] {
  return [...groupBy(attached, ({ sequence }) => sequence).values()].flatMap((same): Limit[] => {
    const actions = new Set(same.flatMap(({ policy }) => (policies.get(policy) ?? []).map(({ action }) => action)));
    if (same.length < 2 || !actions.has("deny") || !actions.has("allow")) return [];
    const names = same.map(({ policy }) => lastOf(policy)).join(", ");
    return [
      {
        text: `Which of ${names} goes first in ${lastOf(name)} is not known: they have one sequence, and are taken ${taken} [?].`,
        doubtful: true,
      },
    ];
  });
}
