import { type Attributes, TreeNode } from "../node.js";

/** Tag of the nodes that hold the text of mixed content. */
export const TEXT_TAG = "#text";

/**
 * Grows a tree from start tags, texts and end tags. Finished nodes wait in one array until their parent ends, so that
 * every children array is made once with its exact length.
 */
export class TreeBuilder {
  /** Open elements. */
  depth = 0;
  /** Elements that were begun. */
  elements = 0;
  /** The last finished element at depth 0. */
  root: TreeNode | undefined = undefined;
  #text = "";
  /** False while the text since the last tag is white space that was written as such. */
  #textCounts = false;
  readonly #tags: string[] = [];
  readonly #names: (string | undefined)[] = [];
  readonly #attributes: (Attributes | undefined)[] = [];
  readonly #starts: number[] = [];
  readonly #finished: TreeNode[] = [];
  #count = 0;

  /** Tag of the innermost open element. */
  get tag(): string {
    return this.#tags[this.depth - 1] as string;
  }

  /** Whether the innermost open element has finished children. */
  get hasChildren(): boolean {
    return this.#count > (this.#starts[this.depth - 1] as number);
  }

  /** Whether text stands between the last tag and here. */
  get hasText(): boolean {
    return this.#text !== "";
  }

  open(tag: string, name: string | undefined, attributes: Attributes | undefined): void {
    if (this.#text !== "") this.#flushText();
    const { depth } = this;
    this.#tags[depth] = tag;
    this.#names[depth] = name;
    this.#attributes[depth] = attributes;
    this.#starts[depth] = this.#count;
    this.depth = depth + 1;
    this.elements++;
  }

  /** An element inside the innermost open one, with nothing but this text. */
  addLeaf(tag: string, text: string): void {
    if (this.#text !== "") this.#flushText();
    this.#push(new TreeNode(tag, undefined, text));
    this.elements++;
  }

  /** `counts` is true for text that is kept between elements: not blank, or written as CDATA or by a reference. */
  addText(text: string, counts: boolean): void {
    this.#text = this.#text === "" ? text : this.#text + text;
    if (counts) this.#textCounts = true;
  }

  close(): void {
    const depth = this.depth - 1;
    const start = this.#starts[depth] as number;
    let node: TreeNode;
    if (this.#count === start) {
      node = new TreeNode(this.#tags[depth] as string, this.#names[depth], this.#text, undefined, this.#attributes[depth]);
      this.#text = "";
      this.#textCounts = false;
    } else {
      if (this.#text !== "") this.#flushText();
      node = new TreeNode(this.#tags[depth] as string, this.#names[depth], "", this.#take(start), this.#attributes[depth]);
    }
    this.depth = depth;
    if (depth === 0) this.root = node;
    else this.#push(node);
  }

  #take(start: number): TreeNode[] {
    const finished = this.#finished;
    const count = this.#count - start;
    this.#count = start;
    if (count === 1) return [finished[start] as TreeNode];
    if (count === 2) return [finished[start] as TreeNode, finished[start + 1] as TreeNode];
    return finished.slice(start, start + count);
  }

  #push(node: TreeNode): void {
    this.#finished[this.#count++] = node;
  }

  #flushText(): void {
    if (this.#textCounts) this.#push(new TreeNode(TEXT_TAG, undefined, this.#text));
    this.#text = "";
    this.#textCounts = false;
  }
}
