import { TreeNode } from "../../../core/tree/node.js";
import { escapeText, escapeValue } from "../../../core/tree/xml/escape.js";

export interface SerialiseOptions {
  /** Length of a piece; 64 KB when left out. */
  readonly chunk?: number;
  /** Whether marks (`admin`, `dirtyId`, `time`) are written, and what a template pushed. */
  readonly marks: boolean;
}

const MARKS: ReadonlySet<string> = new Set(["admin", "dirtyId", "time"]);
const PREVIEW = 2000;

/** A subtree as XML in pieces of about 64 KB, so that a configuration of any size is sent without being held twice. */
export function* serialise(node: TreeNode, options: SerialiseOptions): Generator<string> {
  const writer = new Writer(options);
  yield* writer.write(node);
  if (writer.buffer !== "") yield writer.buffer;
}

/** A subtree as one string. */
export function toXml(node: TreeNode, options: SerialiseOptions = { marks: false }): string {
  return [...serialise(node, options)].join("");
}

/** The beginning of a subtree as XML, for logs. */
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

/** Template values are seen in the candidate only. */
function isPushed(node: TreeNode): boolean {
  return node.attributes?.get("src") === "tpl";
}
