import type { Shape } from "./shape.js";

/** Flags of a row without a value, and flags of the form `key=value`. */
export interface Flags {
  form: "container" | "list" | "members" | "leaf";
  words: Set<string>;
  values: Map<string, string>;
}

const WORDS = new Set([
  "ordered",
  "secret",
  "match",
  "shared",
  "structural",
  "scope",
  "global",
  "uuid",
  "unique",
  "leads",
  "computed",
  "grows",
  "holdsdata",
  "hidden",
  "imported",
  "unimported",
  "readonly",
  "immutable",
  "rebuilt",
  "createonly",
  "fixednames",
  "copied",
  "mark",
  "several",
  "ruleset",
  "complete",
  "closing",
]);
const KEYS = new Set([
  "default",
  "choice",
  "defines",
  "namespace",
  "refs",
  "reserved",
  "equality",
  "empty",
  "key",
  "type",
  "interrupts",
  "losing",
  "follows",
  "claims",
  "initial",
  "readable",
  "most",
]);

/** Parses the words of a row behind its form. An unknown word is an error. */
export function parseFlags(text: string, form: string, rest: readonly string[]): Flags {
  if (form !== "container" && form !== "list" && form !== "members" && form !== "leaf") {
    throw new Error(`shape table: "${text}" does not begin with container, list, members or leaf`);
  }
  const flags: Flags = { form, words: new Set(), values: new Map() };
  for (const word of rest) {
    const at = word.indexOf("=");
    const key = at === -1 ? word : word.slice(0, at);
    if (!(at === -1 ? WORDS : KEYS).has(key)) throw new Error(`shape table: unknown flag "${word}" in "${text}"`);
    if (at === -1) flags.words.add(word);
    else flags.values.set(key, word.slice(at + 1));
  }
  return flags;
}

export function equalityOf(text: string | undefined): Shape["equality"] {
  if (text === undefined) return "exact";
  if (text === "exact" || text === "caseless" || text === "cidr") return text;
  throw new Error(`shape table: unknown equality "${text}"`);
}

export function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

export function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(",");
}
