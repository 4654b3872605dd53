import { parsedNode, type TreeNode } from "../node.js";

/** Tag of the nodes with the text of mixed content. */
export const TEXT_TAG = "#text";

/**
 * Builds a tree from start tags, texts and end tags. Finished nodes wait in one array until their parent ends, so that every children array
 * is created once with its exact length. Arrays start with elements of their final type, and the root needs no branch of its own: V8
 * discards compiled code at a new array kind or a branch that was never taken.
 */
export class TreeBuilder {
  /**
   * V8 discards the code compiled for a class when its last instance is collected, and the next parse would start uncompiled. One instance
   * is kept.
   */
  static readonly kept = new TreeBuilder();
  /** Number of open elements. */
  depth = 0;
  /** Number of elements that were begun. */
  elements = 0;
  #text = "";
  /** False while the text since the last tag is only unescaped white space. */
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

  /** Offset of that tag. */
  get tagOffset(): number {
    return this.#tagOffsets[this.depth - 1] as number;
  }

  /** Length of that tag in bytes. */
  get tagLength(): number {
    return this.#tagLengths[this.depth - 1] as number;
  }

  /** True if the innermost open element has finished children. */
  get hasChildren(): boolean {
    return this.#count > (this.#starts[this.depth - 1] as number);
  }

  /** True if there is text after the last tag. */
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

  /** Adds an element with only this text to the innermost open one. */
  addLeaf(tag: string, text: string): void {
    if (this.#text !== "") this.#flushText();
    this.#push(parsedNode(tag, undefined, text));
    this.elements++;
  }

  /** @param counts True for text that is kept between elements: not blank, or written as CDATA or as a reference. */
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
