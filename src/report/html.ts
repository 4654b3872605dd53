import type { Command, TargetOutcome } from "../outcome/outcome.js";
import { withoutControls } from "./controls.js";
import { lastLine } from "./last-line.js";
import { escapeHtml } from "./markdown/text.js";
import type { Colour } from "./style.js";
import { renderText } from "./text.js";

const STYLE = `:root{color-scheme:light dark;--green:#116329;--red:#a40e26;--yellow:#7d4e00;--cyan:#0b5c7d;--magenta:#8250df;--gray:#59636e}
@media(prefers-color-scheme:dark){:root{--green:#56d364;--red:#ff8182;--yellow:#e3b341;--cyan:#76e3ea;--magenta:#d2a8ff;--gray:#9198a1}}
body{font:15px/1.5 system-ui,sans-serif;max-width:110ch;margin:2rem auto;padding:0 1rem}
h1{font-size:1.2rem;margin:0}p{margin:.3rem 0 1.2rem}
pre{font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
b{font-weight:600}.green{color:var(--green)}.red{color:var(--red)}.yellow{color:var(--yellow)}.cyan{color:var(--cyan)}.magenta{color:var(--magenta)}
.gray,.dim{color:var(--gray)}`;

/** Renders the report of a terminal with its colours as one page without external resources and scripts. */
export function renderHtml(command: Command, outcomes: readonly TargetOutcome[]): string {
  const painted = new Painted();
  const text = renderText(command, outcomes, (colour, part) => painted.add(colour, part));
  const result = escapeHtml(lastLine(command, outcomes).trimEnd());
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>plumbline ${command}</title>
<style>
${STYLE}
</style>
<h1>plumbline ${command}</h1>
<p>${withoutControls(result)}</p>
<pre>${withoutControls(painted.page(text))}</pre>
</html>
`;
}

/**
 * Coloured parts of a text. The text contains the number of each part between two control characters. A name with such a number can only
 * repeat an earlier part; it cannot add HTML.
 */
class Painted {
  readonly #parts: { readonly colour: Colour; readonly text: string }[] = [];

  add(colour: Colour, text: string): string {
    this.#parts.push({ colour, text });
    return `\u0001${this.#parts.length - 1}\u0002`;
  }

  page(text: string, below = this.#parts.length): string {
    return escapeHtml(text).replaceAll(/\u0001(\d+)\u0002/g, (_, digits: string) => {
      const number = Number(digits);
      const part = number < below ? this.#parts[number] : undefined;
      if (part === undefined) return "";
      const inner = this.page(part.text, number);
      return part.colour === "bold" ? `<b>${inner}</b>` : `<span class="${part.colour}">${inner}</span>`;
    });
  }
}
