import { canonicalDigest } from "../../../core/tree/canonical.js";
import { childByTag, find, shapeAt } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { deviceGroupParents } from "../device-groups.js";
import { DEFAULT_RULES, type GroupPolicy, Projection } from "../projection/projection.js";
import { type Stack, templateFor } from "../projection/stacks.js";
import { FIREWALLS } from "../pushed-paths.js";
import { deviceEntry, WILDCARDS_IN_ORDER } from "../scope.js";
import { DEFAULTS, textOf } from "../security-rule.js";
import { panosShape } from "../shape.js";
import { interfacesOf } from "./changes-outside-rules.js";
import { meantFor, type Receiver } from "./conditions.js";
import type { NameScope } from "./name-scopes.js";
import type { Interpretation } from "./reading.js";
import { rulesOf } from "./rules.js";
import { type EffectiveSystem, layersOf, OWN_RULES, type RuleLayer, rankedBy } from "./systems.js";

const GROUPS = deviceEntry.child("device-group");
const STACKS = deviceEntry.child("template-stack");
const TEMPLATES = deviceEntry.child("template");
const SYSTEMS = deviceEntry.child("vsys");
const NOTHING = new TreeNode("config");

/** Thrown if the pushed configuration of one firewall cannot be determined. Other firewalls are not affected. */
export class NotProjected extends Error {
  /** Device groups that contain the firewall. */
  readonly within: readonly string[];

  constructor(message: string, within: readonly string[]) {
    super(message);
    this.within = within;
  }
}

/** The pushed configuration of a firewall, combined with its own configuration if that was read. */
export interface Projected {
  readonly system: EffectiveSystem;
  /** Its device group, the ancestors, and `shared`. */
  readonly levels: readonly NameScope[];
  /** Equal for firewalls of one version that have the same result. */
  readonly key: string;
}

interface Placed {
  readonly receiver: Receiver;
  readonly groups: readonly string[];
}

/** One version of a manager's configuration, projected on its firewalls. */
export class ManagerVersion {
  /** Virtual systems of firewalls in device groups, by serial number and name. */
  readonly receivers: ReadonlyMap<string, Placed>;
  readonly #root: TreeNode;
  readonly #options: Interpretation;
  readonly #projection: Projection;
  readonly #parents: ReadonlyMap<string, string>;
  readonly #stacks: ReadonlyMap<string, readonly string[]>;
  /** Reason why templates were not read. */
  readonly #unread: string | undefined;
  readonly #layers = new Map<string, readonly RuleLayer[]>();
  readonly #targeted = new Map<GroupPolicy, readonly TreeNode[]>();

  constructor(root: TreeNode, options: Interpretation) {
    this.#root = root;
    this.#options = options;
    this.#projection = new Projection(root, options);
    this.#parents = deviceGroupParents(root);
    this.receivers = receiversIn(root);
    this.#unread = find(root, FIREWALLS.child("templates"))?.text;
    this.#stacks = stacksIn(root);
  }

