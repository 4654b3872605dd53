import type { TreeNode } from "../../../core/tree/node.js";
import type { Policy } from "../../../reachability/flows/policy.js";
import type { Rulebase } from "../../../reachability/policy-role.js";
import { DEFAULTS } from "../security-rule.js";
import { Addresses } from "./addresses.js";
import { Applications } from "./applications.js";
import type { Version } from "./changed-definitions.js";
import { changesOutsideRules } from "./changes-outside-rules.js";
import { destinationLandings } from "./destination-landings.js";
import { flowsIn } from "./flows.js";
import { forwardingPaths } from "./forwarding-paths.js";
import { limitsOf } from "./limits.js";
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
import { zonesOfAddress } from "./zones-of.js";

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
    isThere: trees.map((_, at) => failure !== undefined || systems[at] !== undefined),
    size: explicit === 0 ? 0 : explicit + DEFAULTS.length,
    policies() {
      if (failure !== undefined) throw new Error(failure);
      return systems.map((system, at) => {
        if (system === undefined) return undefined;
        const policy = policyOf(system, options, inUse);
        const [former, before, after] = [systems[at - 1], trees[at - 1], trees[at]];
        if (at === 0 || before === undefined || after === undefined) return policy;
        const beside =
          former !== undefined ? changesOutsideRules({ root: before, system: former }, { root: after, system }) : firewalls && [NO_GROUP];
        if (beside === undefined) return policy;
        return { ...policy, limits: [...beside.map((text) => ({ text, doubtful: true, isOfChange: true })), ...policy.limits] };
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
    otherwise: "deny",
    limits: limitsOf(system, reading),
  };
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
