/**
 * The part of a comment outside code, by the rules of CommonMark: fenced blocks first, then code spans within each line. Throws if a fence
 * is not closed.
 */
export function outsideCode(markdown: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const [ticks] = /^`{3,}/.exec(line) ?? [];
    if (fence !== undefined) {
      if (ticks !== undefined && ticks.length >= fence.length && line === ticks) fence = undefined;
    } else if (ticks !== undefined && !line.slice(ticks.length).includes("`")) fence = ticks;
    else kept.push(withoutSpans(line));
  }
  if (fence !== undefined) throw new Error("a fence is never closed");
  return kept.join("\n");
}

function withoutSpans(line: string): string {
  let rest = "";
  for (let at = 0; at < line.length; ) {
    const run = /^`+/.exec(line.slice(at))?.[0];
    if (run === undefined) {
      rest += line[at];
      at++;
      continue;
    }
    let close = at + run.length;
    for (;;) {
      const next = /`+/.exec(line.slice(close));
      if (next === null) throw new Error(`a code span is never closed: ${line}`);
      close += next.index + next[0].length;
      if (next[0].length === run.length) break;
    }
    rest += "•";
    at = close;
  }
  return rest;
}
