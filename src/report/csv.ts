/** Returns one line of RFC 4180 with its line end. Quotes values with a comma, a quote, a line end or surrounding spaces. */
export function csvLine(values: readonly string[]): string {
  return `${values.map((value) => (/[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(",")}\r\n`;
}
