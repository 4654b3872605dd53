import { childAt, find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import type { PushedNode } from "../../../engine/target.js";
import type { ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import { nameConflicts, overridesOf } from "../projection/name-conflicts.js";
import { DEFAULT_RULES, type GroupPolicy, type Projected, type Projection } from "../projection/projection.js";
import { templateFor } from "../projection/stacks.js";
import { deviceEntry } from "../scope.js";
import { GROUP, STACK } from "./rows.js";

/** The firewall's own value that overrides the pushed one. */
type HiddenBy = PushedNode["hiddenBy"];

const CONFIG = Path.root.child("config");
const SHARED = CONFIG.child("shared");
const SYSTEMS = deviceEntry.child("vsys");

/**
 * Returns the configuration that is pushed to a firewall at a path, from its first row that has a value there. A device group provides
 * virtual systems and `shared`; a template stack provides everything in its templates. `running` is the firewall's own configuration.
 */
export function pushedAt(
  path: Path,
  rows: readonly ManagedFirewall[],
  projection: Projection,
  running: TreeNode,
): Omit<PushedNode, "manager"> | undefined {
  for (const row of rows) {
    const found = row.by.startsWith(STACK) ? ofStack(path, row, projection, running) : ofGroup(path, row, projection, running);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofStack(path: Path, { by, serial }: ManagedFirewall, projection: Projection, running: TreeNode) {
  const stack = projection.stack(by.slice(STACK.length));
  const template = templateFor(stack, serial);
  const layer = stack?.layers.find(({ config }) => find(config, path) !== undefined);
  // If a variable replaces the name, no layer contains the path.
  const node = template === undefined ? undefined : find(template, path);
  if (stack === undefined || template === undefined || node === undefined) return undefined;
  const place = (layer ?? stack.layers[0])?.path ?? deviceEntry;
  const at = path.steps().reduce(below, place);
  const own = [...overridesOf(template, running)].find((each) => each.path.contains(path) || path.contains(each.path));
  const hiddenBy: HiddenBy = own === undefined ? undefined : { path: own.path, words: "its own value counts" };
  return { by: `${place.parent?.tag}/${place.name}`, at, node, hiddenBy };
}

function ofGroup(path: Path, { by, vsys = "vsys1" }: ManagedFirewall, projection: Projection, running: TreeNode) {
  const policy = projection.policy(by.slice(GROUP.length));
  const system = SYSTEMS.entry(vsys);
  const place = [system, SHARED].find((each) => each.contains(path));
  if (policy === undefined || place === undefined) return undefined;
  const steps = path.steps().slice(place.depth);
  const length = steps.findIndex(({ name }) => name !== undefined) + 1;
  const [entry] = steps.slice(length - 1);
  if (length === 0 || entry?.name === undefined) return undefined;
  const tags = steps.slice(0, length - 1).map(({ tag }) => tag);
  const found = tags[0] === "rulebase" ? ruleOf(policy, tags, entry.name) : objectOf(policy, tags, entry.name);
  if (found === undefined || (place === SHARED && found.level.word !== "shared")) return undefined;
  const rest = steps.slice(length);
  const node = rest.reduce<TreeNode | undefined>((at, step) => (at === undefined ? undefined : childAt(at, step)), found.node);
  if (node === undefined) return undefined;
  const at = [...found.tags.map((tag) => CONFIG.child(tag)), entry, ...rest].reduce(below, found.level.path);
  const sameName = [...nameConflicts(policy, running, vsys)].find(
    (each) => each.path.name === entry.name && each.path.parent?.tag === tags.at(-1),
  );
  const words = sameName?.collides === true ? "it would refuse the next push: both have this name" : "its own one counts";
  return { by: found.level.word, at, node, hiddenBy: sameName === undefined ? undefined : { path: sameName.path, words } };
}

type Found = Projected & { readonly tags: readonly string[] };

function objectOf(policy: GroupPolicy, tags: readonly string[], name: string): Found | undefined {
  const found = policy.objects.get(tags.join("/"))?.get(name);
  return found === undefined ? undefined : { ...found, tags };
}

/** Pre-rules before post-rules. On a firewall, both are in one rulebase, with its own rules between them. */
function ruleOf(policy: GroupPolicy, [, kind = "", ...more]: readonly string[], name: string): Found | undefined {
  const tagged = (rulebase: string, found: Projected | undefined): Found | undefined =>
    found === undefined ? undefined : { ...found, tags: [rulebase, kind, ...more] };
  if (kind === DEFAULT_RULES) return tagged("post-rulebase", policy.defaults.get(name));
  const rule = (rulebase: string) =>
    tagged(
      rulebase,
      policy.rules.get(`${rulebase}/${kind}`)?.find(({ node }) => node.name === name),
    );
  return rule("pre-rulebase") ?? rule("post-rulebase");
}

function below(place: Path, { tag, name, text }: Path): Path {
  if (name !== undefined) return place.entry(name, tag);
  return text === undefined ? place.child(tag) : place.member(text, tag);
}
