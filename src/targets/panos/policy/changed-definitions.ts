import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, find, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { DECIDING_LISTS } from "../deciding-settings.js";
import { DNS_PLACES, deviceEntry, IPV6_FIREWALLING, MANAGER_PLACES } from "../scope.js";
import { isDisabled } from "../security-rule.js";
import { panosShape } from "../shape.js";
import { matchedBy } from "./name-scopes.js";
import { rulesOf } from "./rules.js";
import type { EffectiveSystem } from "./systems.js";

/** One version of a rulebase, and the configuration that contains it. */
export interface Version {
  readonly root: TreeNode;
  readonly system: EffectiveSystem;
}

/** Definitions that decide the meaning of rules, but whose effect is not computed. */
interface Definitions {
  /** Tags of the lists, below a virtual system, a device group or `shared`. */
  readonly lists: readonly string[];
  /** Tags of the settings, below a zone. */
  readonly ofZones: readonly string[];
  /** Whether a rulebase depends on them. */
  readonly isUsed: (system: EffectiveSystem) => boolean;
  readonly subject: string;
  readonly unknown: string;
}

const HOSTS = ["source-hip", "destination-hip", "hip-profiles"];
/** Profiles that do not inspect the sessions of a rule with `profile-setting`. */
const OTHER_PROFILES = new Set(["hip-objects", "hip-profiles", "decryption", "dos-protection"]);

const names = (field: string) => (system: EffectiveSystem) => enabledRules(system).some((rule) => matchedBy(rule, field) !== "any");
const hasProfiles = (system: EffectiveSystem) => enabledRules(system).some((rule) => childByTag(rule, "profile-setting") !== undefined);
const hasRules = (tag: string) => (system: EffectiveSystem) => system.layers.some((layer) => rulesOf(layer, tag).length > 0);
const hasDynamicGroups = (system: EffectiveSystem) =>
  entriesOf(system, "address-group").some((group) => childByTag(group, "dynamic") !== undefined);

const hasNames = (system: EffectiveSystem) => entriesOf(system, "address").some((address) => childByTag(address, "fqdn") !== undefined);

const DEFINITIONS: readonly Definitions[] = [
  {
    lists: DECIDING_LISTS.users,
    ofZones: ["enable-user-identification", "user-acl"],
    isUsed: names("source-user"),
    subject: "User identification",
    unknown: "which users rules match is not known",
  },
  {
    lists: DECIDING_LISTS.hosts,
    ofZones: ["enable-device-identification", "device-acl"],
    isUsed: (system) => HOSTS.some((field) => names(field)(system)),
    subject: "Device identification",
    unknown: "which hosts rules match is not known",
  },
  {
    lists: DECIDING_LISTS.registered,
    ofZones: [],
    isUsed: hasDynamicGroups,
    subject: "The sources of registered addresses",
    unknown: "which addresses dynamic groups contain is not known",
  },
  {
    lists: DECIDING_LISTS.resolvers,
    ofZones: [],
    isUsed: hasNames,
    subject: "Name resolution",
    unknown: "which addresses FQDNs have is not known",
  },
  {
    lists: DECIDING_LISTS.applications,
    ofZones: [],
    isUsed: (system) => entriesOf(system, "application-filter").length > 0,
    subject: "Tags of applications",
    unknown: "which applications filters select is not known",
  },
  {
    lists: DECIDING_LISTS.inspection,
    ofZones: [],
    isUsed: hasProfiles,
    subject: "Security profiles",
    unknown: "what they block in allowed sessions is not known",
  },
  {
    lists: DECIDING_LISTS.floods,
    ofZones: ["dos-profile"],
    isUsed: (system) => hasRules("dos")(system) || zonesIn(system).some((zone) => childByTag(zone, "dos-profile") !== undefined),
    subject: "DoS protection",
    unknown: "which sessions it drops is not known",
  },
  {
    lists: DECIDING_LISTS.decryption,
    ofZones: [],
    isUsed: hasRules("decryption"),
    subject: "Decryption profiles",
    unknown: "which sessions they block is not known",
  },
];

/**
 * Reports changed definitions whose effect on the rules is not computed, if the rules depend on them. Returns one sentence per kind of
 * definition.
 */
