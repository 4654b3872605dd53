/** The problem of a pattern. The message continues a sentence that begins with the pattern. */
export class GlobError extends Error {}

const MOST_ALTERNATIVES = 100;

/**
 * Compiles a pattern for relative file names with forward slashes. `*` matches any text without a slash, `?` one character, `[a-z]` and
 * `[!a-z]` one character of a class, `{a,b}` one of several texts, and `**` as a complete part any number of folders. The time of a match
 * grows with the length of the pattern times the length of the name. No regular expression is created, because patterns come from outside.
 * @throws GlobError for a pattern with `(`, `\` or `!` (except in a class), an open class or brace, or more than 100 alternatives.
 */
export function compileGlob(pattern: string): (name: string) => boolean {
  const alternatives = expand(pattern).map((each) => each.split("/").map(compilePart));
  return (name) => {
    const parts = name.split("/");
    return alternatives.some((alternative) => matchesParts(alternative, parts));
  };
}

/** One element of a part: a literal, any character, or a class. `star` matches any number of characters. */
type Token = "star" | ((character: string) => boolean);
type Part = "folders" | readonly Token[];

/** `a{b,c}d` expands to `abd` and `acd`. Braces can be nested. */
function expand(pattern: string): string[] {
  const open = pattern.indexOf("{");
  if (open === -1) {
    if (pattern.includes("}")) throw new GlobError("has a } without {");
    return [pattern];
  }
  const { choices, end } = choicesFrom(pattern, open);
  const rest = expand(pattern.slice(end));
  const all = choices.flatMap(expand).flatMap((choice) => rest.map((tail) => pattern.slice(0, open) + choice + tail));
  if (all.length > MOST_ALTERNATIVES) throw new GlobError(`has more than ${MOST_ALTERNATIVES} alternatives`);
  return all;
}

function choicesFrom(pattern: string, open: number): { readonly choices: string[]; readonly end: number } {
  const choices: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "{") depth++;
    if (character === "}") depth--;
    if (depth === 0 || (depth === 1 && character === ",")) {
      choices.push(pattern.slice(from, at));
      from = at + 1;
    }
    if (depth === 0) return { choices, end: at + 1 };
  }
  throw new GlobError("has a { without }");
}

function compilePart(part: string): Part {
  if (part === "**") return "folders";
  const tokens: Token[] = [];
  const characters = [...part];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === "*") {
      if (tokens.at(-1) !== "star") tokens.push("star");
    } else if (character === "?") tokens.push(() => true);
    else if (character === "[") {
      const end = classEnd(characters, at);
      tokens.push(compileClass(characters.slice(at + 1, end)));
      at = end;
    } else if ("()\\!".includes(character)) throw new GlobError(`has a ${character}, which has no meaning here`);
    else tokens.push((other) => other === character);
  }
  return tokens;
}

/** A `]` right after the beginning belongs to the class. */
function classEnd(characters: readonly string[], open: number): number {
  const first = open + 1 + (characters[open + 1] === "!" || characters[open + 1] === "^" ? 1 : 0);
  const end = characters.indexOf("]", first + 1);
  if (end === -1) throw new GlobError("has a [ without ]");
  return end;
}

function compileClass(inner: readonly string[]): Token {
  const negated = inner[0] === "!" || inner[0] === "^";
  const members = negated ? inner.slice(1) : inner;
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at] as string;
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== negated;
}

/** Returns true if the parts match. Tracks the set of reachable positions, so each pair of pattern and name part is compared once. */
function matchesParts(pattern: readonly Part[], parts: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const expected of pattern) {
    const next = new Set<number>();
    for (const at of reached) {
      if (expected === "folders") for (let to = at; to <= parts.length; to++) next.add(to);
      else if (at < parts.length && matchesPart(expected, [...(parts[at] as string)])) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(parts.length);
}

/** Backtracks only to the last star. An earlier star never needs another length. */
function matchesPart(tokens: readonly Token[], characters: readonly string[]): boolean {
  let token = 0;
  let star = -1;
  let resume = 0;
  for (let at = 0; at < characters.length; ) {
    const expected = tokens[token];
    if (expected === "star") {
      star = token++;
      resume = at;
    } else if (expected?.(characters[at] as string) === true) {
      token++;
      at++;
    } else if (star === -1) return false;
    else {
      token = star + 1;
      at = ++resume;
    }
  }
  return tokens.slice(token).every((each) => each === "star");
}
