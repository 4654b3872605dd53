import type { TreeNode } from "../../../core/tree/node.js";
import { parseXml } from "../../../core/tree/xml/parse.js";
import type { XPath } from "../../../core/tree/xpath/xpath.js";
import { badXPath, malformedElement, parameterRequired } from "../device-messages.js";
import type { Edit } from "./edit.js";
import { readXPath } from "./read.js";

/** Source of the parts of an edit: the parameters of a request, or an element of a batch. */
export interface EditSource {
  readonly action: string;
  readonly value: (name: string) => string | undefined;
  /** The XML content: the parameter `element`, or the children of the batch's element. */
  readonly elements: () => readonly TreeNode[];
}

/** Actions that are one edit. `multi-config`, `multi-move` and `multi-clone` are composed of them. */
export const EDIT_ACTIONS: ReadonlySet<string> = new Set(["set", "edit", "delete", "move", "rename", "clone", "override"]);

/** Parses one edit. Throws 400 for missing parameters, and the device's codes for invalid xpaths and XML. */
export function parseEdit({ action, value, elements }: EditSource): Edit {
  const required = (name: string): string => {
    const text = value(name);
    if (text === undefined) throw parameterRequired(name);
    return text;
  };
  const xpath = path(required("xpath"));
  switch (action) {
    case "set":
      return { action, xpath, elements: nonEmpty(elements()) };
    case "edit":
    case "override":
      return { action, xpath, element: single(elements()) };
    case "move":
      return { action, xpath, where: required("where"), dst: value("dst") };
    case "rename":
      return { action, xpath, newName: required("newname") };
    case "clone":
      return { action, xpath, from: path(required("from")), newName: required("newname") };
    default:
      return { action: "delete", xpath };
  }
}

/** Parses the elements of a fragment. Throws code 18 if the XML is not well-formed or has text outside elements. */
export function parseFragment(text: string): readonly TreeNode[] {
  try {
    const root = parseXml(`<element>${text.replace(/^\s*<\?xml[^>]*\?>/, "")}</element>`);
    if (root.text.trim() !== "" || root.children.some((child) => child.tag === "#text")) throw malformedElement();
    return root.children;
  } catch {
    throw malformedElement();
  }
}

function path(text: string): XPath {
  const xpath = readXPath(text);
  if (xpath === undefined || !xpath.absolute) throw badXPath();
  return xpath;
}

function single(elements: readonly TreeNode[]): TreeNode {
  const [element, second] = elements;
  if (element === undefined || second !== undefined) throw malformedElement();
  return element;
}

function nonEmpty(elements: readonly TreeNode[]): readonly TreeNode[] {
  if (elements.length === 0) throw malformedElement();
  return elements;
}
