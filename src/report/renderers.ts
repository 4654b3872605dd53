import type { Command, TargetOutcome } from "../outcome/outcome.js";
import type { Paint } from "./style.js";

/** Renders the outcomes of a pass as text that ends with a newline. */
type Render = (command: Command, outcomes: readonly TargetOutcome[], paint: Paint) => string;

/** One output format. */
interface Renderer {
  /**
   * True for formats that are sent to a code host. An empty report would look there as if the run had not happened, so errors of the
   * desired state are reported there too.
   */
  readonly shownElsewhere: boolean;
  readonly load: () => Promise<Render>;
}

const all = {
  text: { shownElsewhere: false, load: async () => (await import("./text.js")).renderText },
  json: { shownElsewhere: false, load: async () => (await import("./json.js")).renderJson },
  markdown: { shownElsewhere: true, load: async () => (await import("./markdown/markdown.js")).renderMarkdown },
  html: { shownElsewhere: false, load: async () => (await import("./html.js")).renderHtml },
  junit: { shownElsewhere: true, load: async () => (await import("./junit.js")).renderJunit },
  sarif: { shownElsewhere: true, load: async () => (await import("./sarif/sarif.js")).renderSarif },
} as const satisfies Readonly<Record<string, Renderer>>;

export type Format = keyof typeof all;

/** All output formats. Each is loaded on first use. */
export const renderers: Readonly<Record<Format, Renderer>> = all;

/** Values of `--format` and `--report`. */
export const formats = Object.keys(all) as readonly Format[];
