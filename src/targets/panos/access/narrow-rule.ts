import type { Draft, Drafts } from "../../../access/designer.js";
import type { Edit } from "../../../access/edit.js";
import type { AccessRequest, Field } from "../../../access/request.js";
import type { Contained } from "../../../access/revoke.js";
import { find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { membersOf } from "../policy/name-scopes.js";
import { isAny, textOf } from "../security-rule.js";
import { GROUPS, isOwnGroup, type RuleList, type Site, wordsFor } from "./site.js";

const FIELDS: readonly Field[] = ["source", "destination", "service", "application", "source-user", "from", "to"];

/** Returns drafts that remove flows of a request from one rule, narrowest first. */
export function narrowDrafts(site: Site, request: AccessRequest, { path }: RuleList, name: string, contained: Contained): Drafts {
  const at = path.entry(name);
  const rule = find(site.place.tree, at);
  if (rule === undefined || find(site.place.declared, at) === undefined)
    return { drafts: [], obstacles: [`No document declares rule "${name}".`] };
  const drafts = FIELDS.flatMap((field) => fieldDrafts(site, { rule, at, name, field, gone: goneIn(site, request, field, contained) }));
  const ofRule = drafts.filter(({ kind }) => kind === "member");
  const remove: Draft = { kind: "rule", summary: `remove rule ${name}`, edits: [{ kind: "remove", at }] };
  return { drafts: [...ofRule, remove], obstacles: [] };
}

/** Names that the field no longer contains after the edit. */
function goneIn(site: Site, request: AccessRequest, field: Field, contained: Contained): ReadonlySet<string> {
  if (field === "source" || field === "destination") return contained[field];
  if (field === "application" && request.application === "any") return new Set();
  return new Set(wordsFor(site, request, field).map(({ text }) => text));
}

interface Place {
  readonly rule: TreeNode;
  readonly at: Path;
  readonly name: string;
  readonly field: Field;
  readonly gone: ReadonlySet<string>;
}

function fieldDrafts(site: Site, { rule, at, name, field, gone }: Place): Draft[] {
  if (gone.size === 0 || isAny(rule, field) || textOf(rule, `negate-${field}`) === "yes") return [];
  const members = membersOf(rule, field) ?? [];
  const list = at.child(field);
  const direct = members.filter((member) => gone.has(member));
  const where = `${field} of rule ${name}`;
  const own = direct.length > 0 && direct.length < members.length ? [removal(list, direct, where)] : [];
  return [
    ...own,
    ...members.filter((member) => !gone.has(member)).flatMap((group) => groupDrafts(site, { list, group, field, gone, direct, where })),
  ];
}

function removal(list: Path, members: readonly string[], where: string): Draft {
  return {
    kind: "member",
    summary: `remove ${members.join(", ")} from ${where}`,
    edits: members.map((member) => ({ kind: "remove-member", list, member })),
  };
}

interface GroupPlace extends Pick<Place, "field" | "gone"> {
  readonly list: Path;
  readonly group: string;
  /** Members of the field itself that go too. */
  readonly direct: readonly string[];
  readonly where: string;
}

/** Returns a draft that removes members of a group, and one that replaces the group in this rule by its other members. */
function groupDrafts(site: Site, { list, group, field, gone, direct, where }: GroupPlace): Draft[] {
  const kind = GROUPS[field];
  const found = kind === undefined ? undefined : site.scopes.find(group, [kind[0]]);
  if (kind === undefined || found === undefined) return [];
  const [, tag] = kind;
  const members = membersOf(found.node, tag) ?? [];
  const left = members.filter((member) => !gone.has(member));
  const inGroup = members.filter((member) => gone.has(member));
  if (left.length === 0 || inGroup.length === 0) return [];
  const others: readonly Edit[] = direct.map((member) => ({ kind: "remove-member", list, member }));
  const ofGroup = removal(found.path.child(tag), inGroup, `${kind[0].replace("-", " ")} ${group}`);
  const replaced: Draft = {
    kind: "member",
    summary: `replace ${group} by its other members in ${where}`,
    edits: [...left.map((member): Edit => ({ kind: "member", list, member })), { kind: "remove-member", list, member: group }, ...others],
  };
  const shared = isOwnGroup(site, found, tag) ? [{ ...ofGroup, edits: [...ofGroup.edits, ...others] }] : [];
  return [...shared, replaced];
}