export function changedDefinitions(before: Version, after: Version): string[] {
  const systems = [before.system, after.system] as const;
  const changed = DEFINITIONS.flatMap(({ lists, ofZones, isUsed, subject, unknown }) => {
    if (!systems.some(isUsed)) return [];
    const tags = lists.filter((tag) => differ(systems, (system) => textsAt(system, tag)));
    const zones = changedZones(systems, ofZones);
    const where = [...tags, ...zones.map((zone) => `zone ${zone}`)];
    return where.length === 0 ? [] : [`${subject} may change (${where.join(", ")}): ${unknown}.`];
  });
  return [...changed, ...inspection(systems), ...zoneSettings(systems), ...settings(before, after)];
}

/** Reports changed profiles, and rules that use other ones. */
function inspection(systems: readonly [EffectiveSystem, EffectiveSystem]): string[] {
  const kinds = new Set(systems.flatMap((system) => scopesOf(system).flatMap((node) => profilesIn(node).map(({ tag }) => tag))));
  const tags = [...kinds].filter((tag) => !OTHER_PROFILES.has(tag) && differ(systems, (system) => textsAt(system, `profiles/${tag}`)));
  const profiles = systems.some(hasProfiles) ? tags : [];
  const [former, next] = systems.map(profileSettings) as [ReadonlyMap<string, string>, ReadonlyMap<string, string>];
  const rules = [...next].filter(([rule, text]) => former.has(rule) && former.get(rule) !== text).map(([rule]) => `rule ${rule}`);
  const where = [...profiles, ...(systems.some(hasProfiles) ? changedListsOfProfiles(systems) : []), ...rules];
  return where.length === 0 ? [] : [`Security profiles change (${where.join(", ")}): what they block in allowed sessions is not compared.`];
}

/** Returns the changed external lists that a profile names: a list of domains or URLs decides what the profile blocks. */
function changedListsOfProfiles(systems: readonly [EffectiveSystem, EffectiveSystem]): string[] {
  const wordsIn = ({ name, text, children }: TreeNode): string[] => [
    ...(name === undefined ? [] : [name]),
    text,
    ...children.flatMap(wordsIn),
  ];
  const used = new Set(systems.flatMap((system) => scopesOf(system).flatMap((node) => profilesIn(node).flatMap(wordsIn))));
  const [former, next] = systems.map(
    (system) => new Map(entriesOf(system, "external-list").map((list) => [list.name ?? "", textOf(list)])),
  ) as [Map<string, string>, Map<string, string>];
  const all = [...new Set([...former.keys(), ...next.keys()])];
  return all.filter((name) => used.has(name) && former.get(name) !== next.get(name)).map((name) => `external list ${name}`);
}

const INSPECTION = ["profile-setting", "option", "disable-inspect"];

function profileSettings(system: EffectiveSystem): ReadonlyMap<string, string> {
  const rules = ["security", "default-security-rules"].flatMap((tag) =>
    system.layers.flatMap((layer) => rulesOf(layer, tag).map((rule) => [`${layer.level} ${layer.group}`, rule] as const)),
  );
  return new Map(rules.map(([at, rule]) => [`${rule.name} ${at}`.replace(/ local $/, ""), textsOf([rule], INSPECTION)]));
}

/** Zone settings that the rules do not depend on, or that other functions compare. */
const COMPARED = new Set(["layer3", "layer2", "virtual-wire", "tap", "external", "log-setting"]);

/** Reports zone settings that drop or identify traffic before the rules. */
function zoneSettings(systems: readonly [EffectiveSystem, EffectiveSystem]): string[] {
  const [former, next] = systems.map((system) => {
    const zones = zonesIn(system).map((zone) => {
      const network = (childByTag(zone, "network")?.children ?? []).filter(({ tag }) => !COMPARED.has(tag));
      return [zone.name ?? "", network.map((child) => textOf(child)).join("\n")] as const;
    });
    return new Map(zones);
  }) as [Map<string, string>, Map<string, string>];
  const changed = [...next].filter(([zone, text]) => former.has(zone) && former.get(zone) !== text).map(([zone]) => zone);
  return changed.length === 0 ? [] : [`Zone protection changes (${changed.join(", ")}): which sessions it drops is not known.`];
}

