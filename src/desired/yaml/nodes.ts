import type { Event } from "js-yaml";

/** Kinds of nodes. Scalars come last. */
export const END = 0;
export const MAP = 1;
export const SEQUENCE = 2;
/** An alias. `YamlDocument` follows it to the anchored node. */
export const ALIAS = 3;
/** Text in the file that needs no conversion. */
export const PLAIN = 4;
/** The same between quotes. */
export const QUOTED = 5;
/** A missing value. */
export const LEFT_OUT = 6;
/** Text that needs conversion: escapes, several lines, blocks. Its parse event has the details. */
export const EVENT = 7;

/**
 * The nodes of a document in text order, as numbers without an object per node. A collection is followed by its content and an `END`.
 * Starts are offsets in UTF-16 code units, including quotes and brackets; -1 for nodes without a place.
 */
export class Nodes {
  length = 1;
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  /** Offset after the last character of a scalar's text. */
  readonly ends: Int32Array;
  /** Index of the node after each node and its content. */
  readonly after: Int32Array;
  /** Parse events of nodes of kind `EVENT`, at the same indexes. */
  events: Event[] = [];

  /** @param room Number of nodes, including ends and the unused node 0. */
  constructor(room: number) {
    this.kinds = new Uint8Array(room);
    this.starts = new Int32Array(room);
    this.ends = new Int32Array(room);
    this.after = new Int32Array(room);
  }

  /** Adds a node without content; `close` ends a collection. */
  add(kind: number, start: number, end: number): number {
    const node = this.length++;
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
}
