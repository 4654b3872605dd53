import { touchedPath } from "../../../core/operation.js";
import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, find, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { protectSecrets } from "../../../core/tree/stored-secrets.js";
import { afterOperations } from "../../../plan/after.js";
import type { PlannedOperation } from "../../../plan/model.js";
import { meantFor } from "../policy/conditions.js";
import type { NameScope } from "../policy/name-scopes.js";
import type { Interpretation } from "../policy/reading.js";
import { groupLevels, layersOf } from "../policy/systems.js";
import { deviceEntry } from "../scope.js";
import { isDisabled } from "../security-rule.js";
import { panosShape } from "../shape.js";
import { type Stack, stackOf } from "./stacks.js";
import { namedIn } from "./used-by-rules.js";

/**
 * Assumptions about the configuration that firewalls receive from device groups, where sources disagree (docs/manager.md#the-projection).
 */
export type ProjectionOptions = Pick<Interpretation, "precedence" | "targeted" | "defaultRules">;

/** A rule or an object, with the scope of the manager that it comes from. */
export interface Projected {
  readonly level: NameScope;
  readonly node: TreeNode;
}

interface ProjectedObject extends Projected {
  /** Whether the object is certainly pushed. Unused objects may be omitted. */
  readonly isSure: boolean;
}

/** Policy of all firewalls in a group. Rules may be limited to some of them. */
export interface GroupPolicy {
  /** Rules from top to bottom, by `pre-rulebase/security`. Disabled rules are not pushed, but the objects that they use are. */
  readonly rules: ReadonlyMap<string, readonly Projected[]>;
  /** Effective default rules, by name. */
  readonly defaults: ReadonlyMap<string, Projected>;
  /** Objects by list (`address`, `profiles/virus`) and name. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, ProjectedObject>>;
  /** Whether every rule applies to all firewalls. */
  readonly isForAll: boolean;
  /** Path of the group. */
  readonly path: Path;
}

/** Object lists that are pushed. Other lists in a manager's `shared` (administrators, certificates, servers) only apply to the manager. */
const OBJECT_LISTS: ReadonlySet<string> = new Set(
  "tag address address-group region external-list dynamic-user-group service service-group application application-group application-filter application-tag schedule profile-group authentication-object device-object sdwan-interface-profile sdwan-path-quality-profile sdwan-traffic-distribution-profile sdwan-saas-quality-profile sdwan-error-correction-profile".split(
    " ",
  ),
);
/** Containers whose lists are pushed. */
const OBJECT_CONTAINERS: ReadonlySet<string> = new Set(["profiles", "threats"]);

export const DEFAULT_RULES = "default-security-rules";
const UNUSED = ["deviceconfig", "setting", "management", "share-unused-objects-with-devices"].reduce(
  (path, tag) => path.child(tag),
  deviceEntry,
);

/** Inputs of a projection, read from the manager's running configuration. */
export const PROJECTED: readonly Path[] = [
  deviceEntry.parent?.parent?.child("shared") ?? deviceEntry,
  ...["device-group", "template", "template-stack"].map((list) => deviceEntry.child(list)),
  UNUSED,
];

/** Computes the configuration that a manager pushes to its firewalls. Each group and stack is computed once. */
export class Projection {
  readonly options: ProjectionOptions;
  readonly #root: TreeNode;
  readonly #levels: ReadonlyMap<string, readonly NameScope[]>;
  readonly #policies = new Map<string, GroupPolicy>();
  readonly #stacks = new Map<string, Stack>();

  constructor(root: TreeNode, options: ProjectionOptions) {
    this.#root = root;
    this.options = options;
    this.#levels = groupLevels(root);
  }

