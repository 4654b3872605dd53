import { type Rule, takes } from "./specification.js";

/** Integers from 0 to `limit`, exclusive. */
export type Draw = (limit: number) => number;

/** The same draws for the same seed (mulberry32). */
export function draws(seed: number): Draw {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** In an order that the draws give. */
export function shuffled<T>(all: readonly T[], draw: Draw): T[] {
  const left = [...all];
  for (let index = left.length - 1; index > 0; index--) {
    const other = draw(index + 1);
    [left[index], left[other]] = [left[other] as T, left[index] as T];
  }
  return left;
}

/** `text` broken by its type; undefined if the specifications accept every way to break it. */
export function broken(rules: readonly Rule[], text: string, draw: Draw): string | undefined {
  const ways = rules.flatMap((rule) => waysToBreak(rule, text, draw));
  return shuffled(ways, draw).find((each) => takes(rules, each) === false);
}

function waysToBreak(rule: Rule, text: string, draw: Draw): string[] {
  switch (rule.kind) {
    case "bool":
      return ["true", "Yes", "maybe", "1", `${text}s`];
    case "enum":
      return [misspelt(text, draw), misspelt(text, draw), `${text}-x`, text.toUpperCase(), "none-such"];
    case "integer":
    case "decimal":
      return [
        ...(rule.max === undefined ? [] : [String(rule.max + 1), `${rule.max}0`]),
        ...(rule.min === undefined ? [] : [String(rule.min - 1)]),
        "many",
        `${text}s`,
      ];
    case "text":
      return rule.max === undefined ? [misspelt(text, draw)] : [`${text}${"x".repeat(rule.max)}`, "y".repeat(rule.max + 1)];
  }
}

/** Omits, doubles or swaps one letter. */
function misspelt(word: string, draw: Draw): string {
  const at = draw(Math.max(1, word.length - 1));
  const [before, one = "", two = "", after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  return [`${before}${two}${after}`, `${before}${one}${one}${two}${after}`, `${before}${two}${one}${after}`][draw(3)] ?? word;
}
