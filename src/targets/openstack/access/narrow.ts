import type { DesignPlace, Draft, Drafts } from "../../../access/designer.js";
import { type Edit, withEdits } from "../../../access/edit.js";
import { onlyFlow, withImpossible } from "../../../access/flow-designer.js";
import { closingOf } from "../../../access/revoke.js";
import { contentKey } from "../../../core/tree/content-key.js";
import { childByTag, find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { PolicyOptions } from "../../../reachability/policy-role.js";
import { type GroupRule, groupsIn } from "../policy/groups.js";
import { projectIn } from "../policy/members.js";
import { networksWithout } from "../prefixes.js";
import { ruleText } from "../rule-text.js";
import { openstackShape, ROOT_PATH } from "../shape.js";
import { compareProjects, ruleAllows } from "./compare.js";
import { whyFixed } from "./declared.js";
import type { End } from "./ends.js";
import { type Family, type Flows, servicesMeet } from "./flows.js";

/** Maximum number of rules that one design narrows. */
const MOST_RULES = 20;
/** Maximum number of rules that replace a wider one. */
const MOST_PARTS = 8;

interface Step {
  readonly summary: string;
  readonly edits: readonly Edit[];
}

/** A rule that allows flows of a request at one end. */
interface Allowing {
  readonly group: string;
  readonly rule: GroupRule;
  /** The end whose groups contain it. */
  readonly end: End;
  readonly other: End;
}

type Direction = GroupRule["direction"];

/** Returns edits that close the flows of a request: at the receiver, at the sender, or if needed each flow at one of them. */
export function narrowings(place: DesignPlace, flows: Flows, options: PolicyOptions = {}): Drafts {
  const obstacles = new Set<string>();
  const ends = (["ingress", "egress"] as const).filter((direction) => {
    const { end } = endsAt(flows, direction);
    return end.group !== undefined || end.holders.length > 0;
  });
  const atOne = ends.flatMap((direction) => narrowed({ place, flows, directions: [direction], options, obstacles }) ?? []);
  const isExact = atOne.some(({ excess }) => excess === 0);
  const atBoth = isExact || ends.length < 2 ? undefined : narrowed({ place, flows, directions: ends, options, obstacles });
  const drafts = [...atOne, ...(atBoth === undefined ? [] : [atBoth])];
  return { drafts: drafts.toSorted((a, b) => a.edits.length - b.edits.length), obstacles: [...obstacles] };
}

function endsAt({ from, to }: Flows, direction: Direction): Pick<Allowing, "end" | "other"> {
  return direction === "ingress" ? { end: to, other: from } : { end: from, other: to };
}

interface Narrowing {
  readonly place: DesignPlace;
  readonly flows: Flows;
  /** Ends whose rules are narrowed. With both, no other flow may close. */
  readonly directions: readonly Direction[];
  readonly options: PolicyOptions;
  readonly obstacles: Set<string>;
}

interface Narrowed extends Draft {
  /** Number of other sets of flows that it closes. */
  readonly excess: number;
}

/** Narrows the allowing rules one after another. Undefined if one of them cannot be narrowed. */
function narrowed(narrowing: Narrowing): Narrowed | undefined {
  const { place, flows, directions, obstacles } = narrowing;
  const steps: Closing[] = [];
  for (let count = 0; count <= MOST_RULES; count++) {
    const edits = steps.flatMap(({ step }) => step.edits);
    const tree = withEdits(place.tree, edits);
    const allowing = directions.flatMap((direction) => allowingIn(tree, flows, direction));
    const isBoth = directions.length > 1;
    if (allowing.length === 0 || (isBoth && effectOn(narrowing, tree).allowing.length === 0)) {
      const summary = steps.map(({ step }) => step.summary).join(", ");
      return { kind: "rule", summary, edits, excess: steps.at(-1)?.excess ?? 0 };
    }
    let chosen: Closing | undefined;
    for (const each of isBoth ? allowing : allowing.slice(0, 1)) {
      const found = best(stepsFor({ ...place, tree }, each, flows, obstacles), edits, each, narrowing);
      if (found === undefined || (isBoth && found.excess > 0)) continue;
      chosen = found;
      break;
    }
    if (chosen === undefined) return undefined;
    steps.push(chosen);
  }
  obstacles.add(`More than ${MOST_RULES} rules allow it.`);
  return undefined;
}

function effectOn({ place, flows, options }: Narrowing, tree: TreeNode): ReturnType<typeof closingOf> {
  const compared = withImpossible(compareProjects(place.tree, tree, [flows], options), "deny");
  return closingOf(compared.before, compared.after, onlyFlow(compared));
}

/** A step with the number of other sets of flows that it closes. */
interface Closing {
  readonly step: Step;
  readonly excess: number;
}

/** Returns the step that closes no other flow, or else the one that closes the fewest. */
function best(candidates: readonly Step[], before: readonly Edit[], allowing: Allowing, narrowing: Narrowing): Closing | undefined {
  const { group, rule } = allowing;
  let least: Closing | undefined;
  for (const step of candidates) {
    const tree = withEdits(narrowing.place.tree, [...before, ...step.edits]);
    const left = allowingIn(tree, narrowing.flows, rule.direction);
    if (left.some((each) => each.group === group && each.rule.text === rule.text)) continue;
    const { fault, excess } = effectOn(narrowing, tree);
    if (fault !== undefined) continue;
    if (excess.length === 0) return { step, excess: 0 };
    if (least === undefined || excess.length < least.excess) least = { step, excess: excess.length };
  }
  return least;
}

/** Returns the rules of one end that allow flows of the request. */
function allowingIn(tree: TreeNode, flows: Flows, direction: Direction): readonly Allowing[] {
  const { end, other } = endsAt(flows, direction);
  const { holders } = projectIn(tree);
  const isOwn = (group: string) => group === end.group || end.holders.some((holder) => holders.get(holder)?.has(group) === true);
  return [...groupsIn(tree)].flatMap(([group, { rules }]) => {
    if (!isOwn(group)) return [];
    return rules
      .filter((rule) => rule.direction === direction && flows.families.includes(rule.family))
      .filter(({ services }) => services === "any" || servicesMeet(services, flows.services))
      .filter((rule) => ruleAllows(tree, flows, group, rule))
      .map((rule): Allowing => ({ group, rule, end, other }));
  });
}

/** Returns the steps after which a rule no longer allows flows of the request, smallest first. */
function stepsFor(place: DesignPlace, { group, rule, end, other }: Allowing, flows: Flows, obstacles: Set<string>): readonly Step[] {
  const leaving = [
    ...leaveSteps(place, end, group, obstacles),
    ...("group" in rule.remote ? leaveSteps(place, other, rule.remote.group, obstacles) : []),
  ];
  const { path } = rule;
  const node = path === undefined ? undefined : find(place.tree, path);
  const what = `rule "${group}: ${rule.text}"`;
  const fixed = path === undefined ? `No document declares ${what}.` : whyFixed(place.declared, path, what);
  if (fixed !== undefined) obstacles.add(fixed);
  if (path === undefined || node === undefined || fixed !== undefined) return leaving;
  const removed: Edit = { kind: "remove", at: path };
  const summary = `remove ${ruleText(node)} from security group ${group}`;
  const split = [...withoutPorts(node, flows), ...withoutPrefix(node, rule.family, other)].flatMap((parts): Step[] => {
    const list = path.parent ?? path;
    const fresh = parts.filter(({ name }) => find(place.tree, list.entry(name ?? "")) === undefined);
    const edits = [removed, ...fresh.map((entry): Edit => ({ kind: "entry", list, entry }))];
    return [{ summary: `replace ${ruleText(node)} in security group ${group} by ${parts.map(ruleText).join(" and ")}`, edits }];
  });
  return [{ summary, edits: [removed] }, ...leaving, ...split];
}

/** Returns the step in which ports and servers leave a group. A list in a document cannot be empty. */
function leaveSteps(place: DesignPlace, { group: named, holders }: End, group: string, obstacles: Set<string>): readonly Step[] {
  if (named === group) return [];
  const edits: Edit[] = [];
  for (const holder of holders) {
    const [, kind = "", name = ""] = /^(server|port) (.+)$/.exec(holder) ?? [];
    const list: Path = ROOT_PATH.child(`${kind}s`).entry(name).child("security_groups");
    const members = find(place.tree, list)?.children ?? [];
    if (!members.some(({ text }) => text === group)) continue;
    const fixed = whyFixed(place.declared, list, `the list of security groups of ${holder}`);
    if (fixed !== undefined) obstacles.add(fixed);
    else if (members.length === 1) obstacles.add(`${group} is the only security group of ${holder}.`);
    else edits.push({ kind: "remove-member", list, member: group });
  }
  return edits.length === 0 ? [] : [{ summary: `remove ${holders.join(", ")} from security group ${group}`, edits }];
}

/** Returns the rules for the ports of a rule that the request does not contain. */
function withoutPorts(node: TreeNode, { services }: Flows): readonly (readonly TreeNode[])[] {
  const [min, max] = ["port_range_min", "port_range_max"].map((tag) => childByTag(node, tag)?.text);
  if (min === undefined || max === undefined) return [];
  const rest = services.reduce(
    (left, { first, last }) =>
      left.flatMap((range) =>
        first > range.last || last < range.first
          ? [range]
          : [
              { first: range.first, last: first - 1 },
              { first: last + 1, last: range.last },
            ].filter((part) => part.first <= part.last),
      ),
    [{ first: Number(min), last: Number(max) }],
  );
  if (rest.length === 0 || rest.length > MOST_PARTS) return [];
  return [rest.map(({ first, last }) => variant(node, { port_range_min: String(first), port_range_max: String(last) }))];
}

/** Returns the rules for the addresses of a rule that the request does not contain. */
function withoutPrefix(node: TreeNode, family: Family, { group, prefixes }: End): readonly (readonly TreeNode[])[] {
  const prefix = childByTag(node, "remote_ip_prefix")?.text;
  const own = prefixes.filter((each) => each.family === family).map(({ text }) => text);
  if (prefix === undefined || own.length === 0 || group !== undefined) return [];
  const rest = networksWithout([prefix], own);
  return rest.length === 0 || rest.length > MOST_PARTS ? [] : [rest.map((network) => variant(node, { remote_ip_prefix: network }))];
}

/** Returns a rule with other texts in some of its fields. */
function variant(node: TreeNode, texts: Readonly<Record<string, string>>): TreeNode {
  const children = node.children.filter(({ tag }) => tag !== "id").map(({ tag, text }) => new TreeNode(tag, undefined, texts[tag] ?? text));
  const list = openstackShape().child("security_groups").child("entry").child("rules");
  return new TreeNode("entry", contentKey(new TreeNode("entry", undefined, "", children), list), "", children);
}
