/** Returns a schema in the format of its file: one line for each definition, so that diffs are readable. */
export function schemaText(schema: unknown): string {
  const { definitions, ...rest } = schema as { readonly definitions?: Readonly<Record<string, unknown>> };
  const head = JSON.stringify(rest, undefined, 2);
  if (definitions === undefined) return `${head}\n`;
  const lines = Object.entries(definitions).map(([name, definition]) => `    ${JSON.stringify(name)}: ${JSON.stringify(definition)}`);
  return `${head.slice(0, -2)},\n  "definitions": {\n${lines.join(",\n")}\n  }\n}\n`;
}
