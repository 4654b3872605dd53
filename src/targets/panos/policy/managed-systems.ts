import { equalNodes } from "../../../core/tree/equal.js";
import { childByTag, find, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { JudgedFirewall } from "../../../outcome/insight.js";
import { FIREWALLS } from "../pushed-paths.js";
import { panosShape } from "../shape.js";
import { changesOfTemplates } from "./changed-definitions.js";
import { changesOfRoutes } from "./changed-routes.js";
import type { Receiver } from "./conditions.js";
import { ManagerVersion, NotProjected, type Projected } from "./manager-version.js";
import type { NameScope } from "./name-scopes.js";
import type { Interpretation } from "./reading.js";
import type { EffectiveSystem } from "./systems.js";

/** Firewalls (or virtual systems) of a manager that receive the same configuration in each version. They are analyzed once. */
export interface ManagedSystem {
  readonly firewalls: readonly JudgedFirewall[];
  /** Effective systems by version. Undefined if the firewalls are in no device group. Empty if `failure` is set. */
  readonly systems: readonly (EffectiveSystem | undefined)[];
  /** Their device group and its ancestors, with the names that documents use. */
  readonly within: readonly string[];
  readonly isSame: boolean;
  /** Reason why the pushed configuration is not known. */
  readonly failure?: string | undefined;
}

interface Draft extends Omit<ManagedSystem, "firewalls"> {
  readonly firewalls: JudgedFirewall[];
}

/** Groups the firewalls of a manager by the configuration that they receive. The cost is linear in their number. */
export function managedSystems(trees: readonly TreeNode[], options: Interpretation): ManagedSystem[] {
  const versions = trees.map((root) => new ManagerVersion(root, options));
  const receivers = new Map(versions.flatMap(({ receivers: all }) => [...all]).map(([key, { receiver }]) => [key, receiver]));
  const several = severalOf(receivers.values());
  const [hasSame, isRoutedAnew] = [sameLevels(), cachedRoutes()];
  const found = new Map<string, Draft>();
  for (const receiver of receivers.values()) {
    const name = nameOf(receiver, several, trees);
    try {
      const handed = versions.map((version) => version.handedTo(receiver));
      const isRouted = handed.some((each, at) => at > 0 && isRoutedAnew(handed[at - 1], each));
      const key = [...handed.map((each) => each?.key ?? ""), isRouted].join("\n");
      const known = found.get(key);
      if (known !== undefined) known.firewalls.push(name);
      else found.set(key, { ...drafted(handed, !isRouted && hasSame(handed)), firewalls: [name] });
    } catch (error) {
      if (!(error instanceof NotProjected)) throw error;
      const known = found.get(`! ${error.message}`);
      if (known !== undefined) known.firewalls.push(name);
      else found.set(`! ${error.message}`, { firewalls: [name], systems: [], within: error.within, isSame: false, failure: error.message });
    }
  }
  return [...found.values()];
}

function drafted(handed: readonly (Projected | undefined)[], isSame: boolean): Omit<Draft, "firewalls"> {
  const levels = handed.findLast((each) => each !== undefined)?.levels ?? [];
  return { systems: handed.map((each) => each?.system), within: levels.map(({ word }) => word), isSame };
}

/** Returns the firewalls with more than one virtual system in device groups. */
function severalOf(receivers: Iterable<Receiver>): ReadonlySet<string> {
  const [once, more] = [new Set<string>(), new Set<string>()];
  for (const { serial } of receivers) (once.has(serial) ? more : once).add(serial);
  return more;
}

function nameOf({ serial, vsys }: Receiver, several: ReadonlySet<string>, trees: readonly TreeNode[]): JudgedFirewall {
  const entries = trees.map((root) => find(root, FIREWALLS.entry(serial)));
  const hostname = entries.map((entry) => (entry === undefined ? undefined : childByTag(entry, "hostname")?.text)).find((text) => text);
  return { serial, hostname, vsys: several.has(serial) || vsys !== "vsys1" ? vsys : undefined };
}

/** Cache of results for pairs of nodes. */
class Pairs<Value> {
  readonly #known = new Map<TreeNode, Map<TreeNode, Value>>();

  of(one: TreeNode, other: TreeNode, find: () => Value): Value {
    const row = this.#known.get(one) ?? new Map<TreeNode, Value>();
    this.#known.set(one, row);
    const found = row.get(other) ?? find();
    row.set(other, found);
    return found;
  }
}

/** Whether settings in templates change. Firewalls of one stack without their own values share one template, so results are cached. */
function cachedRoutes(): (before: Projected | undefined, after: Projected | undefined) => boolean {
  const known = new Map<string, Pairs<boolean>>();
  return (before, after) => {
    const [former, next] = [before?.system.network, after?.system.network];
    if (after === undefined || former === undefined || next === undefined) return false;
    const { path } = after.system;
    const pairs = known.get(path.toString()) ?? new Pairs<boolean>();
    known.set(path.toString(), pairs);
    return pairs.of(former, next, () => changesOfRoutes(former, next, path) || changesOfTemplates(former, next, path));
  };
}

/** Whether the device groups are equal in all versions. Each scope is compared once. */
function sameLevels(): (handed: readonly (Projected | undefined)[]) => boolean {
  const pairs = new Pairs<boolean>();
  const same = (one: NameScope, other: NameScope | undefined): boolean =>
    other !== undefined &&
    one.path.equals(other.path) &&
    pairs.of(one.node, other.node, () => equalNodes(one.node, other.node, shapeAt(one.path, panosShape())));
  return ([first, ...others]) =>
    first !== undefined &&
    others.every(
      (each) =>
        each?.key === first.key &&
        each.levels.length === first.levels.length &&
        first.levels.every((level, at) => same(level, each.levels[at])),
    );
}