  /** Undefined if the firewall is in no device group. @throws NotProjected */
  handedTo(receiver: Receiver): Projected | undefined {
    const groups = this.receivers.get(keyOf(receiver))?.groups ?? [];
    const [group] = groups;
    if (group === undefined) return undefined;
    const within = groups.map((name) => `device-group/${name}`);
    if (groups.length > 1) throw new NotProjected(`it is in several device groups: ${groups.join(", ")}`, within);
    const policy = this.#projection.policy(group);
    const levels = this.#projection.levels(group);
    if (policy === undefined || levels === undefined) throw new NotProjected(`${within[0]} was not read`, within);
    const lost = levels
      .map(({ path }) => this.#parents.get(path.toString()))
      .find((parent) => parent !== undefined && !isAmong(levels, parent));
    if (lost !== undefined) throw new NotProjected(`${lost}, a parent of its group, was not read`, within);
    const { network, doubts } = this.#networkOf(receiver, within);
    const own = ownOf(this.#root, receiver);
    const zones = [own.system, find(network ?? NOTHING, SYSTEMS.entry(receiver.vsys))].flatMap((node) =>
      node === undefined ? [] : (childByTag(node, "zone") ?? []),
    );
    const mask = this.#maskOf(policy, receiver);
    const wildcardsInOrder = find(network ?? NOTHING, WILDCARDS_IN_ORDER)?.text === "yes";
    const all = [...own.doubts, ...doubts, ...defaultsDoubted(levels, this.#options)];
    const local = own.system === undefined ? undefined : childByTag(own.system, "rulebase");
    const layers = this.#layersFor(group, policy, levels, receiver, mask);
    const at = layers.findIndex(({ level }) => level === "post");
    const middle = at === -1 ? layers.length : at;
    const mine: RuleLayer[] =
      local === undefined ? [] : [{ level: "local", group: "", rulebase: local, path: SYSTEMS.entry(receiver.vsys).child("rulebase") }];
    return {
      levels,
      key: JSON.stringify([group, mask, [...interfacesOf({ zones })], wildcardsInOrder, own.digest, all]),
      system: {
        scope: levels[0]?.word ?? "",
        path: SYSTEMS.entry(receiver.vsys),
        zones: zones.length === 0 ? undefined : zones,
        hasOtherZones: own.system === undefined || this.#unread !== undefined,
        names: [...own.names.slice(0, 1), ...rankedBy(this.#options.precedence, levels), ...own.names.slice(1)],
        ranked: levels,
        network: network ?? NOTHING,
        layers: [...layers.slice(0, middle), ...mine, ...layers.slice(middle)],
        wildcardsInOrder,
        doubts: all,
        unread: own.system === undefined ? { above: "post", text: own.doubts[0] ?? OWN_RULES } : undefined,
      },
    };
  }

  #networkOf(
    { serial }: Receiver,
    within: readonly string[],
  ): { readonly network: TreeNode | undefined; readonly doubts: readonly string[] } {
    const names = this.#stacks.get(serial) ?? [];
    if (names.length > 1) throw new NotProjected(`it is in several template stacks: ${names.join(", ")}`, within);
    const [name] = names;
    const stack: Stack | undefined = name === undefined ? undefined : this.#projection.stack(name);
    const listed = childByTag(find(this.#root, STACKS.entry(name ?? "")) ?? NOTHING, "templates")?.children ?? [];
    const lost = listed.filter(({ text }) => find(this.#root, TEMPLATES.entry(text)) === undefined).map(({ text }) => text);
    if (this.#unread !== undefined)
      return { network: undefined, doubts: [`Templates could not be read, and zones are not known: ${this.#unread}`] };
    const doubts = lost.length === 0 ? [] : [`template-stack/${name} lists ${lost.join(", ")}, which was not read: zones may be missing.`];
    return { network: templateFor(stack, serial), doubts };
  }

  /** Encodes which of the targeted rules include this firewall. */
  #maskOf(policy: GroupPolicy, receiver: Receiver): string {
    const targeted = this.#targeted.get(policy) ?? rulesIn(policy).filter((node) => childByTag(node, "target") !== undefined);
    this.#targeted.set(policy, targeted);
    const letter = (meant: ReturnType<typeof meantFor>) => (meant === true ? "y" : meant === false ? "n" : "?");
    return targeted.map((node) => letter(meantFor(node, receiver))).join("");
  }

  #layersFor(group: string, policy: GroupPolicy, levels: readonly NameScope[], receiver: Receiver, mask: string): readonly RuleLayer[] {
    const key = `${group} ${mask}`;
    const made = this.#layers.get(key) ?? [
      ...levels.toReversed().flatMap((level) => layerOf(policy, level, "pre", receiver)),
      ...levels.flatMap((level) => layerOf(policy, level, "post", receiver)),
    ];
    this.#layers.set(key, made);
    return made;
  }
}

/**
 * Returns the rules of one scope without those for other firewalls. The `target` of the remaining rules is removed if it certainly includes
 * this firewall.
 */
function layerOf(policy: GroupPolicy, level: NameScope, when: "pre" | "post", receiver: Receiver): RuleLayer[] {
  const tag = `${when}-rulebase`;
  const kinds = [...policy.rules].flatMap(([key, rules]) => {
    if (!key.startsWith(`${tag}/`)) return [];
    const own = rules.filter((rule) => rule.level === level).flatMap(({ node }) => forReceiver(node, receiver));
    return own.length === 0 ? [] : [kindOf(key.slice(tag.length + 1), own)];
  });
  const defaults = [...policy.defaults.values()].filter((rule) => rule.level === level).map(({ node }) => node);
  if (when === "post" && defaults.length > 0) kinds.push(kindOf(DEFAULT_RULES, defaults));
  if (kinds.length === 0) return [];
  return [{ level: when, group: level.word, rulebase: new TreeNode(tag, undefined, "", kinds), path: level.path.child(tag) }];
}

function kindOf(tag: string, rules: readonly TreeNode[]): TreeNode {
  return new TreeNode(tag, undefined, "", [new TreeNode("rules", undefined, "", rules)]);
}

function forReceiver(rule: TreeNode, receiver: Receiver): TreeNode[] {
  const meant = meantFor(rule, receiver);
  if (meant === false) return [];
  if (meant !== true || childByTag(rule, "target") === undefined) return [rule];
  const kept = rule.children.filter(({ tag }) => tag !== "target");
  return [new TreeNode(rule.tag, rule.name, rule.text, kept, rule.attributes)];
}

/** If several scopes define different actions of a default rule, it is not known which one applies. */
function defaultsDoubted(levels: readonly NameScope[], { defaultRules }: Interpretation): string[] {
  const ranked = defaultRules === "nearest" ? levels : levels.toReversed();
  return DEFAULTS.flatMap(({ name, action }) => {
    const [taken, ...others] = ranked
      .flatMap((level) => layersOf([level]))
      .flatMap((layer) =>
        rulesOf(layer, DEFAULT_RULES).flatMap((rule) =>
          rule.name === name ? [{ word: layer.group, verdict: textOf(rule, "action") ?? action }] : [],
        ),
      );
    const other = others.find(({ verdict }) => verdict !== taken?.verdict);
    if (taken === undefined || other === undefined) return [];
    return [
      `Default rule "${name}" is in ${taken.word} and in ${other.word}: the former is used, according to the option defaultRules [?].`,
    ];
  });
}

function rulesIn({ rules }: GroupPolicy): TreeNode[] {
  return [...rules.values()].flatMap((list) => list.map(({ node }) => node));
}

function isAmong(levels: readonly NameScope[], path: string): boolean {
  return levels.some((level) => level.path.toString() === path);
}

interface Own {
  /** Its virtual system. Undefined if it was not read. */
  readonly system: TreeNode | undefined;
  /** Its virtual system, then the scope that all virtual systems share. */
  readonly names: readonly NameScope[];
  readonly digest: string;
  readonly doubts: readonly string[];
}

/** Returns the firewall's own configuration, as far as the reader requested it. */
function ownOf(root: TreeNode, { serial, vsys }: Receiver): Own {
  const none = { system: undefined, names: [], digest: "" };
  const firewall = find(root, FIREWALLS.entry(serial));
  const running = firewall === undefined ? undefined : childByTag(firewall, "config");
  const why = firewall === undefined ? undefined : childByTag(firewall, "unread")?.text;
  if (running === undefined)
    return {
      ...none,
      doubts: [why === undefined ? OWN_RULES : `The firewall's own rules are between these and could not be read: ${why}`],
    };
  const place = SYSTEMS.entry(vsys);
  const shared = deviceEntry.parent?.parent?.child("shared") ?? place;
  const [system = new TreeNode("entry", vsys), beside = new TreeNode("shared")] = [find(running, place), find(running, shared)];
  const digest = [[place, system] as const, [shared, beside] as const].map(([path, node]) => digestAt(path, node)).join(" ");
  return {
    system,
    names: [
      { word: vsys, path: place, node: system },
      { word: "shared of the firewall", path: FIREWALLS.entry(serial).child("shared"), node: beside },
    ],
    digest,
    doubts: [],
  };
}

function digestAt(path: Path, node: TreeNode): string {
  return canonicalDigest(node, shapeAt(path, panosShape()));
}

function keyOf({ serial, vsys }: Receiver): string {
  return `${serial} ${vsys}`;
}

function receiversIn(root: TreeNode): ReadonlyMap<string, Placed> {
  const found = new Map<string, { receiver: Receiver; groups: string[] }>();
  for (const { name: group = "", children } of find(root, GROUPS)?.children ?? [])
    for (const device of children.find(({ tag }) => tag === "devices")?.children ?? []) {
      const systems = (childByTag(device, "vsys")?.children ?? []).map(({ name, text }) => name ?? text);
      for (const vsys of systems.length === 0 ? ["vsys1"] : systems) {
        const receiver = { serial: device.name ?? "", vsys };
        const known = found.get(keyOf(receiver));
        if (known === undefined) found.set(keyOf(receiver), { receiver, groups: [group] });
        else known.groups.push(group);
      }
    }
  return found;
}

function stacksIn(root: TreeNode): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const stack of find(root, STACKS)?.children ?? [])
    for (const { name: serial = "" } of childByTag(stack, "devices")?.children ?? []) {
      const known = found.get(serial);
      if (known === undefined) found.set(serial, [stack.name ?? ""]);
      else known.push(stack.name ?? "");
    }
  return found;
}
