import { clip, codeSpan } from "./text.js";

/** Longest that a name is shown. */
export const NAME = 48;
const SHOWN = 8;

/** `a`, `b` and 3 more, each as code; bounded however many and however long they are. */
export function listed(names: readonly string[], show: (name: string) => string = codeSpan, most = SHOWN): string {
  const shown = names.slice(0, most).map((name) => show(clip(name, NAME)));
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${more.toLocaleString("en")} more`;
  return shown.join(", ");
}
