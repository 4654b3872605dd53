/** Entry of the command palette: a page or an action. */
export interface Command {
  readonly words: string;
  /** Type or destination of the command, in dim text. */
  readonly more?: string;
  readonly run: () => void;
}

/**
 * Returns up to `most` commands that contain all typed words. Commands that begin with the text come first, then those with words that
 * begin with the typed words, then the others.
 */
export function found(commands: Iterable<Command>, typed: string, most: number): readonly Command[] {
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/).filter(Boolean);
  const ranked: [rank: number, command: Command][] = [];
  for (const command of commands) {
    const name = command.words.toLowerCase();
    const all = `${name} ${command.more?.toLowerCase() ?? ""}`;
    if (!words.every((word) => all.includes(word))) continue;
    const rank = name.startsWith(text) ? 0 : words.every((word) => ` ${name.replaceAll("-", " ")}`.includes(` ${word}`)) ? 1 : 2;
    ranked.push([rank, command]);
  }
  // Sorting is stable, so commands of equal rank keep their order.
  return ranked
    .sort(([a], [b]) => a - b)
    .slice(0, most)
    .map(([, command]) => command);
}
