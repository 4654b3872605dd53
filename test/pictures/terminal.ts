const COLOURS: Readonly<Record<number, string>> = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  35: "#d2a8ff",
  36: "#79c0ff",
  90: "#8b949e",
};
const TEXT = "#e6edf3";
const WIDTH = 8.4;
const HEIGHT = 20;
const MARGIN = 20;

/** Spaces that no viewer folds. */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0");

/** A line as spans of one look each; its orders to the terminal (`ESC [ n m`) as attributes. */
function spansOf(line: string): string {
  let colour = TEXT;
  let isBold = false;
  let isDim = false;
  const spans: string[] = [];
  for (const [, order, text = ""] of line.matchAll(/(?:\u001b\[(\d+)m)?([^\u001b]*)/g)) {
    const code = Number(order ?? -1);
    if (code === 0 || code === 39) colour = TEXT;
    if (code in COLOURS) colour = COLOURS[code] ?? TEXT;
    if (code === 0 || code === 22) [isBold, isDim] = [false, false];
    if (code === 1) isBold = true;
    if (code === 2) isDim = true;
    const look = `fill="${isDim ? "#8b949e" : colour}"${isBold ? ' font-weight="bold"' : ""}`;
    if (text !== "") spans.push(`<tspan ${look}>${escaped(text)}</tspan>`);
  }
  return spans.join("");
}

/** A line as a terminal with so many columns wraps it. Each part starts with the style in which the previous one ended. */
function broken(line: string, columns: number): string[] {
  const parts = [""];
  let look = "";
  let length = 0;
  for (const [token] of line.matchAll(/\u001b\[\d+m|[^\u001b]/gu)) {
    if (token.startsWith("\u001b")) look += token;
    else if (length++ === columns) {
      parts.push(look);
      length = 1;
    }
    parts[parts.length - 1] += token;
  }
  return parts;
}

/**

 * The content of a terminal as a picture that is dark in both themes.

 * @param columns width of the terminal

 */
export function pictureOf(shown: string, columns: number): string {
  const lines = shown
    .trimEnd()
    .split("\n")
    .flatMap((line) => broken(line, columns));
  const width = Math.ceil(columns * WIDTH + 2 * MARGIN);
  const height = lines.length * HEIGHT + 2 * MARGIN;
  const rows = lines.map((line, index) => `<text x="${MARGIN}" y="${MARGIN + 14 + index * HEIGHT}">${spansOf(line)}</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="A plan on a terminal" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}
