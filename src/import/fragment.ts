import { PlumblineError } from "../core/errors.js";
import { METADATA_ATTRIBUTES } from "../core/tree/canonical.js";
import { SecretLeaf, TreeNode } from "../core/tree/node.js";
import { TEXT_TAG } from "../core/tree/xml/builder.js";
import { escapeText } from "../core/tree/xml/escape.js";
import { parseXml } from "../core/tree/xml/parse.js";
import { isBlank } from "../core/tree/xml/scanner.js";
import { writeXml } from "../core/tree/xml/write.js";
import { escapeTemplate } from "../desired/template.js";

/** A stored secret, in place of its value (docs/ownership.md#secrets). */
export const KEEP = "${keep}";

/** Nodes as `$xml` says them: no metadata, `$${` for `${`, secrets as `${keep}`. */
export function xmlContent(nodes: readonly TreeNode[]): string {
  const mixed = nodes.some((node) => node.tag === TEXT_TAG);
  const content = new TreeNode("xml", undefined, "", nodes.map(plain));
  if (mixed) return writeXml(content, { secrets: "label" }).slice("<xml>".length, -"</xml>".length);
  return content.children.map((node) => writeXml(node, { secrets: "label", indent: true })).join("\n");
}

/** What `$xml` of an existing document holds, below an element of its own; undefined where it is not well-formed. */
export function readFragment(xml: string): TreeNode | undefined {
  try {
    return parseXml(`<xml>${xml}</xml>`);
  } catch (cause) {
    if (cause instanceof PlumblineError) return undefined;
    throw cause;
  }
}

/** The text of an element as `$xml` says it. */
export function xmlText(value: string): string {
  return escapeText(value);
}

/** True for an element whose attributes, name and metadata aside, are part of what is configured. */
export function countsByAttributes({ attributes }: Pick<TreeNode, "attributes">): boolean {
  return attributes !== undefined && [...attributes.keys()].some((key) => !METADATA_ATTRIBUTES.has(key));
}

/** True for white space between elements that a parser had to keep. */
export function isBlankText(node: TreeNode): boolean {
  return node.tag === TEXT_TAG && isBlank(node.text);
}

/** True for text beside elements, which makes their order matter. */
export function isText(node: TreeNode): boolean {
  return node.tag === TEXT_TAG && !isBlank(node.text);
}

function plain(node: TreeNode): TreeNode {
  const text = node instanceof SecretLeaf ? KEEP : node.children.length === 0 ? escapeTemplate(node.text) : node.text;
  const attributes = countsByAttributes(node)
    ? new Map([...(node.attributes ?? [])].filter(([key]) => !METADATA_ATTRIBUTES.has(key)))
    : undefined;
  return new TreeNode(node.tag, node.name, text, node.children.map(plain), attributes);
}
