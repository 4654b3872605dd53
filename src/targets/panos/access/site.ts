import type { DesignPlace } from "../../../access/designer.js";
import type { AccessRequest, Field } from "../../../access/request.js";
import { childByTag, find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { type Found, NameScopes } from "../policy/name-scopes.js";
import { ASSUMED } from "../policy/reading.js";
import { deviceGroupsIn, type EffectiveSystem, sharedRules, systemsIn } from "../policy/systems.js";
import { ObjectWords, type Word } from "./object-words.js";

/** Groups that a field may contain, and the child with their members. */
export const GROUPS: Readonly<Record<Field, readonly [list: string, members: string] | undefined>> = {
  from: undefined,
  to: undefined,
  source: ["address-group", "static"],
  destination: ["address-group", "static"],
  service: ["service-group", "members"],
  application: ["application-group", "members"],
  "source-user": undefined,
};

/** A list of security rules, at its place in the order of evaluation. */
export interface RuleList {
  readonly level: string;
  readonly group: string;
  readonly path: Path;
}

/** A virtual system, a device group or `shared`, that rules are written to. */
export interface Site {
  readonly place: DesignPlace;
  readonly system: EffectiveSystem;
  /** Its security rules: one list, or two of a manager. */
  readonly lists: readonly RuleList[];
  readonly scopes: NameScopes;
  readonly words: ObjectWords;
}

/** Place of the rules of a manager for all its firewalls. */
const SHARED = "shared";

const isOfManager = ({ scope }: EffectiveSystem): boolean => scope === SHARED || scope.startsWith("device-group/");

function systemIn({ tree, scope }: DesignPlace): EffectiveSystem | undefined {
  return systemsIn(tree, ASSUMED.precedence).find((each) => each.scope === scope);
}

/** Undefined if the place has no rules. */
export function siteOf(place: DesignPlace): Site | undefined {
  const system = place.scope === SHARED ? sharedRules(place.tree) : systemIn(place);
  if (system === undefined) return undefined;
  const scopes = new NameScopes(system.names);
  const at = (tag: string) => system.path.child(tag).child("security").child("rules");
  const lists: readonly RuleList[] = isOfManager(system)
    ? ["pre", "post"].map((level) => ({ level, group: system.scope, path: at(`${level}-rulebase`) }))
    : [{ level: "local", group: "", path: at("rulebase") }];
  const rules = lists.flatMap(({ path }) => find(place.tree, path)?.children ?? []);
  return {
    place,
    system,
    lists,
    scopes,
    words: new ObjectWords(scopes, system.path, place.tree, rules, place.conventions),
  };
}

/** Returns the members that a field of a rule would have for a request. */
export function wordsFor({ words }: Site, { from, to, service, application, user }: AccessRequest, field: Field): readonly Word[] {
  const plain = (text: string): Word[] => [{ text, edits: [], isObject: true }];
  switch (field) {
    case "from":
      return plain(from.zone);
    case "to":
      return plain(to.zone);
    case "source":
      return from.address === undefined ? [] : words.addresses(from.address);
    case "destination":
      return to.address === undefined ? [] : words.addresses(to.address);
    case "service":
      return words.services(service);
    case "application":
      return plain(application);
    case "source-user":
      return user === undefined ? [] : plain(user);
  }
}

/** Returns whether only security rules use a group that documents of this place declare. */
export function isOwnGroup({ place, system }: Site, { node, path, scope }: Found, tag: string): boolean {
  if (scope.word !== system.scope || childByTag(node, tag) === undefined || find(place.declared, path.child(tag)) === undefined)
    return false;
  const own = find(place.tree, system.path);
  const all = isOfManager(system) ? [...deviceGroupsIn(place.tree), ...(system.scope === SHARED ? [own] : [])] : [own];
  return all.every((each) => each !== undefined && !isNamedElsewhere(each, node.name ?? ""));
}

/** Lists of a virtual system whose references are part of the calculated effect. */
const CALCULATED = ["address", "address-group", "service", "service-group", "application", "application-group", "tag"];

const RULEBASES = ["rulebase", "pre-rulebase", "post-rulebase"];

/** Returns whether NAT, another rulebase or a setting names an object. Changing it there would have effects that are not calculated. */
function isNamedElsewhere(system: TreeNode, name: string): boolean {
  return system.children.some((child) => {
    if (CALCULATED.includes(child.tag)) return false;
    if (!RULEBASES.includes(child.tag)) return names(child, name);
    return child.children.some((each) => each.tag !== "security" && names(each, name));
  });
}

function names(node: TreeNode, name: string): boolean {
  return node.text === name || node.children.some((child) => names(child, name));
}
