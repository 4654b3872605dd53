/**
 * The address of exactly one node: a chain of child steps, each optionally keyed by `@name` or by `text()`. Immutable. Paths share their
 * ancestors, so that a walk creates one small object for each step. (`tree/xpath/xpath.ts` has general expressions with positions and `or`; plans
 * and reports use this class.)
 */
export class Path {
  static readonly root: Path = new Path(undefined, "", undefined, undefined);

  readonly parent: Path | undefined;
  readonly tag: string;
  /** Value of `[@name='…']`. */
  readonly name: string | undefined;
  /** Value of `[text()='…']`. */
  readonly text: string | undefined;
  readonly depth: number;

  private constructor(parent: Path | undefined, tag: string, name: string | undefined, text: string | undefined) {
    this.parent = parent;
    this.tag = tag;
    this.name = name;
    this.text = text;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
  }

  child(tag: string): Path {
    return new Path(this, tag, undefined, undefined);
  }

  /** Returns the path of the child `entry` (or of another keyed tag) with this name. */
  entry(name: string, tag = "entry"): Path {
    return new Path(this, tag, name, undefined);
  }

  /** Returns the path of the child `member` with this text. */
  member(text: string, tag = "member"): Path {
    return new Path(this, tag, undefined, text);
  }

  /** Returns all steps from the root down, without the root. */
  steps(): Path[] {
    const steps: Path[] = [];
    for (let at: Path = this; at.parent !== undefined; at = at.parent) steps.push(at);
    return steps.reverse();
  }

  /** Returns true if `other` is this path or is below it. */
  contains(other: Path): boolean {
    let at: Path | undefined = other;
    while (at !== undefined && at.depth > this.depth) at = at.parent;
    return at !== undefined && this.equals(at);
  }

  equals(other: Path): boolean {
    let a: Path | undefined = this;
    let b: Path | undefined = other;
    while (a !== b) {
      if (a === undefined || b === undefined) return false;
      if (a.depth !== b.depth || a.tag !== b.tag || a.name !== b.name || a.text !== b.text) return false;
      a = a.parent;
      b = b.parent;
    }
    return true;
  }

  /** Returns the XPath, for example `/config/shared/address/entry[@name='web']`. The root is `/`. */
  toString(): string {
    return this.parent === undefined ? "/" : this.#format();
  }

  toJSON(): string {
    return this.toString();
  }

  #format(): string {
    const before = this.parent === undefined || this.parent.parent === undefined ? "" : this.parent.#format();
    const predicate =
      this.name !== undefined ? `[@name=${quote(this.name)}]` : this.text !== undefined ? `[text()=${quote(this.text)}]` : "";
    return `${before}/${stepText(this.tag)}${predicate}`;
  }
}

/** Tags that XPath can write as a name. */
const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_.\-·]*(?::[\p{L}_][\p{L}\p{M}\p{N}_.\-·]*)?$/u;

/** Returns a step to children called `tag`. Keys of a cloud's metadata may have spaces or begin with a digit. */
export function stepText(tag: string): string {
  return NAME.test(tag) ? tag : `*[name()=${quote(tag)}]`;
}

/** Returns an XPath 1.0 string literal. Uses `concat()` for texts with both kinds of quotes, because XPath 1.0 has no escape. */
export function quote(value: string): string {
  if (!value.includes("'")) return `'${value}'`;
  if (!value.includes('"')) return `"${value}"`;
  const parts = value.split("'").map((part) => `'${part}'`);
  return `concat(${parts.join(`, "'", `)})`;
}

/** Returns the paths that are not inside another one, without duplicates. */
export function outermost(paths: readonly Path[]): readonly Path[] {
  return paths.filter((path, index) => !paths.some((other, at) => other.contains(path) && (at < index || !path.contains(other))));
}