/** Reports changed settings of the device. */
function settings({ root, system }: Version, next: Version): string[] {
  const [before, after] = [system.network ?? root, next.system.network ?? next.root];
  const differs = (place: Path) => textAt(before, place) !== textAt(after, place);
  const usesProtection = zonesIn(system).some(
    (zone) => childByTag(childByTag(zone, "network") ?? zone, "zone-protection-profile") !== undefined,
  );
  return [
    ...(usesProtection && differs(ZONE_PROTECTION) ? ["Zone protection profiles change: which sessions they drop is not known."] : []),
    ...(differs(IPV6_FIREWALLING) ? ["The setting ipv6-firewalling changes: whether rules apply to IPv6 is not known."] : []),
    ...(hasNames(system) && [...DNS_PLACES, system.path.child("import").child("dns-proxy")].some(differs)
      ? ["DNS settings change: which addresses FQDNs have is not known."]
      : []),
    ...(MANAGER_PLACES.some(differs) ? ["The setting of the manager changes: which rules it pushes is not known."] : []),
  ];
}

function differ<Of>([before, after]: readonly [Of, Of], text: (of: Of) => string): boolean {
  return text(before) !== text(after);
}

function enabledRules({ layers }: EffectiveSystem): readonly TreeNode[] {
  return layers.flatMap((layer) => rulesOf(layer, "security").filter((rule) => !isDisabled(rule)));
}

function zonesIn({ zones = [] }: EffectiveSystem): readonly TreeNode[] {
  return zones.flatMap(({ children }) => children);
}

function entriesOf(system: EffectiveSystem, tag: string): readonly TreeNode[] {
  return scopesOf(system).flatMap((node) => childByTag(node, tag)?.children ?? []);
}

/** Returns the scopes of the definitions. Those of a managed firewall are also in its template. */
function scopesOf({ names: scopes, network, path }: EffectiveSystem): readonly TreeNode[] {
  const ofTemplate = network === undefined ? [] : [path, SHARED].flatMap((place) => find(network, place) ?? []);
  return [...scopes.map(({ node }) => node), ...ofTemplate];
}

const profilesIn = (scope: TreeNode): readonly TreeNode[] => childByTag(scope, "profiles")?.children ?? [];

function changedZones(systems: readonly [EffectiveSystem, EffectiveSystem], tags: readonly string[]): string[] {
  const [former, next] = systems.map(
    (system) => new Map(zonesIn(system).map((zone) => [zone.name ?? "", textsOf([zone], tags)] as const)),
  ) as [Map<string, string>, Map<string, string>];
  return [...next].filter(([zone, text]) => former.has(zone) && former.get(zone) !== text).map(([zone]) => zone);
}

/** Returns the canonical text of a list, which may be nested, in all scopes. */
function textsAt(system: EffectiveSystem, place: string): string {
  const steps = place.split("/");
  const nodes = scopesOf(system).flatMap(
    (node) => steps.slice(0, -1).reduce<TreeNode | undefined>((at, tag) => at && childByTag(at, tag), node) ?? [],
  );
  return textsOf(nodes, steps.slice(-1));
}

const SHARED = Path.root.child("config").child("shared");
const ZONE_PROTECTION = deviceEntry.child("network").child("profiles").child("zone-protection-profile");

/** Whether definitions in templates change for a virtual system. */
export function changesOfTemplates(before: TreeNode, after: TreeNode, system: Path): boolean {
  const places = [system, SHARED, ZONE_PROTECTION, IPV6_FIREWALLING, ...DNS_PLACES, ...MANAGER_PLACES];
  return before !== after && places.some((place) => textAt(before, place) !== textAt(after, place));
}

const RULE = Path.root.child("config").child("rule");

/** Returns the canonical text of children with these tags. */
function textsOf(nodes: readonly TreeNode[], tags: readonly string[]): string {
  return nodes
    .flatMap((node) => tags.flatMap((tag) => childByTag(node, tag) ?? []))
    .map(textOf)
    .join("\n");
}

const textOf = (node: TreeNode): string => canonicalText(node, shapeAt(RULE.child(node.tag), panosShape()));

function textAt(root: TreeNode, path: Path): string {
  const node = find(root, path);
  return node === undefined ? "" : canonicalText(node, shapeAt(path, panosShape()));
}
