/**
 * Whether tags match the filter of a dynamic group. First replaces each tag by 1 or 0, then evaluates parentheses from the inside, with
 * `and` before `or`.
 */
export function fulfils(filter: string, tags: ReadonlySet<string>): boolean {
  let text = filter
    .replace(/'([^']*)'|"([^"]*)"|\b(?!(?:and|or)\b)[^\s()'"]+/gi, (word, one, other) => (tags.has(one ?? other ?? word) ? "1" : "0"))
    .toLowerCase();
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\(\s*([01](?:\s+(?:and|or)\s+[01])*)\s*\)/g, (_, inner: string) => (plain(inner) ? "1" : "0"));
  }
  return /^\s*[01](?:\s+(?:and|or)\s+[01])*\s*$/.test(text) && plain(text);
}

function plain(text: string): boolean {
  return text.split(/\s+or\s+/).some((side) => side.split(/\s+and\s+/).every((word) => word.trim() === "1"));
}
