import { TreeNode } from "../../../core/tree/node.js";
import { escapeText, escapeValue } from "../../../core/tree/xml/escape.js";

export interface SerialiseOptions {
  /** Length of a piece in characters. Default: 65,536. */
  readonly chunk?: number;
  /** Whether to write marks (`admin`, `dirtyId`, `time`) and nodes that a template pushed. */
  readonly marks: boolean;
}

const MARKS: ReadonlySet<string> = new Set(["admin", "dirtyId", "time"]);
const PREVIEW = 2000;

/** Writes a subtree as XML in pieces of about 64 KB, so that a large configuration is never one string in memory. */
export function* serialise(node: TreeNode, options: SerialiseOptions): Generator<string> {
  const writer = new Writer(options);
  yield* writer.write(node);
  if (writer.buffer !== "") yield writer.buffer;
}

/** Returns a subtree as one XML string. */
export function toXml(node: TreeNode, options: SerialiseOptions = { marks: false }): string {
  return [...serialise(node, options)].join("");
}

/** Returns the first 2,000 characters of a subtree's XML, for logs. */
export function preview(node: TreeNode): string {
  let text = "";
  for (const chunk of serialise(node, { marks: false, chunk: PREVIEW })) {
    text += chunk;
    if (text.length > PREVIEW) return text.slice(0, PREVIEW);
  }
  return text;
}

export function deepCopy(node: TreeNode): TreeNode {
  return new TreeNode(node.tag, node.name, node.text, node.children.map(deepCopy), node.attributes);
}

class Writer {
  buffer = "";
  readonly #marks: boolean;

  readonly #chunk: number;

  constructor({ marks, chunk = 64 * 1024 }: SerialiseOptions) {
    this.#marks = marks;
    this.#chunk = chunk;
  }

  *write(node: TreeNode): Generator<string> {
    if (!this.#marks && isPushed(node)) return;
    if (node.tag === "#text") {
      this.buffer += escapeText(node.text);
      return;
    }
    this.buffer += `<${node.tag}${this.#attributes(node)}`;
    if (node.children.length === 0) {
      this.buffer += node.text === "" ? "/>" : `>${escapeText(node.text)}</${node.tag}>`;
      return;
    }
    this.buffer += ">";
    for (const child of node.children) {
      if (child.children.length === 0) this.#leaf(child);
      else yield* this.write(child);
      if (this.buffer.length > this.#chunk) {
        yield this.buffer;
        this.buffer = "";
      }
    }
    this.buffer += `</${node.tag}>`;
  }

  #leaf(node: TreeNode): void {
    if (!this.#marks && isPushed(node)) return;
    if (node.tag === "#text") this.buffer += escapeText(node.text);
    else {
      const start = `<${node.tag}${this.#attributes(node)}`;
      this.buffer += node.text === "" ? `${start}/>` : `${start}>${escapeText(node.text)}</${node.tag}>`;
    }
  }

  #attributes(node: TreeNode): string {
    let written = node.name === undefined ? "" : ` name="${escapeValue(node.name)}"`;
    for (const [key, value] of node.attributes ?? []) {
      if (this.#marks || !MARKS.has(key)) written += ` ${key}="${escapeValue(value)}"`;
    }
    return written;
  }
}

/** Whether a template pushed the node. Such nodes are only visible in the candidate. */
function isPushed(node: TreeNode): boolean {
  return node.attributes?.get("src") === "tpl";
}
