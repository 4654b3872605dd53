/** One line of RFC 4180, with its line end: quotes where a value has a comma, a quote, a line end or blanks around it. */
export function csvLine(values: readonly string[]): string {
  return `${values.map((value) => (/[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(",")}\r\n`;
}
