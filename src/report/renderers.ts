import type { Command, TargetOutcome } from "../outcome/outcome.js";
import { renderJson } from "./json.js";
import { renderJunit } from "./junit.js";
import { renderMarkdown } from "./markdown.js";
import { renderSarif } from "./sarif.js";
import type { Paint } from "./style.js";
import { renderText } from "./text.js";

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
