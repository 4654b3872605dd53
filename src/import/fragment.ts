import { PlumblineError } from "../core/errors.js";
import { METADATA_ATTRIBUTES } from "../core/tree/canonical.js";
import { SecretLeaf, TreeNode } from "../core/tree/node.js";
import { TEXT_TAG } from "../core/tree/xml/builder.js";
import { escapeText } from "../core/tree/xml/escape.js";
import { parseXml } from "../core/tree/xml/parse.js";
import { isBlank } from "../core/tree/xml/scanner.js";
import { writeXml } from "../core/tree/xml/write.js";
import { escapeTemplate } from "../desired/template.js";

/** Placeholder for a stored secret (docs/ownership.md#secrets). */
export const KEEP = "${keep}";

/** Returns nodes as the content of `$xml`: without metadata, with `$${` for `${`, and with secrets as `${keep}`. */
export function xmlContent(nodes: readonly TreeNode[]): string {
  const mixed = nodes.some((node) => node.tag === TEXT_TAG);
  const content = new TreeNode("xml", undefined, "", nodes.map(plain));
  if (mixed) return writeXml(content, { secrets: "label" }).slice("<xml>".length, -"</xml>".length);
  return content.children.map((node) => writeXml(node, { secrets: "label", indent: true })).join("\n");
}

/** Parses the `$xml` of an existing document below a new element. Undefined if it is not well-formed. */
export function readFragment(xml: string): TreeNode | undefined {
  try {
    return parseXml(`<xml>${xml}</xml>`);
  } catch (cause) {
    if (cause instanceof PlumblineError) return undefined;
    throw cause;
  }
}

/** Returns the text of an element for `$xml`. */
export function xmlText(value: string): string {
  return escapeText(value);
}

/** Returns whether an element has attributes that are part of the configuration, except its name and metadata. */
export function countsByAttributes({ attributes }: Pick<TreeNode, "attributes">): boolean {
  return attributes !== undefined && [...attributes.keys()].some((key) => !METADATA_ATTRIBUTES.has(key));
}

/** Returns whether a node is white space between elements. */
export function isBlankText(node: TreeNode): boolean {
  return node.tag === TEXT_TAG && isBlank(node.text);
}

/** Returns whether a node is text next to elements. It makes their order significant. */
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
