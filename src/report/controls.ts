/** Replaces control characters. XML 1.0 cannot contain most of them, and no page displays them. */
export function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}
