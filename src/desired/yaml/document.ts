import { CHOMPING_MODE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { ALIAS, END, EVENT, LEFT_OUT, MAP, type Nodes, PLAIN, QUOTED, SEQUENCE } from "./nodes.js";

export type YamlKind = "map" | "sequence" | "scalar";

/**
 * One YAML document as a flat list of nodes, accessed by index. It needs no object per node, and no JavaScript object has keys from users.
 * Every method follows aliases to the anchored node.
 *
 * Walk a map with `for (let key = doc.first(map); !doc.ends(key); key = doc.after(value)) { const value = doc.after(key); … }`
 * and a sequence with `for (let item = doc.first(sequence); !doc.ends(item); item = doc.after(item))`.
 */
export class YamlDocument {
  readonly source: string;
  readonly root = 1;
  readonly #kinds: Uint8Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #after: Int32Array;
  readonly #events: readonly Event[];
  readonly #aliases: ReadonlyMap<number, number>;

  /** `aliases` maps aliases to anchored nodes. */
  constructor(source: string, nodes: Nodes, aliases: ReadonlyMap<number, number> = new Map()) {
    this.source = source;
    this.#kinds = nodes.kinds;
    this.#starts = nodes.starts;
    this.#ends = nodes.ends;
    this.#after = nodes.after;
    this.#events = nodes.events;
    this.#aliases = aliases;
  }

  kind(node: number): YamlKind {
    const kind = this.#kinds[this.#resolve(node)];
    return kind === MAP ? "map" : kind === SEQUENCE ? "sequence" : "scalar";
  }

  /** Returns the first key of a map or the first item of a sequence, or its end. */
  first(node: number): number {
    return this.#resolve(node) + 1;
  }

  ends(node: number): boolean {
    return this.#kinds[node] === END;
  }

  after(node: number): number {
    return this.#after[node] as number;
  }

  isEmpty(collection: number): boolean {
    return this.ends(this.first(collection));
  }

  /** Returns the text of a scalar exactly as YAML reads it, never a number or a boolean. */
  text(node: number): string {
    const at = this.#resolve(node);
    const kind = this.#kinds[at];
    if (kind === PLAIN) return this.source.slice(this.#starts[at], this.#ends[at]);
    if (kind === QUOTED) return this.source.slice((this.#starts[at] as number) + 1, this.#ends[at]);
    return kind === LEFT_OUT ? "" : getScalarValue(this.source, this.#events[at] as ScalarEvent);
  }

  /** Returns whether a value is missing: `key:` with no text after it. */
  isLeftOut(node: number): boolean {
    return this.#kinds[this.#resolve(node)] === LEFT_OUT;
  }

  isPlain(node: number): boolean {
    const at = this.#resolve(node);
    const kind = this.#kinds[at];
    return kind === PLAIN || kind === LEFT_OUT || (kind === EVENT && (this.#events[at] as ScalarEvent).style === SCALAR_STYLE.PLAIN);
  }

  /** Returns whether a block keeps its final line breaks: `|+`. */
  keepsLineBreaks(node: number): boolean {
    const at = this.#resolve(node);
    const event = this.#kinds[at] === EVENT ? (this.#events[at] as ScalarEvent) : undefined;
    return event !== undefined && event.style >= SCALAR_STYLE.LITERAL_BLOCK && event.chomping === CHOMPING_MODE.KEEP;
  }

  /** Returns whether the first character of a scalar is `$`: as a key, it is a directive. */
  beginsWithDollar(node: number): boolean {
    const at = this.#resolve(node);
    const kind = this.#kinds[at] as number;
    const start = kind === EVENT ? (this.#events[at] as ScalarEvent).valueStart : (this.#starts[at] as number) + (kind === QUOTED ? 1 : 0);
    return kind >= PLAIN && kind !== LEFT_OUT && this.source.charCodeAt(start) === 36;
  }

  /** Returns the value of `key` in a map, or undefined. Checks every key, so use it only for the few keys of headers and directives. */
  get(map: number, name: string): number | undefined {
    for (let key = this.first(map); !this.ends(key); ) {
      const value = this.after(key);
      if (this.kind(key) === "scalar" && this.text(key) === name) return value;
      key = this.after(value);
    }
    return undefined;
  }

  /**
   * Returns the offset in the source. For an alias, the offset of the alias itself; for a node without a place, that of the node before.
   */
  offset(node: number): number {
    for (let index = node; index > 0; index--) {
      const offset = this.#starts[index] as number;
      if (offset >= 0) return offset;
    }
    return 0;
  }

  #resolve(node: number): number {
    return this.#kinds[node] === ALIAS ? (this.#aliases.get(node) ?? node) : node;
  }
}

/** Returns the offset of an event, or -1 if the parser keeps no position (ends and missing values). */
export function eventOffset(event: Event): number {
  switch (event.type) {
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      return event.start;
    case EVENT_ID.SCALAR:
      if (event.valueStart < 0) return event.anchorStart >= 0 ? event.anchorStart - 1 : -1;
      return event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
        ? event.valueStart - 1
        : event.valueStart;
    case EVENT_ID.ALIAS:
      return event.anchorStart - 1;
    default:
      return -1;
  }
}

/** Returns the kind of the node for an event. */
export function nodeKind(event: Event): number {
  switch (event.type) {
    case EVENT_ID.MAPPING:
      return MAP;
    case EVENT_ID.SEQUENCE:
      return SEQUENCE;
    case EVENT_ID.ALIAS:
      return ALIAS;
    case EVENT_ID.SCALAR:
      if (event.valueStart < 0) return LEFT_OUT;
      if (!event.fast) return EVENT;
      return event.style === SCALAR_STYLE.PLAIN ? PLAIN : QUOTED;
    default:
      return END;
  }
}
