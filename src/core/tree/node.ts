import type { SecretValue } from "../secret.js";

/** Attributes other than `name`, in document order. */
export type Attributes = ReadonlyMap<string, string>;

const NONE: TreeNode[] = [];

/**
 * One element. A leaf has `text`, other elements have `children`; an empty element has neither. Entries of keyed lists have their key in
 * `name` (the attribute of that name). Mixed content has its texts as children with the tag `#text`.
 * Fields are always assigned in this order, so that all nodes share one hidden class, and nodes of parsed documents another. Change
 * children only through `tree/edit/edit-tree.ts`, which updates the name index.
 */
export class TreeNode {
  readonly tag: string;
  name: string | undefined;
  text: string;
  attributes: Attributes | undefined;
  children: readonly TreeNode[];

  constructor(tag: string, name?: string, text = "", children: readonly TreeNode[] = NONE, attributes?: Attributes) {
    this.tag = tag;
    this.name = name;
    this.text = text;
    this.attributes = attributes;
    this.children = children;
  }
}

/**
 * Creates a node of a parsed document; live trees have millions. The node is a literal because V8 allocates literals directly in old space
 * once most of them prove long-lived. It copies each instance of a class twice, which took a third of the parse time
 * (docs/contributing/decisions.md#1-a-strict-xml-scanner-of-our-own).
 */
export function parsedNode(tag: string, name?: string, text = "", attributes?: Attributes): TreeNode {
  return { tag, name, text, attributes, children: NONE };
}

/** A live leaf whose text is a ciphertext, hash or password of a device. `text` stays empty; the value is in `secret`. */
export class SecretLeaf extends TreeNode {
  readonly secret: SecretValue;

  constructor(tag: string, secret: SecretValue, attributes?: Attributes) {
    super(tag, undefined, "", NONE, attributes);
    this.secret = secret;
  }
}
