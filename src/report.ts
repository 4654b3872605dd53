import type { Command, TargetOutcome } from "./outcome.js";
import { renderJson } from "./report/json.js";
import { renderJunit } from "./report/junit.js";
import { renderMarkdown } from "./report/markdown.js";
import { renderSarif } from "./report/sarif.js";
import type { Paint } from "./report/style.js";
import { renderText } from "./report/text.js";

export type Format = "text" | "json" | "markdown" | "junit" | "sarif";

type Renderer = (command: Command, outcomes: readonly TargetOutcome[], paint: Paint) => string;

/** Every way to print what a pass found. Each returns whole text that ends with a newline. */
export const renderers: Readonly<Record<Format, Renderer>> = {
  text: renderText,
  json: renderJson,
  markdown: renderMarkdown,
  junit: renderJunit,
  sarif: renderSarif,
};
