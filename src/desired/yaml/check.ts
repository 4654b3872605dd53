import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { PlumblineError } from "../../core/errors.js";
import type { Problems } from "../problems.js";
import type { SourceFile } from "../source-file.js";
import { eventOffset } from "./document.js";

/** Maximum number of nodes that aliases may add to a document, whatever its size. */
const ALIAS_BOUND = 100_000;
/** Up to this number of keys, searching a list is faster than a set. */
const FEW_KEYS = 12;

const LINE_FEED = 10;
const SPACE = 32;
const DASH = 45;
const COLON = 58;

/** Characters that XML 1.0 cannot contain, even escaped. */
const NOT_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const LOOKS_LIKE_DOMAIN_USER = /^[\w.-]+\\[nrt][\w.-]*$/;

type CollectionEvent = Extract<Event, { type: typeof EVENT_ID.MAPPING | typeof EVENT_ID.SEQUENCE }>;

/** An open collection. One object per depth, reused. */
class Frame {
  node = 0;
  isMap = false;
  isFlow = false;
  keyCount = 0;
  /** In a map: whether the next child is a key. */
  atKey = false;
  /** Index of this map's first key among the keys of all open maps. */
  keysFrom = 0;
  keySet: Set<string> | undefined = undefined;
  anchor: string | undefined = undefined;
  sizeBefore = 0;
}

/** Checks the events of a document in one pass, and resolves its aliases. */
export class EventCheck {
  /** For each alias event, the event of the anchored node. */
  readonly aliases = new Map<number, number>();
  /** True if continuing would cost too much. */
  stopped = false;
  readonly #file: SourceFile;
  readonly #problems: Problems;
  readonly #frames: Frame[] = [];
  #depth = 0;
  /** Keys of the open maps, outermost first. */
  readonly #keys: ScalarEvent[] = [];
  /** Complete anchored nodes, with the number of nodes in them after expanding aliases. */
  readonly #anchors = new Map<string, { node: number; size: number }>();
  #size = 0;
  #aliased = 0;

  readonly #events: readonly Event[];

  constructor(file: SourceFile, events: readonly Event[], problems: Problems) {
    this.#file = file;
    this.#events = events;
    this.#problems = problems;
  }

  event(event: Event, index: number): void {
    if (event.type === EVENT_ID.POP) {
      this.#close();
      return;
    }
    this.#size++;
    const parent = this.#depth > 0 ? this.#frames[this.#depth - 1] : undefined;
    const isKey = parent?.isMap === true && parent.atKey;
    if (parent !== undefined) parent.atKey = !parent.atKey;
    switch (event.type) {
      case EVENT_ID.SCALAR:
        this.#properties(event);
        this.#scalar(event, index, isKey ? parent : undefined);
        if (isKey && event.anchorStart >= 0) this.#keyIsAnchored(event);
        if (event.anchorStart >= 0) this.#anchors.set(this.#anchor(event), { node: index, size: 1 });
        break;
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        this.#properties(event);
        if (isKey) this.#keyIsNotScalar(event);
        this.#push(event, index);
        break;
      case EVENT_ID.ALIAS:
        if (isKey) this.#keyIsNotScalar(event);
        this.#alias(this.#file.text.slice(event.anchorStart, event.anchorEnd), event, index);
    }
  }

