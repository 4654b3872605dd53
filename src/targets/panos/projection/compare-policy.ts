import { childByTag, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import type { Shape } from "../../../core/tree/shape.js";

import { meantFor, type Receiver } from "../policy/conditions.js";
import { deviceEntry } from "../scope.js";
import { panosShape } from "../shape.js";
import { DEFAULT_RULES, type GroupPolicy, listsIn, type Projected, type ProjectionOptions } from "./projection.js";
import type { PushedPolicy } from "./pushed.js";
import { type Unlike, unlike } from "./unlike.js";

/**
 * What a virtual system was handed otherwise than its group says, at the places where the manager has it. What a device puts in by
 * itself carries no mark of a place among what does, and is nobody's.
 */
export function* policyDifferences(
  policy: GroupPolicy,
  { own, shared }: PushedPolicy,
  receiver: Receiver,
  options: ProjectionOptions,
): Generator<Unlike> {
  const shape = shapeAt(policy.path, panosShape());
  if (own === undefined && (policy.rules.size > 0 || policy.objects.size > 0)) {
    yield { path: policy.path, what: "missing" };
    return;
  }
  yield* objectDifferences(policy, own, shared, shape);
  for (const tag of ["pre-rulebase", "post-rulebase"]) {
    const found = own === undefined ? undefined : childByTag(own, tag);
    const kinds = new Set([...policy.rules.keys()].filter((key) => key.startsWith(tag)).map((key) => key.slice(tag.length + 1)));
    for (const kind of found?.children ?? []) kinds.add(kind.tag);
    for (const kind of kinds) {
      const part = found === undefined ? undefined : childByTag(found, kind);
      const rules = (part === undefined ? undefined : childByTag(part, "rules"))?.children ?? [];
      const below = [tag, kind, "rules", "entry"].reduce((at, each) => at.child(each), shape);
      const at = (level: Path, rule: TreeNode) =>
        [tag, kind, "rules"].reduce((path, each) => path.child(each), level).entry(rule.name ?? "");
      if (kind === DEFAULT_RULES) yield* defaultDifferences(policy, rules, below, at);
      else yield* ruleDifferences(meantHere(policy.rules.get(`${tag}/${kind}`) ?? [], receiver, options), rules, below, at);
    }
  }
}

type At = (level: Path, rule: TreeNode) => Path;

interface Wanted extends Projected {
  readonly isSure: boolean;
}

function meantHere(rules: readonly Projected[], receiver: Receiver, { targeted }: ProjectionOptions): Wanted[] {
  if (targeted === "delivered") return rules.map((rule) => ({ ...rule, isSure: true }));
  return rules.flatMap((rule) => {
    const meant = meantFor(rule.node, receiver);
    return meant === false ? [] : [{ ...rule, isSure: meant === true }];
  });
}

function* ruleDifferences(wanted: readonly Wanted[], found: readonly TreeNode[], shape: Shape, at: At): Generator<Unlike> {
  const isMarked = found.some((rule) => locationOf(rule) !== undefined);
  const key = (location: string | undefined, name = "") => (isMarked ? `${location}/${name}` : name);
  const others = new Map(found.map((rule) => [key(locationOf(rule), rule.name), rule]));
  const order: Wanted[] = [];
  for (const rule of wanted) {
    const name = key(loc(rule), rule.node.name);
    const other = others.get(name);
    others.delete(name);
    if (other !== undefined) {
      order.push(rule);
      yield* withoutTarget(unlike(rule.node, other, shape, at(rule.level.path, rule.node)), other);
    } else if (rule.isSure) yield { path: at(rule.level.path, rule.node), what: "missing" };
  }
  for (const rule of others.values()) if (isManagers(rule, isMarked)) yield { path: at(levelOf(rule), rule), what: "extra" };
  const kept = new Set(order.map((rule) => key(loc(rule), rule.node.name)));
  const actual = found.map((rule) => key(locationOf(rule), rule.name)).filter((name) => kept.has(name));
  const moved = order.find((rule, index) => actual[index] !== key(loc(rule), rule.node.name));
  if (moved !== undefined) yield { path: at(moved.level.path, moved.node), what: "out of place" };
}

/** Nobody knows whether a firewall keeps for whom a rule of its own is meant. */
function* withoutTarget(differences: Iterable<Unlike>, found: TreeNode): Generator<Unlike> {
  const isKept = childByTag(found, "target") !== undefined;
  for (const each of differences) if (isKept || each.path.tag !== "target") yield each;
}

/** Of several that are handed on the first counts. */
function* defaultDifferences({ defaults }: GroupPolicy, found: readonly TreeNode[], shape: Shape, at: At): Generator<Unlike> {
  for (const [name, { level, node }] of defaults) {
    const other = found.find((rule) => rule.name === name);
    const path = at(level.path, node);
    if (other === undefined) yield { path, what: "missing" };
    else yield* unlike(node, other, shape, path);
  }
}

/** What is shared may stand beside the virtual system, or in it. */
function* objectDifferences(
  { objects }: GroupPolicy,
  own: TreeNode | undefined,
  shared: TreeNode | undefined,
  shape: Shape,
): Generator<Unlike> {
  const [here, beside] = [own, shared].map(
    (place) => new Map(place === undefined ? [] : [...listsIn(place)].map(([list, entries]) => [list, byName(entries)] as const)),
  );
  for (const [list, wanted] of objects) {
    const below = [...list.split("/"), "entry"].reduce((at, tag) => at.child(tag), shape);
    const at = (level: Path, name: string) =>
      list
        .split("/")
        .reduce((path, tag) => path.child(tag), level)
        .entry(name);
    const [ownList, sharedList] = [here?.get(list), beside?.get(list)];
    for (const [name, { level, node, isSure }] of wanted) {
      const other = ownList?.get(name) ?? (level.word === "shared" ? sharedList?.get(name) : undefined);
      const path = at(level.path, name);
      if (other !== undefined) yield* unlike(node, other, below, path);
      else if (isSure) yield { path, what: "missing" };
    }
  }
  for (const [list, found] of [...(here ?? []), ...(beside ?? [])]) {
    const isMarked = [...found.values()].some((entry) => locationOf(entry) !== undefined);
    for (const [name, entry] of found) {
      if (objects.get(list)?.has(name) === true || !isManagers(entry, isMarked)) continue;
      const at = list.split("/").reduce((path, tag) => path.child(tag), levelOf(entry));
      yield { path: at.entry(name), what: "extra" };
    }
  }
}

function byName(entries: readonly TreeNode[]): ReadonlyMap<string, TreeNode> {
  return new Map(entries.map((entry) => [entry.name ?? "", entry]));
}

const SHARED = Path.root.child("config").child("shared");

/** The place of the manager that something pushed says it comes from. */
function levelOf(node: TreeNode): Path {
  const location = locationOf(node);
  return location === undefined || location === "shared" ? SHARED : deviceEntry.child("device-group").entry(location);
}

function isManagers(node: TreeNode, isMarked: boolean): boolean {
  return !isMarked || locationOf(node) !== undefined;
}

function locationOf(node: TreeNode): string | undefined {
  return node.attributes?.get("loc");
}

/** As `loc` has it. */
function loc({ level }: Projected): string {
  return level.word === "shared" ? "shared" : (level.path.name ?? "");
}
