import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import type { PolicyOptions, PolicyRole } from "../../reachability/policy-role.js";
import { DECIDING_LISTS, decidesZones } from "./deciding-settings.js";
import { FIREWALLS, PUSHED_PATH, TEMPLATES } from "./pushed-paths.js";
import { DNS_PLACES, deviceEntry, IPV6_FIREWALLING, MANAGER_PLACES, scopeWord, WILDCARDS_IN_ORDER } from "./scope.js";
import type { PanosTargetConfiguration } from "./settings.js";

/** Lists that security policy depends on, and the rules, as the tags of a path below a scope. */
const CONCERNED = [
  ..."address address-group region external-list service service-group application application-group application-filter".split(" "),
  ..."schedule device-object zone import rulebase pre-rulebase post-rulebase profiles hip-objects hip-profiles".split(" "),
  ...Object.values(DECIDING_LISTS).flat(),
].map((list) => `/${list}`);

const isBelow = (tags: string, list: string) => `${tags}/`.startsWith(`${list}/`) || `${list}/`.startsWith(`${tags}/`);

/** Firewalls of a device group. */
const MEMBERS = /^\/entry\/devices(\/|$)/;

/** Parts of a template or stack that assign firewalls or values. */
const OF_TEMPLATE = /^\/entry\/(variable|templates|devices|config$)(\/|$)/;
/** Settings of the device that decide the meaning of rules. */
const OF_DEVICE = [IPV6_FIREWALLING, WILDCARDS_IN_ORDER, ...MANAGER_PLACES, ...DNS_PLACES];

/** `REDIRECTS`: parts that redirect flows themselves. `RULES_ALONE`: parts of a scope that NAT rules do not refer to. */
const REDIRECTS =
  /\/(zone|import|(pre-|post-)?rulebase(\/nat)?)(\/(?!security|default-security-rules|application-override|pbf|authentication)|$)/;
const RULES_ALONE = /\/((pre-|post-)?rulebase\/(?!nat)|application|application-group|application-filter|schedule|profiles)(\/|$|[a-z])/;

const SHARED = Path.root.child("config").child("shared");
const SYSTEMS = deviceEntry.child("vsys");
const GROUPS = deviceEntry.child("device-group");
/** Defines the order in which wildcards match, and whether a manager adds rules. */
const SETTINGS = deviceEntry.child("deviceconfig");
/** Locations of rules and of the objects that they refer to. */
const SCOPES = [SHARED, SYSTEMS, GROUPS];

/** Returns the tags of the path below a scope, each after a slash. */
function tagsBelow(path: Path, { depth }: Path): string {
  return path
    .steps()
    .slice(depth)
    .map(({ tag }) => `/${tag}`)
    .join("");
}

/** Returns the virtual system or device group that contains a path. */
function scopeAt(place: Path): string | undefined {
  const scope = place.steps().find(({ parent, name }) => name !== undefined && (parent?.equals(SYSTEMS) || parent?.equals(GROUPS)));
  return scope === undefined ? undefined : scopeWord(scope);
}

/** The `reading` settings of the target in plumbline.yaml. */
function readingOf({ configuration }: PolicyOptions): PanosTargetConfiguration["reading"] {
  return configuration?.kind === "panos" ? (configuration as PanosTargetConfiguration).reading : {};
}

/**
 * Whether the target is a manager, decided without a connection: its documents contain device groups or templates, or it pushes to or
 * watches firewalls.
 */
function isOfManager(desired: TreeNode, configuration: TargetConfiguration): boolean {
  if ([GROUPS, ...TEMPLATES].some((place) => find(desired, place) !== undefined)) return true;
  if (configuration.kind !== "panos" || find(desired, SYSTEMS) !== undefined) return false;
  const { push, firewalls, offline } = configuration as PanosTargetConfiguration;
  return push !== undefined || offline !== undefined || firewalls === "watch" || firewalls === "verify";
}

/** Returns the path of a setting in a template as a path of a firewall. Undefined if it is above the settings. */
function inFirewall(path: Path, template: Path): Path | undefined {
  const [, config, ...steps] = path.steps().slice(template.depth);
  if (config?.tag !== "config" || steps.length === 0) return undefined;
  return steps.reduce((at, { tag, name }) => (name === undefined ? at.child(tag) : at.entry(name, tag)), Path.root.child("config"));
}

function concerns(path: Path): boolean {
  if (decidesZones(tagsBelow(path, deviceEntry))) return true;
  if (OF_DEVICE.some((each) => each.contains(path) || path.contains(each))) return true;
  const template = TEMPLATES.find((each) => each.contains(path) || path.contains(each));
  if (template !== undefined) {
    const handed = inFirewall(path, template);
    if (handed !== undefined) return concerns(handed);
    return path.depth <= template.depth + 1 || OF_TEMPLATE.test(tagsBelow(path, template));
  }
  const scope = SCOPES.find((each) => each.contains(path) || path.contains(each));
  if (scope === undefined) return false;
  if (path.depth <= scope.depth + 1) return true;
  const tags = tagsBelow(path, scope);
  const own = scope === SHARED ? tags : tags.replace(/^\/entry/, "");
  return CONCERNED.some((list) => isBelow(own, list)) || (scope === GROUPS && MEMBERS.test(tags));
}

/** What insight needs from a firewall or its manager. */
export const panosPolicies: PolicyRole = {
  // Proof that a subtree is absent is expensive: a firewall has no device groups, and a manager has no virtual systems.
  subtrees: (desired, configuration) =>
    isOfManager(desired, configuration) ? [SHARED, GROUPS, ...TEMPLATES, FIREWALLS] : [SHARED, SYSTEMS, SETTINGS],
  // A manager keeps the network of its firewalls in templates.
  network: (desired, configuration) => (isOfManager(desired, configuration) ? [] : [deviceEntry.child("network")]),
  redirects(path) {
    const tags = tagsBelow(path, deviceEntry);
    if (decidesZones(tags) || REDIRECTS.test(tags) || TEMPLATES.some((each) => each.contains(path))) return "surely";
    return RULES_ALONE.test(tags) ? "no" : "perhaps";
  },
  borrowed: [PUSHED_PATH, FIREWALLS],
  concerns,
  scopeAt,
  async load() {
    const [{ predefinedNames, rulebasesOf }, { trafficLog }] = await Promise.all([
      import("./policy/policies.js"),
      import("./policy/logged-session.js"),
    ]);
    return {
      rulebases: (versions, options) => rulebasesOf(versions, { ...readingOf(options), ...options }),
      predefinedNames,
      sessionLog: trafficLog,
    };
  },
  async loadWords() {
    const { flowsOf } = await import("./policy/flows.js");
    return { flows: (root, scope, question, options) => flowsOf(root, scope, question, readingOf(options)) };
  },
};
