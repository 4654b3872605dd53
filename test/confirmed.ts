/** Adds `--yes` to a command that needs it without a terminal. */
export function confirmed(words: readonly string[]): readonly string[] {
  const [command] = words.filter((word) => !word.startsWith("-"));
  const isWrite = command === "reconcile" || (command === "rollback" && words.includes("--reconcile"));
  return isWrite && !words.includes("--yes") ? [...words, "--yes"] : words;
}
