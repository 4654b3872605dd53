import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { type AnyOf, type Unknown, USER, type UserMatch, type UserState } from "../../../reachability/flows/policy.js";
import { panosShape } from "../shape.js";
import { type Found, matchedBy, membersOf, type NameScopes } from "./name-scopes.js";
import { contentOf, unresolved } from "./unknowns.js";

/** `READ`: children of a security rule that this model evaluates. `NO_MATCH`: children that do not affect matching. */
const READ = new Set(
  "from to source destination negate-source negate-destination source-user application service category source-hip destination-hip hip-profiles schedule rule-type disabled action target".split(
    " ",
  ),
);
const NO_MATCH = new Set(
  "description tag group-tag icmp-unreachable profile-setting log-start log-end log-setting option qos disable-inspect disable-server-response-inspection audit-comment".split(
    " ",
  ),
);

/** Returns the conditions of a rule other than zones, addresses, applications, services and users. */
export function conditionsOf(rule: TreeNode, scopes: NameScopes): readonly AnyOf[] {
  return [...schedule(rule, scopes), ...profiles(rule, scopes), ...categories(rule, scopes), ...notUnderstood(rule, scopes)];
}

function schedule(rule: TreeNode, scopes: NameScopes): AnyOf[] {
  const name = childByTag(rule, "schedule")?.text ?? "";
  if (name === "" || name === "none") return [];
  return [[holds(objectOf(name, "schedule", ["schedule"], scopes, "the time is not given"))]];
}

const HOST_LISTS = [
  ["source-hip", "of the source"],
  ["destination-hip", "of the destination"],
  ["hip-profiles", "of the source"],
] as const;

function profiles(rule: TreeNode, scopes: NameScopes): AnyOf[] {
  return HOST_LISTS.flatMap(([tag, whose]) => {
    const names = matchedBy(rule, tag);
    if (names === "any") return [];
    return [
      names.map((name) => {
        const profile = hostProfile(name, scopes);
        return holds({ ...profile, definition: `${whose} ${profile.definition}` });
      }),
    ];
  });
}

/** Resolves a host profile and the objects in its expression. */
function hostProfile(name: string, scopes: NameScopes): Unknown {
  const reason = "host information is not known";
  const found = scopes.find(name, ["profiles/hip-profiles", "hip-profiles", "device-object"]);
  if (found?.list === "device-object") return { kind: "host profile", definition: contentOf(found), name, reason };
  if (found === undefined) {
    if (name === "no-hip" || name === "quarantine") return { kind: "host profile", definition: name, name, reason };
    return unresolved(name, "host profile");
  }
  const match = childByTag(found.node, "match")?.text ?? "";
  const named = [...match.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b ?? "");
  const objects = named.map((each) => scopes.find(each, ["profiles/hip-objects", "hip-objects"]));
  const definition = objects.reduce(
    (text, object, at) => text.replaceAll(named[at] ?? "", object === undefined ? (named[at] ?? "") : contentOf(object)),
    match,
  );
  return { kind: "host profile", definition, name, reason };
}

function categories(rule: TreeNode, scopes: NameScopes): AnyOf[] {
  const names = matchedBy(rule, "category");
  if (names === "any") return [];
  return [names.map((name) => holds(category(name, scopes)))];
}

function category(name: string, scopes: NameScopes): Unknown {
  const reason = "of which category an address on the web is, is not known";
  const found = scopes.find(name, ["profiles/custom-url-category", "external-list"]);
  return { kind: "category", definition: found === undefined ? `predefined ${name}` : contentOf(found), name, reason };
}

/** An unknown child may be another match condition of the rule. */
function notUnderstood(rule: TreeNode, scopes: NameScopes): AnyOf[] {
  return rule.children
    .filter((child) => !READ.has(child.tag) && !NO_MATCH.has(child.tag) && !isAny(child))
    .map((child) => {
      const lists = child.children.flatMap(({ text }) => scopes.find(text, ["external-list"]) ?? []).map(contentOf);
      const definition = [canonicalText(child, shapeAt(RULE.child(child.tag), panosShape())), ...lists].join("\n");
      return [holds({ kind: "setting of a rule", definition, name: child.tag, reason: `${child.tag} of a rule is not modelled` })];
    });
}

const RULE = "config devices entry vsys entry rulebase security rules entry".split(" ").reduce((path, tag) => path.child(tag), Path.root);

function isAny(child: TreeNode): boolean {
  if (child.children.length === 0) return child.text.trim() === "" || child.text === "any";
  return child.children.every((member) => member.tag === "member" && member.text === "any");
}

function objectOf(name: string, kind: string, lists: readonly string[], scopes: NameScopes, reason: string): Unknown {
  const found: Found | undefined = scopes.find(name, lists);
  return found === undefined ? unresolved(name, kind) : { kind, definition: contentOf(found), name, reason };
}

export const holds = (unknown: Unknown) => ({ unknown, holds: true });

const STATES: ReadonlyMap<string, UserState> = new Map([
  ["known-user", "known"],
  ["unknown", "unknown"],
  ["pre-logon", "pre-logon"],
]);

/** Lists whose entries are groups of users. */
const USER_GROUPS = ["dynamic-user-group", "local-user-database/user-group"];

/** Returns the users that a rule or a question matches. */
export function usersIn(names: "any" | readonly string[], scopes: NameScopes): UserMatch {
  if (names === "any") return "any";
  const states = names.flatMap((name) => STATES.get(name) ?? []);
  const unknowns = names
    .filter((name) => !STATES.has(name))
    .map((name): Unknown => {
      const reason = "who is behind an address, and who is in a group, is not known";
      // Only a group of a directory is named by its distinguished name.
      const isGroup = /^(?:cn|ou)=/i.test(name) || scopes.find(name, USER_GROUPS) !== undefined;
      return { kind: isGroup ? "user group" : USER, definition: name.toLowerCase(), name, reason };
    });
  return { states, unknowns };
}

/** A virtual system of a firewall that rules of a manager may target. */
export interface Receiver {
  readonly serial: string;
  readonly vsys: string;
}

/** Whether the `target` of a manager's rule includes this firewall. Returns the unknown that decides if the answer is not known. */
export function meantFor(rule: TreeNode, receiver: Receiver | undefined): boolean | Unknown {
  const target = childByTag(rule, "target");
  if (target === undefined) return true;
  const devices = childByTag(target, "devices")?.children ?? [];
  const tags = membersOf(target, "tags") ?? [];
  if (devices.length === 0 && tags.length === 0) return true;
  const isNegated = childByTag(target, "negate")?.text === "yes";
  if (receiver !== undefined && tags.length === 0) return devices.some((device) => names(device, receiver)) !== isNegated;
  const definition = [isNegated ? "not" : "", ...devices.map(({ name = "" }) => name).sort(), ...[...tags].sort()].join(" ").trim();
  return { kind: "target of a rule", definition, name: definition, reason: "the firewall is not given" };
}

/** A firewall without a list of virtual systems includes all of them. */
function names(device: TreeNode, { serial, vsys }: Receiver): boolean {
  const systems = childByTag(device, "vsys")?.children ?? [];
  return device.name === serial && (systems.length === 0 || systems.some(({ name }) => name === vsys));
}
