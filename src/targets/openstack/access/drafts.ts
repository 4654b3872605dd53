import type { DesignPlace, Draft, Drafts } from "../../../access/designer.js";
import { type Edit, withEdits } from "../../../access/edit.js";
import { endDatesIn } from "../../../access/end-date.js";
import { rangesMeet } from "../../../core/address-range.js";
import { childByTag, find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { groupIn } from "../objects/server-interfaces.js";
import { type GroupRule, isLive } from "../policy/groups.js";
import { OPEN, type Project, projectIn } from "../policy/members.js";
import { ruleText } from "../rule-text.js";
import { ROOT_PATH } from "../shape.js";
import { deniedParts } from "./compare.js";
import { whyFixed } from "./declared.js";
import type { End } from "./ends.js";
import { type Flows, servicesMeet } from "./flows.js";
import { groupName, LONGEST_DESCRIPTION, ruleFor } from "./new-rule.js";

/** Maximum number of ports and servers that join a group in one edit. */
const MOST_JOINING = 5;

/** A part of an edit. */
interface Step {
  readonly kind: Draft["kind"];
  readonly summary: string;
  readonly edits: readonly Edit[];
}

const NOTHING: Step = { kind: "member", summary: "", edits: [] };

interface Asked {
  readonly place: DesignPlace;
  readonly project: Project;
  readonly flows: Flows;
  /** The service in the words of the user. */
  readonly service: string;
  readonly note: string;
  readonly obstacles: Set<string>;
}

/**
 * Returns edits that may allow a request: an end joins a group, or rules in groups of the ends that deny, or new groups. Each edit contains
 * what both ends need.
 */
export function draftsFor(place: DesignPlace, flows: Flows, service: string, note: string): Drafts {
  const obstacles = new Set<string>();
  if (note.length > LONGEST_DESCRIPTION)
    return { drafts: [], obstacles: [`The reason is too long: descriptions have at most ${LONGEST_DESCRIPTION} characters.`] };
  const asked: Asked = { place, project: projectIn(place.tree), flows, service, note, obstacles };
  const now = deniedBoth(place.tree, flows);
  const drafts = [NOTHING, ...joins(asked, now)].flatMap((join): Draft[] => {
    const left = join === NOTHING ? now : deniedBoth(withEdits(place.tree, join.edits), flows);
    if (join !== NOTHING && left.egress.length === now.egress.length && left.ingress.length === now.ingress.length) return [];
    return optionsAt(asked, "egress", left.egress).flatMap((out) =>
      optionsAt(asked, "ingress", left.ingress).flatMap((into) => combined([join, out, into]) ?? []),
    );
  });
  return { drafts, obstacles: [...obstacles] };
}

interface Denied {
  readonly egress: readonly Flows[];
  readonly ingress: readonly Flows[];
}

function deniedBoth(tree: TreeNode, flows: Flows): Denied {
  return { egress: deniedParts(tree, flows, "egress"), ingress: deniedParts(tree, flows, "ingress") };
}

/** Undefined without any edit. */
function combined(steps: readonly Step[]): Draft | undefined {
  const own = steps.filter(({ edits }) => edits.length > 0);
  const edits = own.flatMap((step) => step.edits);
  if (edits.length === 0) return undefined;
  return {
    kind: own.every(({ kind }) => kind === "member") ? "member" : "rule",
    summary: own.map(({ summary }) => summary).join(", "),
    edits,
  };
}

/** Returns steps in which one end joins an existing group. A membership has no description, so its end date cannot be written. */
function joins({ place, project, flows, note, obstacles }: Asked, now: Denied): readonly Step[] {
  if (endDatesIn(note).length > 0) return [];
  return ([flows.from, flows.to] as const).flatMap((end, at) => {
    const isSender = at === 0;
    if (end.group !== undefined || end.holders.length === 0 || end.holders.length > MOST_JOINING) return [];
    return declaredGroups(place)
      .filter((name) => name !== flows.from.group && name !== flows.to.group)
      .filter(
        (name) =>
          end.holders.some((holder) => project.holders.get(holder)?.has(name) !== true) && mayHelp(name, isSender, project, flows, now),
      )
      .flatMap((name): Step[] => {
        const edits = end.holders.map((holder) => membershipEdits(place, project, holder, name));
        const [reason] = edits.filter((each) => typeof each === "string");
        if (reason !== undefined) obstacles.add(reason);
        return reason === undefined
          ? [{ kind: "member", summary: `add ${end.holders.join(", ")} to security group ${name}`, edits: edits.flat() as Edit[] }]
          : [];
      });
  });
}

/** Returns whether a rule of the group may allow denied flows, or a rule of the other end that refers to the group. */
function mayHelp(name: string, isSender: boolean, { groups, holders }: Project, { from, to, services }: Flows, denied: Denied): boolean {
  const [own, beyond] = isSender ? (["egress", "ingress"] as const) : (["ingress", "egress"] as const);
  const other = isSender ? to : from;
  const isAbout = (rule: GroupRule) => rule.services === "any" || servicesMeet(rule.services, services);
  const opens = (rule: GroupRule) => rule.direction === own && isAbout(rule) && isRemote(rule, other, holders);
  if (denied[own].length > 0 && groups.get(name)?.rules.some(opens) === true) return true;
  const ofOther = [...groups].filter(
    ([group]) => group === other.group || other.holders.some((holder) => holders.get(holder)?.has(group) === true),
  );
  const refers = (rule: GroupRule) => rule.direction === beyond && "group" in rule.remote && rule.remote.group === name;
  return denied[beyond].length > 0 && ofOther.some(([, { rules }]) => rules.some((rule) => refers(rule) && isAbout(rule)));
}

function isRemote({ remote }: GroupRule, { group, holders, prefixes }: End, members: Project["holders"]): boolean {
  if ("group" in remote) return group === remote.group || holders.some((holder) => members.get(holder)?.has(remote.group) === true);
  if (remote.addresses === "any" || prefixes.length === 0) return true;
  return remote.addresses.objects.some(
    ({ values, unknowns }) => unknowns.length > 0 || values.some((value) => prefixes.some(({ range }) => rangesMeet(range, value))),
  );
}

/** Returns steps after which the rules of one end allow parts of a request. */
function optionsAt(asked: Asked, direction: GroupRule["direction"], parts: readonly Flows[]): readonly Step[] {
  if (parts.length === 0) return [NOTHING];
  const { place, project, flows, note, obstacles } = asked;
  const end = endOf(flows, direction, parts);
  const common = [...project.groups.keys()].filter((name) => name !== OPEN && (name === end.group || isOfAll(name, end, project)));
  const declared = new Set(declaredGroups(place));
  for (const name of common) {
    const fixed = whyFixed(place.declared, GROUPS.entry(name), `security group ${name}`);
    if (fixed !== undefined) obstacles.add(fixed);
  }
  const inGroups = common
    .filter((name) => declared.has(name))
    .flatMap((name): Step[] => {
      const list = GROUPS.entry(name).child("rules");
      const rules = rulesFor(parts, direction, note).filter((rule) => find(place.tree, list.entry(rule.name ?? "")) === undefined);
      const edits = rules.map((entry): Edit => ({ kind: "entry", list, entry }));
      return edits.length === 0
        ? []
        : [{ kind: "rule", summary: `add ${rules.map(ruleText).join(" and ")} to security group ${name}`, edits }];
    });
  if (direction === "ingress") return [...inGroups, ...newGroup(asked, parts)];
  if (inGroups.length === 0) obstacles.add("A new security group allows everything out, so it would open more than the request.");
  return inGroups;
}

/** Returns the end that decides, with only the ports and servers whose groups deny parts of the request. */
function endOf(flows: Flows, direction: GroupRule["direction"], parts: readonly Flows[]): End {
  const at = direction === "egress" ? "from" : "to";
  return { ...flows[at], holders: [...new Set(parts.flatMap((part) => part[at].holders))] };
}

function isOfAll(name: string, { holders }: End, project: Project): boolean {
  return holders.length > 0 && holders.every((holder) => project.holders.get(holder)?.has(name) === true);
}

function rulesFor(parts: readonly Flows[], direction: GroupRule["direction"], description: string): readonly TreeNode[] {
  const rules = parts.map((part) => ruleFor(part, direction, description));
  return [...new Map(rules.map((rule) => [rule.name, rule])).values()];
}

/** Returns the step in which the receiving ports and servers join a new group. */
function newGroup({ place, project, flows, service, note, obstacles }: Asked, parts: readonly Flows[]): Step[] {
  const { group, holders } = endOf(flows, "ingress", parts);
  if (group !== undefined || holders.length === 0 || holders.length > MOST_JOINING) return [];
  const words = { from: flows.from.name, to: flows.to.name, service, note };
  const name = groupName(words, new Set(project.groups.keys()), place.conventions);
  const rules = rulesFor(parts, "ingress", "");
  const memberships = holders.map((holder) => membershipEdits(place, project, holder, name));
  const [reason] = memberships.filter((each) => typeof each === "string");
  if (reason !== undefined) {
    obstacles.add(reason);
    return [];
  }
  const children = [...(note === "" ? [] : [new TreeNode("description", undefined, note)]), new TreeNode("rules", undefined, "", rules)];
  const made: Edit = { kind: "entry", list: GROUPS, entry: new TreeNode("entry", name, "", children) };
  const summary = `add new security group ${name} (${rules.map(ruleText).join(" and ")}) to ${holders.join(", ")}`;
  return [{ kind: "rule", summary, edits: [made, ...(memberships.flat() as Edit[])] }];
}

const GROUPS = ROOT_PATH.child("security_groups");

function declaredGroups({ tree, declared }: DesignPlace): readonly string[] {
  const names = (find(declared, GROUPS)?.children ?? []).flatMap(({ name }) => name ?? []);
  return names.filter((name) => find(tree, GROUPS.entry(name)) !== undefined && whyFixed(declared, GROUPS.entry(name), name) === undefined);
}

/** Returns the edits after which a port or server is also in a group, or the reason why documents cannot say so. */
function membershipEdits({ tree, declared }: DesignPlace, project: Project, holder: string, group: string): readonly Edit[] | string {
  const [, kind = "", name = ""] = /^(server|port) (.+)$/.exec(holder) ?? [];
  const groups = project.holders.get(holder);
  if (groups?.has(OPEN) === true) return `${holder} has no port security, so it has no groups.`;
  const at: Path = ROOT_PATH.child(`${kind}s`).entry(name);
  const node = find(tree, at);
  if (node === undefined) return `No document declares ${holder}.`;
  const fixed = whyFixed(declared, at, holder);
  if (fixed !== undefined) return fixed;
  if (groups?.has(group) === true) return [];
  const list = childByTag(node, "security_groups");
  const partly = list?.children.find(({ text }) => groupIn(text) !== text);
  if (partly !== undefined) return `${holder} has different groups on its ports: ${partly.text}.`;
  // A new port or server without a list is in the default group. A list replaces it.
  const kept = list === undefined && !isLive(node) ? [...(groups ?? [])] : [];
  return [...kept, group].map((member): Edit => ({ kind: "member", list: at.child("security_groups"), member }));
}
