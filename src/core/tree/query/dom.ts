import type { TreeNode } from "../node.js";
import { secretOf } from "../secret-of.js";
import { TEXT_TAG } from "../xml/builder.js";
import { VISITS_OF_TEXT, type VisitBudget } from "./visit-budget.js";

export type DomNode = DomDocument | DomElement | DomText | DomAttribute;
export type DomChild = DomElement | DomText;

const NONE: readonly never[] = [];

/**
 * A read-only DOM over a tree, created while it is walked, with the members that the `xpath` package uses. Siblings are found in constant
 * time. Secrets appear as their labels, so that no expression can read them. There are no namespaces, comments or processing instructions.
 */
export class DomDocument {
  readonly nodeType = 9;
  readonly nodeName = "#document";
  readonly parentNode = null;
  readonly ownerDocument = this;
  readonly nextSibling = null;
  readonly nodeValue = null;
  readonly rank = 0;
  readonly budget: VisitBudget;
  readonly children: readonly [DomElement];

  constructor(root: TreeNode, budget: VisitBudget) {
    this.budget = budget;
    this.children = [new DomElement(root, this, 0)];
  }

  get documentElement(): DomElement {
    return this.children[0];
  }

  get firstChild(): DomElement {
    return this.children[0];
  }

  /** No document type declares an id attribute. */
  getElementById(): null {
    return null;
  }
}

export class DomElement {
  readonly nodeType = 1;
  readonly namespaceURI = null;
  readonly nodeValue = null;
  readonly tree: TreeNode;
  readonly parentNode: DomDocument | DomElement;
  readonly ownerDocument: DomDocument;
  /** Index among the siblings, from 0. */
  readonly rank: number;
  #children: readonly DomChild[] | undefined;
  #attributes: readonly DomAttribute[] | undefined;

  constructor(tree: TreeNode, parentNode: DomDocument | DomElement, rank: number) {
    this.tree = tree;
    this.parentNode = parentNode;
    this.ownerDocument = parentNode.ownerDocument;
    this.rank = rank;
  }

  get nodeName(): string {
    return this.tree.tag;
  }

  get localName(): string {
    return this.tree.tag;
  }

  get children(): readonly DomChild[] {
    this.#children ??= childrenOf(this);
    return this.#children;
  }

  /** False for a leaf. Does not create the text of the leaf. */
  get hasElements(): boolean {
    return this.tree.children.length > 0;
  }

  get attributes(): readonly DomAttribute[] {
    this.#attributes ??= attributesOf(this);
    return this.#attributes;
  }

  get firstChild(): DomChild | null {
    return this.children[0] ?? null;
  }

  get nextSibling(): DomChild | null {
    return siblingAfter(this);
  }

  /** Only called for `xml:lang`. */
  getAttributeNS(_namespace: string, name: string): string | null {
    return this.tree.attributes?.get(`xml:${name}`) ?? null;
  }
}

class DomText {
  readonly nodeType = 3;
  readonly nodeName = "#text";
  readonly localName = null;
  readonly namespaceURI = null;
  readonly firstChild = null;
  readonly children = NONE;
  readonly nodeValue: string;
  readonly parentNode: DomElement;
  readonly rank: number;

  constructor(text: string, parentNode: DomElement, rank: number) {
    this.nodeValue = text;
    this.parentNode = parentNode;
    this.rank = rank;
  }

  get ownerDocument(): DomDocument {
    return this.parentNode.ownerDocument;
  }

  /** `lang()` calls this on every node, even if the node cannot have attributes. */
  getAttributeNS(): null {
    return null;
  }

  get nextSibling(): DomChild | null {
    return siblingAfter(this);
  }
}

/** In document order, attributes are after their element and before its children. Their `rank` is negative. */
export class DomAttribute {
  readonly nodeType = 2;
  readonly namespaceURI = null;
  readonly firstChild = null;
  readonly nextSibling = null;
  readonly children = NONE;
  readonly nodeName: string;
  readonly nodeValue: string;
  readonly ownerElement: DomElement;
  readonly rank: number;

  constructor(name: string, value: string, ownerElement: DomElement, rank: number) {
    this.nodeName = name;
    this.nodeValue = value;
    this.ownerElement = ownerElement;
    this.rank = rank;
  }

  get localName(): string {
    return this.nodeName;
  }

  /** In the XPath data model an attribute has a parent; in the DOM it has an owner. */
  get parentNode(): DomElement {
    return this.ownerElement;
  }

  get ownerDocument(): DomDocument {
    return this.ownerElement.ownerDocument;
  }

  /** `lang()` calls this on every node, even if the node cannot have attributes. */
  getAttributeNS(): null {
    return null;
  }
}

/** Returns the text of a node as defined for `string()`. */
export function stringValue(node: DomNode): string {
  const { budget } = node.ownerDocument;
  budget.spend(VISITS_OF_TEXT);
  if (node.nodeType === 2 || node.nodeType === 3) return node.nodeValue;
  return textWithin(node.nodeType === 9 ? node.documentElement.tree : node.tree, budget);
}

function textWithin(tree: TreeNode, budget: VisitBudget): string {
  budget.spend(1);
  const { children } = tree;
  if (children.length === 0) return textOf(tree);
  let text = "";
  for (const child of children) text += textWithin(child, budget);
  return text;
}

function textOf(tree: TreeNode): string {
  return secretOf(tree)?.label ?? tree.text;
}

function childrenOf(element: DomElement): readonly DomChild[] {
  const { children } = element.tree;
  element.ownerDocument.budget.spend(1);
  if (children.length > 0)
    return children.map((child, rank) =>
      child.tag === TEXT_TAG ? new DomText(child.text, element, rank) : new DomElement(child, element, rank),
    );
  const text = textOf(element.tree);
  return text === "" ? NONE : [new DomText(text, element, 0)];
}

function attributesOf(element: DomElement): readonly DomAttribute[] {
  const { name, attributes } = element.tree;
  if (name === undefined && attributes === undefined) return NONE;
  const rows: (readonly [string, string])[] = name === undefined ? [] : [["name", name]];
  if (attributes !== undefined) rows.push(...attributes);
  return rows.map(([key, value], index) => new DomAttribute(key, value, element, index - rows.length));
}

function siblingAfter({ parentNode, rank }: DomChild): DomChild | null {
  return parentNode.children[rank + 1] ?? null;
}
