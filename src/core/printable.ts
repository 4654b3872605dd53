/**
 * Text from elsewhere, safe to show on a terminal: control characters and those that turn the direction of writing
 * become `�`, so that a log line or a file name cannot rewrite the screen.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "�");
}
