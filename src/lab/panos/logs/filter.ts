import { BlockList, isIP } from "node:net";
import { DeviceError } from "../device-error.js";
import type { LogRecord } from "./record.js";

type Test = (record: LogRecord) => boolean;

const SEVERITIES = ["informational", "low", "medium", "high", "critical"];
const TERM = /^([\w.-]+)\s+(eq|neq|geq|leq|contains|in|notin)\s+(?:'([^']*)'|"([^"]*)"|([^\s()'"]+))$/;
/** Field names of the device's log page, and the fields of a record that each can match. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  addr: ["src", "dst"],
  "addr.src": ["src"],
  "addr.dst": ["dst"],
  port: ["sport", "dport"],
  "port.src": ["sport"],
  "port.dst": ["dport"],
  zone: ["from", "to"],
  "zone.src": ["from"],
  "zone.dst": ["to"],
  "user.src": ["srcuser"],
  "user.dst": ["dstuser"],
};
/** Parentheses, quoted texts and words. Any other character is a token of its own, and `TERM` rejects it. */
const TOKEN = /\(|\)|!(?=\s*\()|'[^']*'|"[^"]*"|[^\s()'"]+|\S/g;
const MAX_DEPTH = 100;

/**
 * Parses filters such as `( cmd eq delete ) and !( addr.src in 192.0.2.0/24 )`. Parentheses can be nested. `not` binds tighter than
 * `and`, and `and` tighter than `or`. Throws code 17 for invalid filters.
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
    if (this.#take("!") || this.#take("not")) {
      const test = this.#one(depth + 1);
      return (record) => !test(record);
    }
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
    const fields = FIELDS[field] ?? [field];
    if (field.includes(".") && FIELDS[field] === undefined) throw invalid(text);
    if (operator === "in" || operator === "notin") {
      const holds = network(wanted);
      if (holds === undefined || !/^addr|^src$|^dst$/.test(field)) throw invalid(text);
      return (record) => fields.some((name) => holds(record.get(name) ?? "")) === (operator === "in");
    }
    const test = (record: LogRecord) => fields.map((name) => compare(record.get(name) ?? "", operator, wanted));
    return operator === "neq" ? (record) => test(record).every(Boolean) : (record) => test(record).some(Boolean);
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

/** Returns a test for addresses in a network or equal to one address. Returns undefined if the text is neither. */
function network(text: string): ((address: string) => boolean) | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  const longest = version === 6 ? 128 : 32;
  const length = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : longest + 1;
  if (version === 0 || rest.length > 0 || length > longest) return undefined;
  const family = version === 6 ? "ipv6" : "ipv4";
  const list = new BlockList();
  list.addSubnet(address, length, family);
  return (other) => isIP(other) === version && list.check(other, family);
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
