import { parsedNode, type TreeNode } from "../node.js";

/** Tag of the nodes that hold the text of mixed content. */
export const TEXT_TAG = "#text";

/**
 * Grows a tree from start tags, texts and end tags. Finished nodes wait in one array until their parent ends, so that
 * every children array is made once with its exact length. Arrays begin with what they will hold, and no branch is taken
 * for the root alone: compiled code that meets a new kind of array, or a branch never taken before, is thrown away.
 */
export class TreeBuilder {
  /** V8 forgets the code it compiled for objects of a class with the last of them, and the next parse would begin cold: one is kept. */
  static readonly kept = new TreeBuilder();
  /** Open elements. */
  depth = 0;
  /** Elements that were begun. */
  elements = 0;
  #text = "";
  /** False while the text since the last tag is white space that was written as such. */
  #textCounts = false;
  readonly #open: (TreeNode | undefined)[] = [undefined];
  readonly #tagOffsets: number[] = [];
  readonly #tagLengths: number[] = [];
  readonly #starts: number[] = [];
  readonly #finished: (TreeNode | undefined)[] = [undefined];
  #count = 0;

  /** The first finished element at depth 0. */
  get root(): TreeNode {
    return this.#finished[0] as TreeNode;
  }

  /** Tag of the innermost open element. */
  get tag(): string {
    return (this.#open[this.depth - 1] as TreeNode).tag;
  }

  /** Where that tag stands. */
  get tagOffset(): number {
    return this.#tagOffsets[this.depth - 1] as number;
  }

  /** Bytes of that tag. */
  get tagLength(): number {
    return this.#tagLengths[this.depth - 1] as number;
  }

  /** Whether the innermost open element has finished children. */
  get hasChildren(): boolean {
    return this.#count > (this.#starts[this.depth - 1] as number);
  }

  /** Whether text stands between the last tag and here. */
  get hasText(): boolean {
    return this.#text !== "";
  }

  /** Begins an element whose tag has `tagLength` bytes at `tagOffset`. */
  open(node: TreeNode, tagOffset: number, tagLength: number): void {
    if (this.#text !== "") this.#flushText();
    const { depth } = this;
    this.#open[depth] = node;
    this.#tagOffsets[depth] = tagOffset;
    this.#tagLengths[depth] = tagLength;
    this.#starts[depth] = this.#count;
    this.depth = depth + 1;
    this.elements++;
  }

  /** An element inside the innermost open one, with nothing but this text. */
  addLeaf(tag: string, text: string): void {
    if (this.#text !== "") this.#flushText();
    this.#push(parsedNode(tag, undefined, text));
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
    const node = this.#open[depth] as TreeNode;
    if (this.#count === start) {
      node.text = this.#text;
      this.#text = "";
      this.#textCounts = false;
    } else {
      if (this.#text !== "") this.#flushText();
      node.children = this.#take(start);
    }
    this.depth = depth;
    this.#push(node);
  }

  #take(start: number): TreeNode[] {
    const children = this.#finished.slice(start, this.#count) as TreeNode[];
    this.#count = start;
    return children;
  }

  #push(node: TreeNode): void {
    this.#finished[this.#count++] = node;
  }

  #flushText(): void {
    if (this.#textCounts) this.#push(parsedNode(TEXT_TAG, undefined, this.#text));
    this.#text = "";
    this.#textCounts = false;
  }
}
