import type { Draft, Drafts, EndingPlace, RuleDesigner } from "../../../access/designer.js";
import type { Edit } from "../../../access/edit.js";
import { endDatesIn, noteOfMember, withDisabledDate, withoutEndDate } from "../../../access/end-date.js";
import type { AccessRequest, Field } from "../../../access/request.js";
import { find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { RuleEndAt } from "../../../desired/rule-end.js";
import type { RuleKey } from "../../../reachability/flows/policy.js";
import { membersOf } from "../policy/name-scopes.js";
import { ASSUMED } from "../policy/reading.js";
import { rulesOf } from "../policy/rules.js";
import { groupLevels, systemsIn } from "../policy/systems.js";
import { AT_HOME } from "../policy/traffic.js";
import { ruleEndsIn } from "../rule-ends.js";
import { isAny, isDisabled, textOf } from "../security-rule.js";
import { narrowDrafts } from "./narrow-rule.js";
import { newRule } from "./new-rule.js";
import { groupContains, type Word } from "./object-words.js";
import { GROUPS, isOwnGroup, type RuleList, type Site, siteOf, wordsFor } from "./site.js";

const NONE: Drafts = { drafts: [], obstacles: [] };
const LONGEST_DESCRIPTION = 1023;
const ANY: Word = { text: "any", edits: [], isObject: false };
const BY_DEFAULT: Word = { ...ANY, text: AT_HOME };

/** Writes access requests as members and rules of a virtual system. */
export const panosDesigner: RuleDesigner = {
  style: "rules",
  extend(place, request, rule, field, byDefault = false) {
    const site = siteOf(place);
    const list = site?.lists.find((each) => each.level === rule.level && each.group === rule.group);
    if (site === undefined || list === undefined) return refused(`Rule "${rule.name}" is not a rule of ${place.scope}.`);
    const at = list.path.entry(rule.name);
    const [live, declared] = [find(place.tree, at), find(place.declared, at)];
    if (live === undefined || declared === undefined) return refused(`No document declares rule "${rule.name}".`);
    const members = membersOf(live, field) ?? [];
    const isNegated = textOf(live, `negate-${field}`) === "yes";
    if (isNegated || isAny(live, field) || members.includes(AT_HOME)) return NONE;
    if (byDefault && membersOf(live, "service")?.includes(AT_HOME) !== true) return NONE;
    const drafts = wordsFor(site, request, field).flatMap((word): readonly Draft[] => {
      const note = noteOfMember(request.note, { list: field, name: word.text });
      const edit = noteEdit(live, at, note);
      const toRule = draftOf(word, at.child(field), `${field} of rule ${rule.name}`, [edit]);
      return [...(isLost(live, note, edit) ? [] : [toRule]), ...groupDrafts(site, request, word, field, members)];
    });
    return { drafts, obstacles: [...site.words.obstacles] };
  },
  insert(place, request, above) {
    const site = siteOf(place);
    if (site === undefined) return refused(`${place.scope} has no rules.`);
    const lists = listsAbove(site, above);
    if (lists.length === 0)
      return refused(`Rule "${above?.name}" of ${above?.group || "the manager"} decides it before any rule of ${place.scope}.`);
    const open = lists.filter(({ path }) => find(place.declared, path) !== undefined);
    if (open.length === 0) return refused(`No document declares security rules of ${place.scope}.`);
    const found = open.map((list) => insertedIn(site, list, request, above));
    return { drafts: found.flatMap(({ drafts }) => drafts), obstacles: found.flatMap(({ obstacles }) => obstacles) };
  },
  narrow(place, request, rule, contained) {
    const site = siteOf(place);
    const list = site?.lists.find((each) => each.level === rule.level && each.group === rule.group);
    if (site === undefined || list === undefined) return refused(`Rule "${rule.name}" is not a rule of ${place.scope}.`);
    return narrowDrafts(site, request, list, rule.name, contained);
  },
  rules(place) {
    return siteOf(place)?.lists.flatMap(({ level, group, path: list }) =>
      (find(place.tree, list)?.children ?? []).map((rule) => {
        const path = list.entry(rule.name ?? "");
        return {
          level,
          group,
          name: rule.name ?? "",
          description: textOf(rule, "description") ?? "",
          isDisabled: isDisabled(rule),
          isDeclared: find(place.declared, path) !== undefined,
          path,
        };
      }),
    );
  },
  disable({ path, description }, day) {
    const text = withDisabledDate(description, day);
    if (text.length > LONGEST_DESCRIPTION) return undefined;
    return [
      { kind: "text", at: path.child("disabled"), text: "yes" },
      { kind: "text", at: path.child("description"), text },
    ];
  },
  endingMembers(place) {
    const site = siteOf(place);
    const ends = site === undefined ? [] : ruleEndsIn(place.tree, () => place.scope);
    return ends.flatMap((end) => (site === undefined ? [] : endingPlace(site, end)));
  },
};

function endingPlace(site: Site, { kind, name, path, until, member }: RuleEndAt): EndingPlace[] {
  const { place, system, lists, scopes } = site;
  const node = find(place.tree, path);
  if (member === undefined || node === undefined) return [];
  const isRule =
    kind === "rule" && lists.some((list) => path.parent?.equals(list.path) === true) && find(place.declared, path) !== undefined;
  const group = kind === "rule" ? undefined : scopes.find(name, ["address-group"]);
  const isGroup = group?.path.equals(path) === true && isOwnGroup(site, group, member.list) && system.scope === place.scope;
  if (!isRule && !isGroup) return [];
  const list = path.child(member.list);
  const isLast = (membersOf(node, member.list) ?? []).every((text) => text === member.name);
  const description = withoutEndDate(textOf(node, "description") ?? "", member);
  const edits: readonly Edit[] = [
    { kind: "remove-member", list, member: member.name },
    description === ""
      ? { kind: "remove", at: path.child("description") }
      : { kind: "text", at: path.child("description"), text: description },
  ];
  const where = `${member.list} of ${isRule ? "rule" : kind} ${name}`;
  return [{ where, path, until, member, rule: isRule ? name : undefined, edits: isLast ? undefined : edits }];
}

const refused = (obstacle: string): Drafts => ({ drafts: [], obstacles: [obstacle] });

function draftOf(word: Word, list: Path, where: string, notes: readonly (Edit | undefined)[]): Draft {
  const made = word.edits.length === 0 ? "" : "new ";
  return {
    kind: "member",
    summary: `add ${made}${word.text} to ${where}`,
    edits: [...word.edits, { kind: "member", list, member: word.text }, ...notes.flatMap((edit) => edit ?? [])],
  };
}

/** Returns drafts for the groups of a field that only security rules of this virtual system use. */
function groupDrafts(site: Site, { note }: AccessRequest, word: Word, field: Field, members: readonly string[]): Draft[] {
  const kind = GROUPS[field];
  if (kind === undefined || !word.isObject) return [];
  const [list, tag] = kind;
  const lists = list === "address-group" ? ["region", "address", "address-group", "external-list"] : [list.replace("-group", ""), list];
  return members.flatMap((name): Draft[] => {
    const found = site.scopes.find(name, lists);
    if (found?.list !== list || !isOwnGroup(site, found, tag) || groupContains(site.scopes, word.text, name)) return [];
    const ofMember = noteOfMember(note, { list: tag, name: word.text });
    const edit = list === "address-group" ? noteEdit(found.node, found.path, ofMember) : undefined;
    return isLost(found.node, ofMember, edit) ? [] : [draftOf(word, found.path.child(tag), `${list.replace("-", " ")} ${name}`, [edit])];
  });
}

/** Returns whether an end date cannot be written, because there is no description or no room in it. */
function isLost(node: TreeNode, note: string, edit: Edit | undefined): boolean {
  return edit === undefined && endDatesIn(note).length > 0 && !hasNote(node, note);
}

function hasNote(node: TreeNode, note: string): boolean {
  return (textOf(node, "description") ?? "").split("; ").includes(note);
}

/** Returns the edit that adds the note to a description. Undefined if it is in the description, or if that would be too long. */
function noteEdit(node: TreeNode, at: Path, note: string): Edit | undefined {
  const known = textOf(node, "description") ?? "";
  if (hasNote(node, note)) return undefined;
  const text = known === "" ? note : `${known}; ${note}`;
  return text.length > LONGEST_DESCRIPTION ? undefined : { kind: "text", at: at.child("description"), text };
}

/**
 * Returns the lists in which a new rule precedes `above`, best first. Pre-rules are evaluated from `shared` down to the group, then the
 * rules of the firewall, then post-rules from the group up.
 */
function listsAbove({ lists, place, system }: Site, above: RuleKey | undefined): readonly RuleList[] {
  const own = lists.find((each) => each.level === above?.level && each.group === above.group);
  if (own !== undefined) return [own];
  const [pre, post] = [lists.find(({ level }) => level === "pre"), lists.find(({ level }) => level === "post")];
  // A manager pushes its pre-rules above the rules of a firewall, and its post-rules below them.
  if (pre === undefined || post === undefined) return above === undefined || above.level === "post" ? lists : [];
  const parents = groupLevels(place.tree).get(system.path.name ?? "") ?? [];
  const isOfParent = parents.slice(1).some(({ word }) => word === above?.group);
  if (above?.level === "pre") return isOfParent ? [] : [pre];
  if (above?.level === "local" || (above?.level === "post" && !isOfParent)) return [pre];
  return [post, pre];
}

/** Returns drafts with a new rule in a list: directly above a rule of this list, or below all of its rules. */
function insertedIn(site: Site, { level, group, path }: RuleList, request: AccessRequest, above: RuleKey | undefined): Drafts {
  const { place } = site;
  const rules = find(place.tree, path)?.children ?? [];
  const isHere = above?.level === level && above.group === group;
  const at = isHere ? rules.findIndex(({ name }) => name === above.name) : rules.length;
  const after = rules[at - 1]?.name ?? "";
  const words = ruleWords(site, request, rules);
  const taken = new Set(
    systemsIn(place.tree, ASSUMED.precedence)
      .flatMap(({ layers }) => layers.flatMap((layer) => rulesOf(layer, "security")))
      .flatMap(({ name }) => name ?? []),
  );
  const drafts = words.map(({ source, destination, service, edits }): Draft => {
    const declared = find(place.declared, path)?.children ?? [];
    const around = { rules, at, declared, taken, conventions: place.conventions };
    const { entry, notes } = newRule(request, { source, destination, service }, around);
    const list = level === "local" ? "rules" : `${level}-rules of ${group}`;
    const where = isHere ? `above rule ${above.name}${level === "local" ? "" : ` in ${list}`}` : `below all ${list}`;
    const made = edits.flatMap((edit) => (edit.kind === "entry" ? [`${edit.list.tag} ${edit.entry.name}`] : []));
    const summary = `add rule ${entry.name} ${where} (service ${service})${made.length === 0 ? "" : `, with new ${made.join(" and ")}`}`;
    return { kind: "rule", summary, edits: [...edits, { kind: "entry", list: path, entry, after }], notes };
  });
  return { drafts, obstacles: [...site.words.obstacles] };
}

interface RuleWordSet {
  readonly source: string;
  readonly destination: string;
  readonly service: string;
  readonly edits: readonly Edit[];
}

/**
 * Returns the words of new rules: with the service as an object, or with the default port if other rules use it. Objects cannot describe a
 * service without ports. Rules match it by its application.
 */
function ruleWords(site: Site, request: AccessRequest, rules: readonly TreeNode[]): RuleWordSet[] {
  const side = (address: string | undefined) => (address === undefined ? [ANY] : site.words.addresses(address).slice(0, 1));
  const [source] = side(request.from.address);
  const [destination] = side(request.to.address);
  if (source === undefined || destination === undefined) return [];
  const usesDefault = request.action === undefined && rules.some((rule) => membersOf(rule, "service")?.includes(AT_HOME) === true);
  const services = site.words.services(request.service);
  const all = site.words.isWithoutPorts(request.service) ? [BY_DEFAULT, ANY] : usesDefault ? [...services, BY_DEFAULT] : services;
  const sameObject = source.text === destination.text;
  return all.map((service) => ({
    source: source.text,
    destination: destination.text,
    service: service.text,
    edits: [...source.edits, ...(sameObject ? [] : destination.edits), ...service.edits],
  }));
}
