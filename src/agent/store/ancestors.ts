/** Returns a canonical XPath and all its ancestors, shortest first: `/a[@name='x']/b` gives `/a`, `/a[@name='x']` and itself. */
export function withAncestors(path: string): string[] {
  const paths: string[] = [];
  let quote = "";
  for (let at = 1; at < path.length; at++) {
    const character = path.charAt(at);
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === "/" || character === "[") paths.push(path.slice(0, at));
  }
  return [...paths, path];
}
