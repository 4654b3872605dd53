import { childByTag, find } from "../../../core/tree/lookup.js";
import { SecretLeaf, TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { deviceEntry } from "../scope.js";

/** A template stack: its own settings merged with those of its templates. Variables are not replaced yet. */
export interface Stack {
  readonly tree: TreeNode;
  /** The stack, then its templates in order of precedence. */
  readonly layers: readonly { readonly path: Path; readonly config: TreeNode }[];
  /** Variable values of firewalls that override some, by serial number. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Variable values of all other firewalls. */
  readonly common: ReadonlyMap<string, string>;
  /** The tree with the common values. Computed once. */
  readonly plain: TreeNode;
}

const STACKS = deviceEntry.child("template-stack");
const TEMPLATES = deviceEntry.child("template");

/** Undefined if the stack does not exist. */
export function stackOf(root: TreeNode, name: string): Stack | undefined {
  const own = find(root, STACKS.entry(name));
  if (own === undefined) return undefined;
  const listed = (childByTag(own, "templates")?.children ?? []).map(({ text }) => TEMPLATES.entry(text));
  const places = [STACKS.entry(name), ...listed].flatMap((path) => {
    const node = find(root, path);
    return node === undefined ? [] : [{ path, node }];
  });
  const layers = places.map(({ path, node }) => ({ path, config: childByTag(node, "config") ?? NOTHING }));
  const tree = layers.map(({ config }) => config).reduce((above, below) => merged(above, below), NOTHING);
  const common = new Map(places.toReversed().flatMap(({ node }) => variablesOf(node)));
  const devices = (childByTag(own, "devices")?.children ?? []).map((device) => [device.name ?? "", variablesOf(device)] as const);
  const values = new Map(devices.filter(([, rows]) => rows.length > 0).map(([serial, rows]) => [serial, new Map([...common, ...rows])]));
  return { tree, layers, common, values, plain: withValues(tree, common) };
}

export function templateFor(stack: Stack | undefined, serial: string): TreeNode | undefined {
  const own = stack?.values.get(serial);
  return stack === undefined || own === undefined ? stack?.plain : withValues(stack.tree, own);
}

const NOTHING = new TreeNode("config");

function variablesOf(node: TreeNode): (readonly [string, string])[] {
  return (childByTag(node, "variable")?.children ?? []).flatMap(({ name = "", children }) => {
    const value = children.find(({ tag }) => tag === "type")?.children[0];
    return value === undefined ? [] : [[name, value.text] as const];
  });
}

/** Merges `below` into `above`, which wins. Entries with the same name are merged by child; lists of members are not merged. */
function merged(above: TreeNode, below: TreeNode): TreeNode {
  if (above.children.length === 0 && above.text === "" && !(above instanceof SecretLeaf)) return below;
  if (above.children.length === 0 || above.children.some(({ tag }) => tag === "member")) return above;
  const own = new Map(above.children.map((node) => [keyOf(node), node]));
  const more = new Map(below.children.map((node) => [keyOf(node), node]));
  const children = above.children.map((node) => {
    const other = more.get(keyOf(node));
    return other === undefined ? node : merged(node, other);
  });
  return new TreeNode(
    above.tag,
    above.name,
    "",
    [...children, ...below.children.filter((node) => !own.has(keyOf(node)))],
    above.attributes,
  );
}

function keyOf({ tag, name }: TreeNode): string {
  return name === undefined ? tag : `${tag} ${name}`;
}

/** Replaces variables. A node without variables is returned unchanged. */
function withValues(node: TreeNode, values: ReadonlyMap<string, string>): TreeNode {
  const resolved = (text: string) => (text.startsWith("$") ? (values.get(text) ?? text) : text);
  const children = node.children.map((each) => withValues(each, values));
  const name = node.name === undefined ? undefined : resolved(node.name);
  const text = resolved(node.text);
  if (name === node.name && text === node.text && children.every((each, at) => each === node.children[at])) return node;
  return new TreeNode(node.tag, name, text, children, node.attributes);
}
