import { clip, codeSpan } from "./text.js";

/** Maximum length of a displayed name. */
export const NAME = 48;
const SHOWN = 8;

/** Returns `a`, `b` and 3 more, each as code. The length is limited for any number and length of names. */
export function listed(names: readonly string[], show: (name: string) => string = codeSpan, most = SHOWN): string {
  const shown = names.slice(0, most).map((name) => show(clip(name, NAME)));
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${more.toLocaleString("en")} more`;
  return shown.join(", ");
}
