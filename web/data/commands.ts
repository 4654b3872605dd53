/** One thing that can be gone to or done. */
export interface Command {
  readonly words: string;
  /** What kind of thing it is, or where it leads; dim. */
  readonly more?: string;
  readonly run: () => void;
}

/**
 * Commands that have all the words in them, the best first: those that begin with what was typed, then those of which a word
 * does, then the rest. At most `most`.
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
  // Sorting is stable: what comes first in `commands` comes first among its like.
  return ranked
    .sort(([a], [b]) => a - b)
    .slice(0, most)
    .map(([, command]) => command);
}
