import { PlumblineError } from "../../core/errors.js";
import type { Position } from "../model.js";
import { nearest } from "../suggest.js";
import type { BuildContext } from "./context.js";
import { ALLOWED, DIRECTIVE_NAMES, type DirectiveName, type Holder } from "./directive-table.js";

const KNOWN: ReadonlySet<string> = new Set(DIRECTIVE_NAMES);

interface Pair {
  readonly key: number;
  readonly value: number;
}

/** The directives of one map, by name. */
export class Directives {
  /** Shared by all maps without directives, which most maps are. */
  static readonly #none = new Directives(undefined, new Map());
  readonly #of: BuildContext | undefined;
  readonly #pairs: ReadonlyMap<DirectiveName, Pair>;

  private constructor(context: BuildContext | undefined, pairs: ReadonlyMap<DirectiveName, Pair>) {
    this.#of = context;
    this.#pairs = pairs;
  }

  /** Reads the keys of `map` that begin with `$`. Reports unknown directives. */
  static read(context: BuildContext, map: number): Directives {
    const { doc } = context;
    let pairs: Map<DirectiveName, Pair> | undefined;
    for (let key = doc.first(map); !doc.ends(key); ) {
      const value = doc.after(key);
      if (doc.beginsWithDollar(key)) {
        const name = doc.text(key);
        pairs ??= new Map();
        if (KNOWN.has(name)) pairs.set(name as DirectiveName, { key, value });
        else context.error(unknownDirective(context, key, name));
      }
      key = doc.after(value);
    }
    return pairs === undefined ? Directives.#none : new Directives(context, pairs);
  }

  get #context(): BuildContext {
    if (this.#of === undefined) throw new Error("there are no directives to speak of");
    return this.#of;
  }

  get none(): boolean {
    return this.#pairs.size === 0;
  }

  has(name: DirectiveName): boolean {
    return this.#pairs.has(name);
  }

  pair(name: DirectiveName): Pair | undefined {
    return this.#pairs.get(name);
  }

  /** Reports directives that have no meaning here. */
  allowOnly(holder: Holder): void {
    for (const [name, { key }] of this.#pairs) {
      if ((ALLOWED[holder] as readonly DirectiveName[]).includes(name)) continue;
      const homes = (Object.keys(ALLOWED) as Holder[]).filter((home) => (ALLOWED[home] as readonly DirectiveName[]).includes(name));
      this.#context.error(
        new PlumblineError("directive-misplaced", `${name} is not allowed in ${article(holder)}.`, {
          where: this.#context.where(key),
          next: `It belongs in ${homes.map(article).join(" or ")}. Allowed here: ${ALLOWED[holder].join(", ")}.`,
        }),
      );
    }
  }

  flag(name: DirectiveName): boolean {
    const pair = this.#pairs.get(name);
    if (pair === undefined) return false;
    const text = this.#scalar(name, pair);
    if (text === undefined || text === "true") return text !== undefined;
    if (text === "false") return false;
    this.#badValue(name, pair, "true or false");
    return false;
  }

  text(name: DirectiveName): string | undefined {
    const pair = this.#pairs.get(name);
    return pair === undefined ? undefined : this.#scalar(name, pair);
  }

  /** Returns an integer from 1 to `most`. */
  count(name: DirectiveName, most: number): number | undefined {
    const pair = this.#pairs.get(name);
    const text = pair === undefined ? undefined : this.#scalar(name, pair);
    if (pair === undefined || text === undefined) return undefined;
    const count = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
    if (count <= most) return count;
    this.#badValue(name, pair, `an integer from 1 to ${most}`);
    return undefined;
  }

  /** Reads `top`, `bottom`, or a map with `before:` or `after:` and optionally `contiguous: true`. */
  position(): { readonly position: Position | undefined; readonly contiguous: boolean } | undefined {
    const pair = this.#pairs.get("$position");
    if (pair === undefined) return undefined;
    const { doc } = this.#context;
    if (doc.kind(pair.value) === "scalar") {
      const where = doc.text(pair.value);
      if (where === "top" || where === "bottom") return { position: { where }, contiguous: false };
      return this.#badValue("$position", pair, "top, bottom, { before: NAME } or { after: NAME }");
    }
    if (doc.kind(pair.value) === "map") return this.#positionMap(pair);
    return this.#badValue("$position", pair, "top, bottom, { before: NAME } or { after: NAME }");
  }

  #positionMap(pair: Pair): { readonly position: Position | undefined; readonly contiguous: boolean } | undefined {
    const { doc } = this.#context;
    let position: Position | undefined;
    let contiguous = false;
    let places = 0;
    for (let key = doc.first(pair.value); !doc.ends(key); ) {
      const value = doc.after(key);
      const word = doc.text(key);
      const text = doc.kind(value) === "scalar" && !doc.isLeftOut(value) ? doc.text(value) : undefined;
      if ((word === "before" || word === "after") && text !== undefined && text !== "") {
        position = { where: word, anchor: text };
        places++;
      } else if ((word === "top" || word === "bottom") && text === "true") {
        position = { where: word };
        places++;
      } else if (word === "contiguous" && (text === "true" || text === "false")) contiguous = text === "true";
      else return this.#badValue("$position", pair, "before: NAME or after: NAME, and contiguous: true");
      key = doc.after(value);
    }
    if (places > 1 || (places === 0 && !contiguous)) return this.#badValue("$position", pair, "one place");
    return { position, contiguous };
  }

  /** Reports an invalid value of a directive. */
  badValue(name: DirectiveName, expected: string): undefined {
    const pair = this.#pairs.get(name);
    return pair === undefined ? undefined : this.#badValue(name, pair, expected);
  }

  #scalar(name: DirectiveName, pair: Pair): string | undefined {
    const { doc } = this.#context;
    if (doc.isLeftOut(pair.value)) return this.#context.leftOut(pair.key, name);
    if (doc.kind(pair.value) === "scalar") return doc.text(pair.value);
    return this.#badValue(name, pair, "one value");
  }

  #badValue(name: DirectiveName, pair: Pair, expected: string): undefined {
    return this.#context.error(
      new PlumblineError("directive-value", `${name} takes ${expected}.`, {
        where: this.#context.where(pair.value),
        next: `Write ${expected}.`,
      }),
    );
  }
}

function unknownDirective(context: BuildContext, key: number, name: string): PlumblineError {
  const near = nearest(name, DIRECTIVE_NAMES);
  return new PlumblineError("unknown-directive", `${name} is no directive; a name of an element cannot begin with $.`, {
    where: context.where(key),
    next: near === undefined ? `Write one of ${DIRECTIVE_NAMES.join(", ")}; a name goes under $entries.` : `Did you mean ${near}?`,
  });
}

function article(holder: Holder): string {
  const words: Record<Holder, string> = {
    container: "a container",
    entry: "an entry",
    list: "a list of entries",
    members: "a list of members",
    leaf: "a leaf",
  };
  return words[holder];
}
