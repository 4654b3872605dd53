/** XML 1.0 has no way to carry most control characters, and no page shows them; reports replace them rather than break the file. */
export function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}
