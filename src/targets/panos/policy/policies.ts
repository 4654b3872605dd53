import type { TreeNode } from "../../../core/tree/node.js";
import { DEFAULT_LEVEL, type Limit, type Policy, type Rule, type UnreadRules } from "../../../reachability/flows/policy.js";
import type { AddressZones, Rulebase } from "../../../reachability/policy-role.js";
import { DEFAULTS } from "../security-rule.js";
import { Addresses } from "./addresses.js";
import { Applications } from "./applications.js";
import type { Version } from "./changed-definitions.js";
import { changesOutsideRules } from "./changes-outside-rules.js";
import { rangesOf } from "./contains-value.js";
import { destinationLandings } from "./destination-landings.js";
import { flowsIn } from "./flows.js";
import { Forwarding } from "./forwarding.js";
import { forwardingPaths, walkIn } from "./forwarding-paths.js";
import { type ManagedSystem, managedSystems } from "./managed-systems.js";
import { type Found, membersOf, type NameScope, NameScopes } from "./name-scopes.js";
import { ASSUMED, Reading, type ReadingOptions } from "./reading.js";
import { disabledRules, rulesOf, securityRules } from "./rules.js";
import { Services } from "./services.js";
import { allZonesOf, type EffectiveSystem, type RuleLayer, systemsIn, zonesOf } from "./systems.js";
import { AT_HOME } from "./traffic.js";
import { transitOf } from "./transit.js";
import { translatedFlows } from "./translated-flows.js";
import { withWildcardDoubts } from "./wildcard-order.js";

/** Limits that apply to every answer about a firewall. */
const ALWAYS: readonly Limit[] = [
  "Assumes that App-ID has already identified the session.",
  "Existing sessions are not re-evaluated unless session rematch is enabled.",
  "Not modelled: traffic to the device itself, zone and DoS protection, decryption, authentication policy, policy-based forwarding, NAT64 and NPTv6, applications that others imply.",
].map((text) => ({ text, doubtful: false }));

/** Rulebases that change what a session is before security rules see it. */
const BEFORE_SECURITY: readonly (readonly [tag: string, text: string])[] = [
  ["application-override", "This rulebase has application override rules, which set the application of a session and are not modelled."],
];

/**
 * Returns the rulebases to analyze in several versions of one firewall or manager: virtual systems, firewalls of a manager grouped by the
 * configuration that they receive, and device groups without firewalls. Versions are translated together, because an application name in
 * one version affects the meaning of the other.
 */
export function rulebasesOf(trees: readonly TreeNode[], options: ReadingOptions = {}): Rulebase[] {
  const assumed = { ...ASSUMED, ...options };
  const versions = trees.map((root) => systemsIn(root, assumed.precedence));
  const managed = managedSystems(trees, assumed);
  const handed = new Set(managed.filter(({ systems }) => systems.at(-1) !== undefined).flatMap(({ within }) => within));
  const scopes = [...new Set(versions.flat().map(({ scope }) => scope))].filter((scope) => !handed.has(scope));
  const alone = scopes.map((scope): Versions => {
    const systems = versions.map((all) => all.find((system) => system.scope === scope));
    return { systems, within: [scope], isSame: false };
  });
  const all = [...alone, ...managed];
  const layers = new Set(all.flatMap(({ systems }) => systems.flatMap((system) => system?.layers ?? [])));
  const names = new Set(all.flatMap(({ systems }) => systems.flatMap((system) => system?.names.map(({ node }) => node) ?? [])));
  const inUse = new Set([...applicationsIn([...layers], [...names]), ...(options.applications ?? [])]);
  return all.map((each) => rulebaseOf(each, trees, options, inUse));
}

/**
 * Returns the policies of each version.
 * @internal Exported for tests that only check rules.
 */
export function policiesOf(trees: readonly TreeNode[], options: ReadingOptions = {}): Policy[][] {
  const all = rulebasesOf(trees, options).map((each) => each.policies());
  return trees.map((_, at) => all.flatMap((policies) => policies[at] ?? []));
}

/**
 * Returns the undeclared applications whose definition matters. Questions name them, rules use them with application-default, or they may be
 * containers of other applications. Only the device can define them.
 */