  #push(event: CollectionEvent, index: number): void {
    let frame = this.#frames[this.#depth];
    if (frame === undefined) {
      frame = new Frame();
      this.#frames.push(frame);
    }
    this.#depth++;
    frame.node = index;
    frame.isMap = event.type === EVENT_ID.MAPPING;
    frame.isFlow = event.style === COLLECTION_STYLE.FLOW;
    frame.keyCount = 0;
    frame.atKey = true;
    frame.keysFrom = this.#keys.length;
    frame.keySet = undefined;
    frame.anchor = event.anchorStart >= 0 ? this.#anchor(event) : undefined;
    frame.sizeBefore = this.#size - 1;
  }

  #close(): void {
    const frame = this.#frames[--this.#depth];
    if (frame === undefined) return;
    this.#keys.length = frame.keysFrom;
    if (frame.anchor === undefined) return;
    this.#anchors.set(frame.anchor, { node: frame.node, size: this.#size - frame.sizeBefore });
  }

  #anchor(event: CollectionEvent | ScalarEvent): string {
    const name = this.#file.text.slice(event.anchorStart, event.anchorEnd);
    if (!/^[\w-]+$/.test(name))
      this.#problems.error(
        new PlumblineError("yaml-tag", `The name of the anchor &${name} has characters that readers of YAML disagree on.`, {
          where: this.#file.where(event.anchorStart - 1),
          next: "Use letters, digits, dashes and underscores; quote a value that begins with '&'.",
        }),
      );
    return name;
  }

  #alias(name: string, event: Event, index: number): void {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) {
      this.#problems.error(
        new PlumblineError("unknown-alias", `An unquoted * starts an alias, and there is no anchor &${name} before it.`, {
          where: this.#file.where(eventOffset(event)),
          next: `Quote it: '*${name}'.`,
        }),
      );
      return;
    }
    this.aliases.set(index, anchor.node);
    this.#size += anchor.size - 1;
    this.#aliased += anchor.size;
    if (this.#aliased <= ALIAS_BOUND) return;
    this.stopped = true;
    this.#problems.error(
      new PlumblineError("alias-bound", `The aliases of the document multiply it by more than ${ALIAS_BOUND} nodes.`, {
        where: this.#file.where(eventOffset(event)),
        next: "Write the content out, or use fewer aliases of aliases.",
      }),
    );
  }

  #properties(event: CollectionEvent | ScalarEvent): void {
    if (event.tagStart < 0) return;
    const tag = this.#file.text.slice(event.tagStart, event.tagEnd);
    this.#problems.error(
      new PlumblineError("yaml-tag", `The tag ${tag} is not allowed: every value is text as written.`, {
        where: this.#file.where(event.tagStart),
        next: "Delete the tag; quote a value that begins with '!'.",
      }),
    );
  }

  #scalar(event: ScalarEvent, index: number, keyOf: Frame | undefined): void {
    const escaped = event.style === SCALAR_STYLE.DOUBLE_QUOTED && !event.fast;
    if (escaped) this.#escapes(event);
    if (event.style >= SCALAR_STYLE.LITERAL_BLOCK) checkBlock(this.#file, event, this.#problems);
    if (keyOf === undefined) {
      const parent = this.#frames[this.#depth - 1];
      if (this.#depth > 0 && parent?.isMap === false && !parent.isFlow && event.valueStart >= 0 && event.style < SCALAR_STYLE.LITERAL_BLOCK)
        this.#itemBehindDash(event);
      return;
    }
    if (event.valueStart < 0) {
      this.#problems.error(
        new PlumblineError("empty-value", "A key is missing before the ':'.", {
          where: this.#file.where(this.#offsetAt(index)),
          next: "Write the key.",
        }),
      );
      return;
    }
    keyOf.keyCount++;
    if (!keyOf.isFlow && !(this.#beginsItsLine(eventOffset(event), keyOf.keyCount === 1) && this.#colonFollows(event)))
      this.#problems.error(
        new PlumblineError("document-does-not-parse", "A key does not start its line, or its ':' is on another line.", {
          where: this.#file.where(eventOffset(event)),
          next: "Write key: and its value on a separate line, without '?'. Quote the complete value if it is not a key.",
        }),
      );
    if (
      event.style === SCALAR_STYLE.PLAIN &&
      event.valueEnd - event.valueStart === 2 &&
      this.#file.text.startsWith("<<", event.valueStart)
    ) {
      this.#problems.error(
        new PlumblineError("yaml-merge-key", "Merge keys (<<) are not allowed: readers of YAML disagree on them.", {
          where: this.#file.where(eventOffset(event)),
          next: "Write the keys out.",
        }),
      );
      return;
    }
    if (this.#seen(keyOf, event))
      this.#problems.error(
        new PlumblineError("duplicate-key", `The key "${getScalarValue(this.#file.text, event)}" occurs twice in one map.`, {
          where: this.#file.where(eventOffset(event)),
          next: "Delete one of them.",
        }),
      );
  }

  /** Returns whether only spaces precede it on the line. Before the first key of a map, the dashes of its sequences are also allowed. */
  #beginsItsLine(offset: number, first: boolean): boolean {
    const { text } = this.#file;
    let at = offset - 1;
    while (at >= 0) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) return true;
      if (code === DASH && first && at + 1 < offset) {
        const before = at === 0 ? LINE_FEED : text.charCodeAt(at - 1);
        if (before !== SPACE && before !== LINE_FEED) return false;
      } else if (code !== SPACE) return false;
      at--;
    }
    return true;
  }

  #colonFollows(event: ScalarEvent): boolean {
    const { text } = this.#file;
    if (event.style >= SCALAR_STYLE.LITERAL_BLOCK) return false;
    let at = event.style === SCALAR_STYLE.PLAIN ? event.valueEnd : event.valueEnd + 1;
    while (text.charCodeAt(at) === SPACE) at++;
    return text.charCodeAt(at) === COLON;
  }

  #itemBehindDash(event: ScalarEvent): void {
    const { text } = this.#file;
    let at = eventOffset(event) - 1;
    while (at >= 0 && text.charCodeAt(at) === SPACE) at--;
    if (at >= 0 && text.charCodeAt(at) !== LINE_FEED) return;
    this.#problems.error(
      new PlumblineError("document-does-not-parse", "The item is on another line than its dash.", {
        where: this.#file.where(eventOffset(event)),
        next: "Write it behind the '- '.",
      }),
    );
  }

  #seen(frame: Frame, key: ScalarEvent): boolean {
    const keys = this.#keys;
    if (frame.keySet !== undefined) {
      const before = frame.keySet.size;
      frame.keySet.add(getScalarValue(this.#file.text, key));
      return frame.keySet.size === before;
    }
    for (let at = frame.keysFrom; at < keys.length; at++) if (this.#equal(keys[at] as ScalarEvent, key)) return true;
    keys.push(key);
    if (keys.length - frame.keysFrom > FEW_KEYS)
      frame.keySet = new Set(keys.slice(frame.keysFrom).map((one) => getScalarValue(this.#file.text, one)));
    return false;
  }

  /** Compares keys. Creates strings only if the keys could be equal. */
  #equal(a: ScalarEvent, b: ScalarEvent): boolean {
    const { text } = this.#file;
    if (a.fast && b.fast) {
      if (a.valueEnd - a.valueStart !== b.valueEnd - b.valueStart) return false;
      if (text.charCodeAt(a.valueEnd - 1) !== text.charCodeAt(b.valueEnd - 1)) return false;
    }
    return getScalarValue(text, a) === getScalarValue(text, b);
  }

  #escapes(event: ScalarEvent): void {
    const value = getScalarValue(this.#file.text, event);
    const bad = NOT_XML.exec(value);
    const where = this.#file.where(eventOffset(event));
    if (bad !== null)
      this.#problems.error(
        new PlumblineError(
          "control-character",
          `An escape in double quotes creates ${codePoint(bad[0])}, which no configuration can contain.`,
          {
            where,
            next: "Use single quotes for text with backslashes: 'corp\\alice'.",
          },
        ),
      );
    else if (LOOKS_LIKE_DOMAIN_USER.test(this.#file.text.slice(event.valueStart, event.valueEnd)))
      this.#problems.error(
        new PlumblineError("backslash-in-quotes", "A backslash in double quotes creates a line break or a tab here.", {
          where,
          next: "Use single quotes for a name ('corp\\nancy'), or a block (|-) for text of several lines.",
        }),
      );
  }

  #keyIsNotScalar(event: Event): void {
    this.#problems.error(
      new PlumblineError("document-does-not-parse", "A key must be text.", {
        where: this.#file.where(eventOffset(event)),
        next: "Quote the key if it begins with one of [ { * ?, and write no ${…} or {{…}} unquoted.",
      }),
    );
  }

  #keyIsAnchored(event: ScalarEvent): void {
    this.#problems.error(
      new PlumblineError("yaml-tag", "An anchor is on a key.", {
        where: this.#file.where(event.anchorStart - 1),
        next: "Put the anchor behind the ':', on a line with nothing else if the value is a map.",
      }),
    );
  }

  /** Returns the offset of the event, or of the last event before it with a place. */
  #offsetAt(index: number): number {
    for (let at = index; at >= 0; at--) {
      const offset = eventOffset(this.#events[at] as Event);
      if (offset >= 0) return offset;
    }
    return 0;
  }
}

