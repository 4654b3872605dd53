import { PlumblineError } from "../../errors.js";

/** A name with at most one prefix: `child::a` is an axis, which the subset does not have. */
const ASCII_NAME = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y;
/** The same for all alphabets. V8 takes a millisecond to compile it. */
const NAME = /[\p{L}_][\p{L}\p{M}\p{N}_.\-·]*(?::[\p{L}_][\p{L}\p{M}\p{N}_.\-·]*)?/uy;
const NUMBER = /[0-9]+/y;
const [SPACE, ASCII] = [0x20, 0x7f];

/** Reads the tokens of an expression in sequence. */
export class XPathReader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  skipSpace(): void {
    // Most characters here are ASCII and not spaces.
    for (let code = this.text.charCodeAt(this.at); code <= SPACE || code > ASCII; code = this.text.charCodeAt(this.at)) {
      if (!/\s/.test(this.text.charAt(this.at))) return;
      this.at++;
    }
  }

  /** Skips white space and takes `token` if it comes next. */
  take(token: string): boolean {
    this.skipSpace();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  /** Takes `word` if it comes next as a complete word. */
  takeWord(word: string): boolean {
    const before = this.at;
    if (this.name() === word) return true;
    this.at = before;
    return false;
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.error(`"${token}" is due here`);
  }

  /** Reads a name, or returns undefined. */
  name(): string | undefined {
    this.skipSpace();
    const from = this.at;
    const name = this.#match(ASCII_NAME);
    // A letter of another alphabet may follow or begin the name.
    if (!(this.text.charCodeAt(this.at) > ASCII)) return name;
    this.at = from;
    return this.#match(NAME);
  }

  /** Reads an integer, or returns undefined. */
  number(): number | undefined {
    this.skipSpace();
    const digits = this.#match(NUMBER);
    return digits === undefined ? undefined : Number(digits);
  }

  /** Reads a literal in either kind of quotes, or a `concat()` of literals. */
  string(): string {
    const literal = this.#literal();
    if (literal !== undefined) return literal;
    const start = this.at;
    if (this.name() !== "concat") {
      this.at = start;
      throw this.error("a text in quotes is due here");
    }
    this.expect("(");
    let value = "";
    do {
      const part = this.#literal();
      if (part === undefined) throw this.error("a text in quotes is due here");
      value += part;
    } while (this.take(","));
    this.expect(")");
    return value;
  }

  error(problem: string): PlumblineError {
    const where = { xpath: this.text, column: this.at + 1 };
    return new PlumblineError("xpath-malformed", `The path ${this.text} is not understood at character ${this.at + 1}: ${problem}.`, {
      where,
      next: "Write child steps with predicates such as [@name='web'], [text()='any'] or [2].",
    });
  }

  #literal(): string | undefined {
    this.skipSpace();
    const quote = this.text.charAt(this.at);
    if (quote !== "'" && quote !== '"') return undefined;
    const end = this.text.indexOf(quote, this.at + 1);
    if (end < 0) throw this.error("a quote that does not end");
    const value = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return value;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}
