import type { DesignPlace } from "../../../access/designer.js";
import type { AccessRequest, Field } from "../../../access/request.js";
import { childByTag, find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { type Found, NameScopes } from "../policy/name-scopes.js";
import { ASSUMED } from "../policy/reading.js";
import { type EffectiveSystem, systemsIn } from "../policy/systems.js";
import { ObjectWords, type Word } from "./object-words.js";

/** Groups that a field may contain, and the child with their members. */
export const GROUPS: Readonly<Record<Field, readonly [list: string, members: string] | undefined>> = {
  from: undefined,
  to: undefined,
  source: ["address-group", "static"],
  destination: ["address-group", "static"],
  service: ["service-group", "members"],
  application: ["application-group", "members"],
};

/** A virtual system that rules are written to. */
export interface Site {
  readonly place: DesignPlace;
  readonly system: EffectiveSystem;
  /** Path of its security rules. */
  readonly rules: Path;
  readonly scopes: NameScopes;
  readonly words: ObjectWords;
}

/** Undefined if the rules of the place belong to a manager. */
export function siteOf(place: DesignPlace): Site | undefined {
  const system = systemsIn(place.tree, ASSUMED.precedence).find(({ scope }) => scope === place.scope);
  if (system === undefined || !system.path.toString().includes("/vsys/")) return undefined;
  const scopes = new NameScopes(system.names);
  return {
    place,
    system,
    rules: system.path.child("rulebase").child("security").child("rules"),
    scopes,
    words: new ObjectWords(scopes, system.path, place.tree),
  };
}

/** Returns the members that a field of a rule would have for a request. */
export function wordsFor({ words }: Site, { from, to, service, application }: AccessRequest, field: Field): readonly Word[] {
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
  }
}

/** Returns whether only security rules of this virtual system use a group that its documents declare. */
export function isOwnGroup({ place, system }: Site, { node, path, scope }: Found, tag: string): boolean {
  if (scope.word !== system.scope || childByTag(node, tag) === undefined || find(place.declared, path.child(tag)) === undefined)
    return false;
  const own = find(place.tree, system.path);
  return own !== undefined && !isNamedElsewhere(own, node.name ?? "");
}

/** Lists of a virtual system whose references are part of the calculated effect. */
const CALCULATED = ["address", "address-group", "service", "service-group", "application", "application-group", "tag"];

/** Returns whether NAT, another rulebase or a setting names an object. Changing it there would have effects that are not calculated. */
function isNamedElsewhere(system: TreeNode, name: string): boolean {
  return system.children.some((child) => {
    if (CALCULATED.includes(child.tag)) return false;
    if (child.tag !== "rulebase") return names(child, name);
    return child.children.some((each) => each.tag !== "security" && names(each, name));
  });
}

function names(node: TreeNode, name: string): boolean {
  return node.text === name || node.children.some((child) => names(child, name));
}
