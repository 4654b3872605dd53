import type { Event } from "js-yaml";

/** What a node of a document is. Scalars come last. */
export const END = 0;
export const MAP = 1;
export const SEQUENCE = 2;
/** An alias: `YamlDocument` takes it for what it stands for. */
export const ALIAS = 3;
/** Text that stands in the file as it is read. */
export const PLAIN = 4;
/** The same between quotes. */
export const QUOTED = 5;
/** A value left out. */
export const LEFT_OUT = 6;
/** Text that is not read as it stands: escapes, several lines, blocks. Its parse event tells. */
export const EVENT = 7;

/**
 * The nodes of a document in the order of the text, as numbers: no object a node. A collection is followed by what is in it and an `END`.
 * Starts are offsets in UTF-16 code units, quotes and brackets included; -1 where a node has no place.
 */
export class Nodes {
  length = 1;
  kinds: Uint8Array;
  starts: Int32Array;
  /** Behind the last character of a scalar's text. */
  ends: Int32Array;
  /** The node behind each one and what is in it. */
  after: Int32Array;
  /** Those of the nodes of kind `EVENT`, at the same indexes. */
  events: Event[] = [];

  /** @param room number of nodes that is expected; more fit in */
  constructor(room: number) {
    this.kinds = new Uint8Array(room);
    this.starts = new Int32Array(room);
    this.ends = new Int32Array(room);
    this.after = new Int32Array(room);
  }

  /** Adds a node with nothing in it (yet: `close`). */
  add(kind: number, start: number, end: number): number {
    const node = this.length++;
    if (node === this.kinds.length) this.#grow();
    this.kinds[node] = kind;
    this.starts[node] = start;
    this.ends[node] = end;
    this.after[node] = node + 1;
    return node;
  }

  /** Ends a collection. */
  close(collection: number): void {
    this.add(END, -1, -1);
    this.after[collection] = this.length;
  }

  #grow(): void {
    const room = this.kinds.length * 2;
    const kinds = new Uint8Array(room);
    kinds.set(this.kinds);
    this.kinds = kinds;
    this.starts = larger(this.starts, room);
    this.ends = larger(this.ends, room);
    this.after = larger(this.after, room);
  }
}

function larger(array: Int32Array, room: number): Int32Array<ArrayBuffer> {
  const made = new Int32Array(room);
  made.set(array);
  return made;
}
