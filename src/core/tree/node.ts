import type { SecretValue } from "../secret.js";

/** Attributes other than `name`, in document order. */
export type Attributes = ReadonlyMap<string, string>;

const NONE: TreeNode[] = [];

/**
 * One element. Leaves have `text`, others `children`; an empty element has neither. Entries of keyed lists carry
 * their key in `name` (the attribute of that name). Mixed content keeps its text as children of tag `#text`.
 *
 * Fields are always assigned in this order so that all nodes share one hidden class, those of parsed documents another.
 * Change children through `tree/edit.ts` only, which keeps the name index true.
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
 * A node of a parsed document: live trees have millions. It is written as a literal because V8 makes literals where they can stay as soon as it has
 * seen that most of them live long; it moves each object of a class twice, which took a third of a parse (docs/adr/0001-own-xml-scanner.md).
 */
export function parsedNode(tag: string, name?: string, text = "", attributes?: Attributes): TreeNode {
  return { tag, name, text, attributes, children: NONE };
}

/** A live leaf whose text is a device's ciphertext, hash or password: `text` stays empty, the value is in `secret`. */
export class SecretLeaf extends TreeNode {
  readonly secret: SecretValue;

  constructor(tag: string, secret: SecretValue, attributes?: Attributes) {
    super(tag, undefined, "", NONE, attributes);
    this.secret = secret;
  }
}