export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Reports tabs that indent a line. In a block of text, a tab after the block's indentation is text. */
export function checkTabs(file: SourceFile, events: readonly Event[], problems: Problems): void {
  const indenting = /^ *(?:- *)*\t/gm;
  if (!indenting.test(file.text)) return;
  const blocks = events.filter(isBlock);
  let next = 0;
  indenting.lastIndex = 0;
  for (let line = indenting.exec(file.text); line !== null; line = indenting.exec(file.text)) {
    while (next < blocks.length && (blocks[next] as ScalarEvent).valueEnd <= line.index) next++;
    const block = blocks[next];
    const spaces = line[0].length - 1;
    if (block !== undefined && block.valueStart <= line.index && block.indent >= 0 && spaces >= block.indent) continue;
    problems.error(
      new PlumblineError("document-does-not-parse", "A tab indents the line.", {
        where: file.where(line.index + spaces),
        next: "Indent with spaces, not with tabs.",
      }),
    );
    return;
  }
}

/** Reports a block of text that YAML readers interpret differently: with lines of only spaces, or with spaces at the end of the file. */
function checkBlock(file: SourceFile, event: ScalarEvent, problems: Problems): void {
  const { text } = file;
  const ending = event.valueEnd === text.length && /(?:^|\n)[ \t]+$/.test(text.slice(Math.max(event.valueStart, text.length - 1024)));
  const blank = event.indent >= 0 && /^[ \t\r\n]+$/.test(text.slice(event.valueStart, event.valueEnd));
  if (!ending && !blank) return;
  problems.error(
    new PlumblineError("document-does-not-parse", "Lines of spaces in a block of text may be text or not.", {
      where: file.where(event.valueStart),
      next: "Delete the spaces, or write the text in double quotes with \\n for a line break.",
    }),
  );
}

function isBlock(event: Event): event is ScalarEvent {
  return event.type === EVENT_ID.SCALAR && (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK);
}
