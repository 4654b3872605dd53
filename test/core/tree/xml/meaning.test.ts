import { DOMParser, type Element as DomElement, type Node as DomNode } from "@xmldom/xmldom";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { plain } from "../arbitraries.js";
import { hostileDocument } from "./hostile.js";

const TEXT_NODE = 3;
const CDATA_NODE = 4;
const ELEMENT_NODE = 1;

/** The same plain data as `plain`, from a DOM. Blank text between elements is omitted. */
function plainDom(element: DomElement): unknown {
  const children: unknown[] = [];
  let text = "";
  let counts = false;
  const flush = () => {
    if (text !== "" && counts) children.push({ tag: "#text", name: undefined, text, attributes: undefined, children: [] });
    text = "";
    counts = false;
  };
  for (let node: DomNode | null = element.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === TEXT_NODE || node.nodeType === CDATA_NODE) {
      text += node.nodeValue ?? "";
      counts ||= node.nodeType === CDATA_NODE ? node.nodeValue !== "" : /[^ \t\r\n]/.test(node.nodeValue ?? "");
    } else if (node.nodeType === ELEMENT_NODE) {
      flush();
      children.push(plainDom(node as DomElement));
    }
  }
  const own = children.length === 0 ? text : "";
  if (children.length > 0) flush();
  const attributes = Array.from(element.attributes).map((attribute): [string, string] => [attribute.name, attribute.value]);
  const others = attributes.filter(([key]) => key !== "name");
  return {
    tag: element.tagName,
    name: attributes.find(([key]) => key === "name")?.[1],
    text: own,
    attributes: others.length === 0 ? undefined : others,
    children,
  };
}

function ours(xml: string): unknown {
  try {
    return plain(parseXml(xml));
  } catch {
    return undefined;
  }
}

it("reads the same tree as @xmldom/xmldom from every accepted document", () => {
  let compared = 0;
  fc.assert(
    fc.property(hostileDocument, (xml) => {
      // xmldom knows namespaces and normalises U+0085 and U+2028 as XML 1.1 does; blank text made by references looks literal in a DOM.
      if (/[\u0085\u2028]|n:s|:|>\s*(&#(x20|32|13|10|9);|\s)+</.test(xml)) return;
      const mine = ours(xml);
      if (mine === undefined) return;
      const root = new DOMParser({ onError: () => undefined }).parseFromString(xml, "text/xml").documentElement;
      compared++;
      expect(mine).toEqual(root === null ? undefined : plainDom(root));
    }),
    { numRuns: 8000 },
  );
  expect(compared).toBeGreaterThan(400);
});
