import { TreeNode } from "../../../core/tree/node.js";
import { child } from "../state/system-facts.js";
import { managedEntry, stackTemplates } from "./memberships.js";

/**
 * Returns the configuration that a firewall of a stack receives. The stack's own settings have precedence, then its templates from first
 * to last. Variables are replaced by their values.
 */
export function templateOf(config: TreeNode, stack: string, serial: string): TreeNode {
  const entry = managedEntry(config, "template-stack", stack);
  const layers = [entry, ...stackTemplates(config, stack).map((name) => managedEntry(config, "template", name))];
  const device = child(entry, "devices")?.children.find(({ name }) => name === serial);
  const values = new Map([device, ...layers].toReversed().flatMap(variablesOf));
  const configs = layers.flatMap((layer) => child(layer, "config") ?? []);
  return withValues(
    configs.reduce<TreeNode>((above, below) => merged(above, below), new TreeNode("config")),
    values,
  );
}

function variablesOf(node: TreeNode | undefined): [string, string][] {
  return (child(node, "variable")?.children ?? []).map(({ name = "", children }) => [
    name,
    children.find(({ tag }) => tag === "type")?.children[0]?.text ?? "",
  ]);
}

/** Returns `above` with the nodes that only `below` has. Lists of members are not merged: the list from `above` wins. */
function merged(above: TreeNode, below: TreeNode): TreeNode {
  if (above.children.some(({ tag }) => tag === "member") || (above.children.length === 0 && above.text !== "")) return above;
  const sameAs = (node: TreeNode) => (other: TreeNode) => other.tag === node.tag && other.name === node.name;
  const children = above.children.map((node) => {
    const other = below.children.find(sameAs(node));
    return other === undefined ? node : merged(node, other);
  });
  const more = below.children.filter((node) => !above.children.some(sameAs(node)));
  const text = above.children.length === 0 ? below.text : above.text;
  return new TreeNode(above.tag, above.name, text, [...children, ...more], above.attributes);
}

function withValues(node: TreeNode, values: ReadonlyMap<string, string>): TreeNode {
  const resolved = (text: string) => (text.startsWith("$") ? (values.get(text) ?? text) : text);
  const name = node.name === undefined ? undefined : resolved(node.name);
  return new TreeNode(
    node.tag,
    name,
    resolved(node.text),
    node.children.map((each) => withValues(each, values)),
  );
}