export function predefinedNames(trees: readonly TreeNode[], names: readonly string[]): string[] {
  const systems = [
    ...trees.flatMap((root) => systemsIn(root, ASSUMED.precedence)),
    ...managedSystems(trees, ASSUMED).flatMap((each) => each.systems),
  ];
  const layers = new Set(systems.flatMap((system) => system?.layers ?? []));
  const scopes = new Set(systems.flatMap((system) => system?.names.map(({ node }) => node) ?? []));
  const lists = ["application", "application-group", "application-filter"];
  const declared = new Set(
    [...scopes].flatMap((node) =>
      node.children.filter(({ tag }) => lists.includes(tag)).flatMap(({ children }) => children.map(({ name }) => name)),
    ),
  );
  const inUse = [...new Set([...applicationsIn([...layers], [...scopes]), ...names])];
  const containers = inUse.filter((name) => inUse.some((each) => each.startsWith(`${name}-`)));
  const atHome = applicationsIn([...layers], [...scopes], (rule) => membersOf(rule, "service")?.includes(AT_HOME) === true);
  return [...new Set([...names, ...containers, ...atHome])].filter((name) => name !== "any" && !declared.has(name));
}

type Versions = Omit<ManagedSystem, "firewalls"> & Partial<Pick<ManagedSystem, "firewalls">>;

function rulebaseOf(versions: Versions, trees: readonly TreeNode[], options: ReadingOptions, inUse: ReadonlySet<string>): Rulebase {
  const { firewalls, systems, within, isSame, failure } = versions;
  const explicit = systems.findLast((system) => system !== undefined)?.layers.flatMap((layer) => rulesOf(layer, "security")).length ?? 0;
  return {
    scope: within[0] ?? "",
    within,
    firewalls,
    isSame,
    failure,
    isThere: trees.map((_, at) => failure !== undefined || systems[at] !== undefined),
    size: explicit === 0 ? 0 : explicit + DEFAULTS.length,
    policies() {
      if (failure !== undefined) throw new Error(failure);
      return systems.map((system, at) => {
        if (system === undefined) return undefined;
        const policy = policyOf(system, options, inUse);
        const [former, before, after] = [systems[at - 1], trees[at - 1], trees[at]];
        if (at === 0 || before === undefined || after === undefined) return policy;
        const alternative =
          former !== undefined ? changesOutsideRules({ root: before, system: former }, { root: after, system }) : firewalls && [NO_GROUP];
        if (alternative === undefined) return policy;
        return { ...policy, limits: [...alternative.map((text) => ({ text, doubtful: true, isOfChange: true })), ...policy.limits] };
      });
    },
    flows: (version, question) => flowsIn(systems[version], question, options, inUse),
    translated(version, flows) {
      const system = systems[version];
      return system === undefined ? [] : translatedFlows(system, flows, options);
    },
    zonesOf(version, address) {
      const [system, root] = [systems[version], trees[version]];
      if (system === undefined || root === undefined) return { zones: [], unknown: [`there is no rulebase ${within[0] ?? ""}`] };
      return zonesOfAddress(root, system, address, options);
    },
    destinationLandings(version, flows) {
      const [system, root] = [systems[version], trees[version]];
      return system === undefined || root === undefined ? undefined : destinationLandings(root, system, flows, options);
    },
    ways(version, question) {
      const [system, root] = [systems[version], trees[version]];
      return system === undefined || root === undefined ? [] : forwardingPaths(root, system, question, options);
    },
    async landings(isRead) {
      const [before, after] = [0, trees.length - 1].map((at) => ({ root: trees[at], system: systems[at] }));
      if (failure !== undefined || before?.system === undefined || after?.system === undefined) return undefined;
      const { landingsOf } = await import("./landings.js");
      return landingsOf(before as Version, after as Version, options, isRead);
    },
    transit(version) {
      const [system, root] = [systems[version], trees[version]];
      return system === undefined || root === undefined || firewalls !== undefined ? undefined : transitOf(root, system, options);
    },
  };
}

const NO_GROUP =
  "Before the change no device group pushes to it: the flows that it allowed then are not known, and are assumed to be none.";

