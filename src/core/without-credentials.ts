/** Takes what stands before `@` out of every address in a text: git repeats addresses in its messages. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z+]+:\/\/)[^/@\s]+@/gi, "$1");
}