  /** Returns the projection after the operations. */
  after(operations: readonly PlannedOperation[]): Projection {
    const own = operations.filter(({ operation }) => PROJECTED.some((path) => path.contains(touchedPath(operation))));
    return own.length === 0 ? this : new Projection(afterOperations(this.#root, own), this.options);
  }

  /** Returns the projection of another configuration of the manager, with the same options. */
  of(root: TreeNode): Projection {
    return new Projection(protectSecrets(root, panosShape()), this.options);
  }

  /** Whether both have the same inputs. */
  isSame(other: Projection): boolean {
    const textOf = (root: TreeNode, path: Path) => {
      const node = find(root, path);
      return node === undefined ? "" : canonicalText(node, shapeAt(path, panosShape()));
    };
    return PROJECTED.every((path) => textOf(this.#root, path) === textOf(other.#root, path));
  }

  /** Undefined if the group does not exist. */
  policy(group: string): GroupPolicy | undefined {
    const levels = this.#levels.get(group);
    if (levels === undefined) return undefined;
    const made = this.#policies.get(group) ?? this.#flattened(levels);
    this.#policies.set(group, made);
    return made;
  }

  /** Returns the group, its ancestors and `shared`. Undefined if the group does not exist. */
  levels(group: string): readonly NameScope[] | undefined {
    return this.#levels.get(group);
  }

  /** Undefined if the stack does not exist. */
  stack(name: string): Stack | undefined {
    const made = this.#stacks.get(name) ?? stackOf(this.#root, name);
    if (made !== undefined) this.#stacks.set(name, made);
    return made;
  }

  #flattened(levels: readonly NameScope[]): GroupPolicy {
    const [own] = levels;
    const rules = new Map<string, Projected[]>();
    const defaults = new Map<string, Projected>();
    for (const { rulebase, group } of layersOf(levels)) {
      const level = levels.find(({ word }) => word === group);
      if (level === undefined) continue;
      for (const kind of rulebase.children)
        for (const node of childByTag(kind, "rules")?.children ?? []) {
          if (kind.tag === DEFAULT_RULES)
            (this.options.defaultRules === "nearest" ? setOnce : setAlways)(defaults, node.name ?? "", { level, node });
          else if (!isDisabled(node)) pushTo(rules, `${rulebase.tag}/${kind.tag}`, { level, node });
        }
    }
    const sharesAll = find(this.#root, UNUSED)?.text !== "no";
    const ranked = this.options.precedence === "nearest" ? levels : levels.toReversed();
    const isForAll = [...rules.values()].flat().every(({ node }) => meantFor(node, undefined) === true);
    return { rules, defaults, objects: objectsOf(ranked, sharesAll ? undefined : levels), isForAll, path: own?.path ?? deviceEntry };
  }
}

/**
 * The first scope that defines a name wins. `users`: scopes whose rules decide which objects are used, if unused objects may be omitted.
 * Undefined if all objects are pushed.
 */
function objectsOf(ranked: readonly NameScope[], users: readonly NameScope[] | undefined): GroupPolicy["objects"] {
  const found = new Map<string, Map<string, Projected>>();
  for (const level of ranked)
    for (const [list, entries] of listsIn(level.node)) {
      const known = found.get(list) ?? new Map<string, Projected>();
      found.set(list, known);
      for (const node of entries) setOnce(known, node.name ?? "", { level, node });
    }
  const isUsed = users === undefined ? () => true : namedIn(users, found);
  return new Map(
    [...found].map(([list, known]) => [list, new Map([...known].map(([name, one]) => [name, { ...one, isSure: isUsed(list, name) }]))]),
  );
}

/** Yields the object lists of a group, of `shared`, or of a pushed policy. */
export function* listsIn(place: TreeNode): Generator<readonly [list: string, entries: readonly TreeNode[]]> {
  for (const child of place.children) {
    if (OBJECT_LISTS.has(child.tag)) yield [child.tag, child.children];
    else if (OBJECT_CONTAINERS.has(child.tag)) for (const list of child.children) yield [`${child.tag}/${list.tag}`, list.children];
    else if (child.tag === "log-settings")
      for (const list of child.children) if (list.tag === "profiles") yield ["log-settings/profiles", list.children];
  }
}

function setAlways<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
}

function setOnce<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!map.has(key)) map.set(key, value);
}

function pushTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