/** Returns the policy of one rulebase. `inUse`: applications that rules of any version, or questions, refer to. */
function policyOf(system: EffectiveSystem, options: ReadingOptions, inUse: ReadonlySet<string>): Policy {
  const reading = new Reading(options);
  const { ranked = [] } = system;
  const doubted = ({ node, scope }: Found, other: NameScope): void => {
    if (!ranked.includes(scope) || !ranked.includes(other)) return;
    reading.doubts.add(
      `"${node.name}" is in ${scope.word} and in ${other.word}: the former is used, according to the option precedence [?].`,
    );
  };
  const scopes = new NameScopes(system.names, ranked.length > 0 ? doubted : undefined);
  const names = {
    scopes,
    addresses: new Addresses(scopes, reading),
    services: new Services(scopes, reading),
    applications: new Applications(scopes, reading, inUse),
  };
  const rules = securityRules(system, names, reading);
  const ordered =
    system.wildcardsInOrder === true || reading.assumed.wildcards === "top down" ? rules : withWildcardDoubts(rules, names.addresses);
  return {
    scope: system.scope,
    zones: zonesOf(system),
    otherZones: allZonesOf(system) === undefined,
    rules: ordered,
    disabled: disabledRules(system),
    unread: unreadIn(system, ordered),
    otherwise: "deny",
    limits: limitsOf(system, reading),
  };
}

function unreadIn({ unread }: EffectiveSystem, rules: readonly Rule[]): UnreadRules | undefined {
  if (unread === undefined) return undefined;
  const at = rules.findIndex(({ key }) => key.level === DEFAULT_LEVEL || key.level === unread.above);
  return { at: at === -1 ? rules.length : at, text: unread.text };
}

/** Returns the applications of the rules that `isIn` selects, and of groups if there is such a rule. */
function applicationsIn(
  layers: readonly RuleLayer[],
  places: readonly TreeNode[],
  isIn: (rule: TreeNode) => boolean = () => true,
): string[] {
  const rules = layers.flatMap((layer) => rulesOf(layer, "security")).filter(isIn);
  const groups =
    rules.length === 0 ? [] : places.flatMap((node) => node.children.find(({ tag }) => tag === "application-group")?.children ?? []);
  return [
    ...rules.flatMap((rule) => membersOf(rule, "application") ?? []),
    ...groups.flatMap((group) => membersOf(group, "members") ?? []),
  ];
}

function limitsOf(system: EffectiveSystem, reading: Reading): readonly Limit[] {
  const own = [...(system.doubts ?? []), ...reading.doubts, ...overrides(system)];
  return [...own.map((text) => ({ text, doubtful: true })), ...reading.asOf().map((text) => ({ text, doubtful: false })), ...ALWAYS];
}

function overrides({ layers }: EffectiveSystem): readonly string[] {
  return BEFORE_SECURITY.filter(([tag]) => layers.some((layer) => rulesOf(layer, tag).length > 0)).map(([, text]) => text);
}

/** Returns the zones that the routes of a virtual system lead to for the addresses of a name or literal. */
function zonesOfAddress(root: TreeNode, system: EffectiveSystem, text: string, options: ReadingOptions): AddressZones {
  const walk = walkIn(root, system, options);
  const ranges = rangesOf(walk.names.addresses.named(text));
  if (ranges === undefined) return { zones: [], unknown: [`the addresses of "${text}" are not in the configuration`] };
  const routers = walk.routes.routers.filter(({ interfaces }) => interfaces.some((each) => walk.zones.has(each)));
  if (routers.length === 0) return { zones: [], unknown: [`${system.scope} has no interface with routes`] };
  const isHost = ranges.every(({ first, last }) => first === last);
  const zones = new Set<string>();
  const unknown = new Set(walk.forwarding.map((rule) => `rule "${rule}" of policy-based forwarding may send it elsewhere`));
  for (const { name, learns } of routers) {
    if (learns.length > 0) unknown.add(`router ${name} learns routes by ${learns.join(", ")}`);
    for (const { hops, isOwn } of new Forwarding(walk, name).split(ranges).keys()) {
      if (isOwn && isHost) unknown.add(`"${text}" is an address of the firewall itself`);
      for (const { zone, stops, why } of hops) {
        if (zone !== undefined) zones.add(zone);
        else unknown.add(stops ? `router ${name} has no route to all of "${text}"` : why);
      }
    }
  }
  return { zones: [...zones], unknown: [...unknown] };
}
