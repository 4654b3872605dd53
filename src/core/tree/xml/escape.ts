const TEXT = /[&<>\r]/;
const TEXT_ALL = /[&<>\r]/g;
const VALUE = /[&<>"\t\n\r]/;
const VALUE_ALL = /[&<>"\t\n\r]/g;

/** Escapes character data. CR becomes a reference, because a parser reads a plain CR as LF. */
export function escapeText(text: string): string {
  return TEXT.test(text) ? text.replace(TEXT_ALL, reference) : text;
}

/** Escapes a value for double quotes. Tabs and line ends become references, because a parser reads plain ones as spaces. */
export function escapeValue(value: string): string {
  return VALUE.test(value) ? value.replace(VALUE_ALL, reference) : value;
}

/** Writes every character as a reference, to keep white space between elements. */
export function escapeBlank(text: string): string {
  return text.replace(/./gs, numeric);
}

function reference(character: string): string {
  if (character === "&") return "&amp;";
  if (character === "<") return "&lt;";
  if (character === ">") return "&gt;";
  if (character === '"') return "&quot;";
  return numeric(character);
}

function numeric(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
