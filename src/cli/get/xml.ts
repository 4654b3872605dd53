import { DOMImplementation, type Document, type Element, type Node, XMLSerializer } from "@xmldom/xmldom";
import type { TreeNode } from "../../core/tree/node.js";
import type { DomNode } from "../../core/tree/query/dom.js";
import { Locator } from "../../core/tree/query/locate.js";
import { secretOf } from "../../core/tree/secret-of.js";
import { TEXT_TAG } from "../../core/tree/xml/builder.js";
import type { GetView } from "../choices.js";
import { type Answer, isNodes, withoutDocument } from "./answer.js";

const STEP = "  ";
/**
 * Characters that the serializer does not escape. A parser would read a carriage return as a line feed, and a terminal would execute the
 * others.
 */
const CONTROLS = /[\r\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Returns the results as one well-formed document: a single element unchanged, other results in `<results>`. */
export function xmlText(answers: readonly Answer[], view: GetView): string {
  const only = onlyElement(answers);
  const document = new DOMImplementation().createDocument(null, only === undefined ? "results" : only.tag);
  const root = document.documentElement;
  if (root === null) throw new Error("a document without its root element");
  if (only !== undefined) fill(root, only, 0);
  else {
    root.setAttribute("view", view);
    for (const answer of answers) append(root, targetElement(document, answer), 1);
    end(root, 0);
  }
  const text = new XMLSerializer().serializeToString(document, { requireWellFormed: true });
  return `${text.replaceAll(CONTROLS, (character) => `&#${character.charCodeAt(0)};`)}\n`;
}

function onlyElement([answer, ...others]: readonly Answer[]): TreeNode | undefined {
  if (answer === undefined || others.length > 0 || !isNodes(answer.result)) return undefined;
  const [found, ...more] = answer.result;
  const node = found === undefined || more.length > 0 ? undefined : withoutDocument(found);
  return node?.nodeType === 1 ? node.tree : undefined;
}

function targetElement(document: Document, { target, result }: Answer): Element {
  const element = document.createElement("target");
  element.setAttribute("name", target);
  const locator = new Locator();
  const results = isNodes(result) ? result.map((node) => nodeElement(document, node, locator)) : [valueElement(document, String(result))];
  for (const each of results) append(element, each, 2);
  if (results.length > 0) end(element, 1);
  return element;
}

function nodeElement(document: Document, found: DomNode, locator: Locator): Element {
  const node = withoutDocument(found);
  const element = node.nodeType === 1 ? document.createElement("result") : valueElement(document, node.nodeValue);
  element.setAttribute("xpath", locator.locate(node));
  if (node.nodeType !== 1) return element;
  const inner = document.createElement(node.nodeName);
  fill(inner, node.tree, 3);
  append(element, inner, 3);
  end(element, 2);
  return element;
}

function valueElement(document: Document, value: string): Element {
  const element = document.createElement("result");
  element.appendChild(document.createTextNode(value));
  return element;
}

/** Adds attributes, text and children of `node` at nesting level `depth`. Secrets become labels. */
function fill(element: Element, node: TreeNode, depth: number): void {
  const document = documentOf(element);
  if (node.name !== undefined) element.setAttribute("name", node.name);
  for (const [name, value] of node.attributes ?? []) element.setAttribute(name, value);
  const { children } = node;
  const text = secretOf(node)?.label ?? node.text;
  if (children.length === 0 && text !== "") element.appendChild(document.createTextNode(text));
  const isMixed = children.some(({ tag }) => tag === TEXT_TAG);
  for (const child of children) {
    const made = child.tag === TEXT_TAG ? document.createTextNode(child.text) : filled(document, child, depth + 1);
    if (isMixed) element.appendChild(made);
    else append(element, made, depth + 1);
  }
  if (children.length > 0 && !isMixed) end(element, depth);
}

function filled(document: Document, node: TreeNode, depth: number): Element {
  const element = document.createElement(node.tag);
  fill(element, node, depth);
  return element;
}

/** Appends a child on its own line with the indentation of `depth`. */
function append(parent: Element, child: Node, depth: number): void {
  parent.appendChild(documentOf(parent).createTextNode(`\n${STEP.repeat(depth)}`));
  parent.appendChild(child);
}

/** Puts the end tag of an element at nesting level `depth` on its own line. */
function end(element: Element, depth: number): void {
  element.appendChild(documentOf(element).createTextNode(`\n${STEP.repeat(depth)}`));
}

function documentOf(element: Element): Document {
  if (element.ownerDocument === null) throw new Error("an element without its document");
  return element.ownerDocument;
}
