const WORDS = (
  "what nothing nobody somebody whoever whatever whom says say said tells told tell stands stand stood beside ours anew " +
  "alone where asked asks meanwhile whole none"
).split(" ");
const PHRASES = [
  "of it",
  "of ours",
  "at once",
  "taken back",
  "the one",
  "those of",
  "those that",
  "one that",
  "left out",
  "for ever",
  "is known",
  "it is",
  "that is",
];
const MARKERS = new Set([...WORDS, ...PHRASES]);

/** Markdown without code and links. */
export function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/```.*?```/gs, " ")
    .replaceAll(/`[^`]*`/g, " ")
    .replaceAll(/https?:\/\/\S+|\]\([^)]*\)/g, " ");
}

/** Number of words and phrases per 1,000 words of `text` that make a sentence hard to read. */
export function markersPerThousand(text: string): number {
  const words = text.toLowerCase().match(/[a-z][a-z'-]+/g) ?? [];
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
  return (1000 * [...words, ...pairs].filter((each) => MARKERS.has(each)).length) / words.length;
}
