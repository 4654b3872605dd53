import type { Command, TargetOutcome } from "../outcome/outcome.js";
import type { Paint } from "./style.js";

/** Prints what a pass found: whole text that ends with a newline. */
type Render = (command: Command, outcomes: readonly TargetOutcome[], paint: Paint) => string;

/** One way to print what a pass found. */
interface Renderer {
  /**
   * True for what goes to a code host, where an empty report would look as if nothing had run: a desired state that does
   * not load is reported there too.
   */
  readonly shownElsewhere: boolean;
  readonly load: () => Promise<Render>;
}

const all = {
  text: { shownElsewhere: false, load: async () => (await import("./text.js")).renderText },
  json: { shownElsewhere: false, load: async () => (await import("./json.js")).renderJson },
  markdown: { shownElsewhere: true, load: async () => (await import("./markdown.js")).renderMarkdown },
  html: { shownElsewhere: false, load: async () => (await import("./html.js")).renderHtml },
  junit: { shownElsewhere: true, load: async () => (await import("./junit.js")).renderJunit },
  sarif: { shownElsewhere: true, load: async () => (await import("./sarif.js")).renderSarif },
} as const satisfies Readonly<Record<string, Renderer>>;

export type Format = keyof typeof all;

/** Every way to print what a pass found, each loaded when it is asked for. */
export const renderers: Readonly<Record<Format, Renderer>> = all;

/** Their words, as `--format` and `--report` take them. */
export const formats = Object.keys(all) as readonly Format[];
