import { canonicalChildren, countingAttributes } from "./canonical-children.js";
import { canonicalScalar } from "./canonical-text.js";
import type { TreeNode } from "./node.js";
import { secretOf } from "./secret-of.js";
import type { Shape } from "./shape.js";
import { TEXT_TAG } from "./xml/builder.js";
import { escapeText, escapeValue } from "./xml/escape.js";

/** Characters in a part: large enough for few calls, and small enough to be short-lived. */
const PART = 32 * 1024;

/** Passes the canonical text of a tree to `take` in parts, so that a digest never holds the complete text. */
export function writeCanonical(node: TreeNode, shape: Shape, take: (part: string) => void): void {
  const writer = new Writer(take);
  writer.write(node, shape);
  writer.end();
}

class Writer {
  readonly #take: (part: string) => void;
  #part = "";

  constructor(take: (part: string) => void) {
    this.#take = take;
  }

  write(node: TreeNode, shape: Shape): void {
    if (this.#part.length > PART) this.end();
    if (node.tag === TEXT_TAG) {
      this.#part += escapeText(node.text);
      return;
    }
    let start = `<${node.tag}`;
    if (node.name !== undefined) start += ` name="${escapeValue(node.name)}"`;
    if (node.attributes !== undefined) {
      for (const [key, value] of countingAttributes(node)) start += ` ${key}="${escapeValue(value)}"`;
    }
    const children = node.children.length === 0 ? node.children : canonicalChildren(node, shape);
    if (children.length === 0) {
      const text = secretOf(node)?.label ?? canonicalScalar(node.text, shape.equality);
      this.#part += text === "" ? `${start}/>` : `${start}>${escapeText(text)}</${node.tag}>`;
      return;
    }
    this.#part += `${start}>`;
    for (const child of children) this.write(child, shape.child(child.tag));
    this.#part += `</${node.tag}>`;
  }

  end(): void {
    if (this.#part !== "") this.#take(this.#part);
    this.#part = "";
  }
}
