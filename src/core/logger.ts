/** Compatible with pino. Fields never contain keys, passwords, elements or query strings. */
export interface Logger {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}
