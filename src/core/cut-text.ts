const LONGEST = 2_000;

/** Cuts an overlong text from outside, such as a device message of 5 MB: `… (N characters omitted)`. */
export function cutText(text: string): string {
  if (text.length <= LONGEST) return text;
  const kept = text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "");
  return `${kept}… (${text.length - kept.length} characters omitted)`;
}
