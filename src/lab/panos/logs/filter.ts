import { DeviceError } from "../device-error.js";
import type { LogRecord } from "./record.js";

type Test = (record: LogRecord) => boolean;

const SEVERITIES = ["informational", "low", "medium", "high", "critical"];
const TERM = /^([\w.-]+)\s+(eq|neq|geq|leq|contains)\s+(?:'([^']*)'|"([^"]*)"|([^\s()'"]+))$/;
/** Parentheses, quoted texts and words; whatever else stands alone and is refused. */
const TOKEN = /\(|\)|'[^']*'|"[^"]*"|[^\s()'"]+|\S/g;
const MAX_DEPTH = 100;

/**
 * Parses filters such as `( cmd eq delete ) and ( severity geq high )`, with parentheses in parentheses; `and` binds
 * closer than `or`. Throws code 17 for what it does not know.
 */
export function parseFilter(text: string): Test {
  if (text.trim() === "") return () => true;
  const parser = new Parser(text);
  const test = parser.anyOf(0);
  if (!parser.atEnd) throw invalid(text);
  return test;
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(TOKEN) ?? [];
  }

  get atEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  anyOf(depth: number): Test {
    const tests = [this.#allOf(depth)];
    while (this.#take("or")) tests.push(this.#allOf(depth));
    return (record) => tests.some((test) => test(record));
  }

  #allOf(depth: number): Test {
    const tests = [this.#one(depth)];
    while (this.#take("and")) tests.push(this.#one(depth));
    return (record) => tests.every((test) => test(record));
  }

  #one(depth: number): Test {
    if (depth > MAX_DEPTH) throw invalid(this.#text);
    if (!this.#take("(")) return this.#term();
    const test = this.anyOf(depth + 1);
    if (!this.#take(")")) throw invalid(this.#text);
    return test;
  }

  #term(): Test {
    const text = this.#tokens.slice(this.#at, this.#at + 3).join(" ");
    this.#at += 3;
    const match = TERM.exec(text);
    if (match === null) throw invalid(text);
    const [, field = "", operator = ""] = match;
    const wanted = match[3] ?? match[4] ?? match[5] ?? "";
    return (record) => compare(record.get(field) ?? "", operator, wanted);
  }

  #take(word: string): boolean {
    const found = this.#tokens[this.#at]?.toLowerCase() === word;
    if (found) this.#at++;
    return found;
  }
}

function invalid(text: string): DeviceError {
  return new DeviceError("17", ` query -> ${text} is invalid`);
}

function compare(value: string, operator: string, wanted: string): boolean {
  switch (operator) {
    case "eq":
      return value === wanted;
    case "neq":
      return value !== wanted;
    case "contains":
      return value.includes(wanted);
    default: {
      const order = rank(value, wanted);
      return operator === "geq" ? order >= 0 : order <= 0;
    }
  }
}

function rank(value: string, wanted: string): number {
  const [left, right] = [SEVERITIES.indexOf(value), SEVERITIES.indexOf(wanted)];
  if (left >= 0 && right >= 0) return left - right;
  return value < wanted ? -1 : value > wanted ? 1 : 0;
}
