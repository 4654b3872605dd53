import { CHOMPING_MODE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";

export type YamlKind = "map" | "sequence" | "scalar";

/**
 * One YAML document as the parser's flat list of events, walked by index: no object a node, no JavaScript object keyed
 * by what users write. A node is the index of its first event; every function takes an alias for what it stands for.
 *
 * Walk a map with `for (let key = doc.first(map); !doc.ends(key); key = doc.after(value)) { const value = doc.after(key); … }`
 * and a sequence with `for (let item = doc.first(sequence); !doc.ends(item); item = doc.after(item))`.
 */
export class YamlDocument {
  readonly source: string;
  readonly root: number;
  readonly #events: readonly Event[];
  readonly #after: Int32Array;
  readonly #aliases: ReadonlyMap<number, number>;

  /** `after[i]` is the index behind the node that starts at event `i`; `aliases` leads from alias events to anchored nodes. */
  constructor(source: string, root: number, events: readonly Event[], after: Int32Array, aliases: ReadonlyMap<number, number>) {
    this.source = source;
    this.root = root;
    this.#events = events;
    this.#after = after;
    this.#aliases = aliases;
  }

  kind(node: number): YamlKind {
    const type = this.#content(node)?.type;
    return type === EVENT_ID.MAPPING ? "map" : type === EVENT_ID.SEQUENCE ? "sequence" : "scalar";
  }

  /** First key of a map or first item of a sequence, or its end. */
  first(node: number): number {
    return this.#resolve(node) + 1;
  }

  ends(node: number): boolean {
    return this.#events[node]?.type === EVENT_ID.POP;
  }

  after(node: number): number {
    return this.#after[node] ?? node + 1;
  }

  isEmpty(collection: number): boolean {
    return this.ends(this.first(collection));
  }

  /** Text of a scalar exactly as YAML reads it, never a number or a boolean. */
  text(node: number): string {
    const event = this.#content(node) as ScalarEvent;
    if (event.fast && event.valueStart >= 0) return this.source.slice(event.valueStart, event.valueEnd);
    return getScalarValue(this.source, event);
  }

  /** True where a value was left out: `key:` with nothing behind it. */
  isLeftOut(node: number): boolean {
    const event = this.#content(node);
    return event?.type === EVENT_ID.SCALAR && event.valueStart === -1;
  }

  isPlain(node: number): boolean {
    const event = this.#content(node);
    return event?.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN;
  }

  /** True for a block that says itself that its last line breaks are meant: `|+`. */
  keepsLineBreaks(node: number): boolean {
    const event = this.#content(node);
    return event?.type === EVENT_ID.SCALAR && event.style >= SCALAR_STYLE.LITERAL_BLOCK && event.chomping === CHOMPING_MODE.KEEP;
  }

  /** True for a scalar whose first character is `$`: a directive, where it stands as a key. */
  beginsWithDollar(node: number): boolean {
    const event = this.#content(node);
    return event?.type === EVENT_ID.SCALAR && event.valueStart >= 0 && this.source.charCodeAt(event.valueStart) === 36;
  }

  /** The value of `key` in a map, or undefined. Looks at every key: for the few keys of headers and directives only. */
  get(map: number, name: string): number | undefined {
    for (let key = this.first(map); !this.ends(key); ) {
      const value = this.after(key);
      if (this.kind(key) === "scalar" && this.text(key) === name) return value;
      key = this.after(value);
    }
    return undefined;
  }

  /** Offset in the source, of the alias itself for an alias. */
  offset(node: number): number {
    for (let index = node; index >= 0; index--) {
      const event = this.#events[index];
      const offset = event === undefined ? -1 : eventOffset(event);
      if (offset >= 0) return offset;
    }
    return 0;
  }

  #content(node: number): Event | undefined {
    const event = this.#events[node];
    return event?.type === EVENT_ID.ALIAS ? this.#events[this.#resolve(node)] : event;
  }

  #resolve(node: number): number {
    return this.#aliases.size === 0 ? node : (this.#aliases.get(node) ?? node);
  }
}

/** Where an event begins in the source, or -1 where the parser keeps no position (ends, and values left out). */
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
