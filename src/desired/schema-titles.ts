type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the schema with a title for every alternative. Without titles, yaml-language-server takes alternatives for equal, and heads a
 * hover with the title of the schema once for each of them.
 */
export function withTitles<Value>(schema: Value): Value {
  if (Array.isArray(schema)) return schema.map(withTitles) as Value;
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    const below = withTitles(value);
    return [key, key === "anyOf" && Array.isArray(below) ? titled(below as readonly Schema[]) : below];
  });
  return Object.fromEntries(entries) as Value;
}

function titled(alternatives: readonly Schema[]): readonly Schema[] {
  const used = new Set<unknown>();
  return alternatives.map((each) => {
    const title = each.title ?? formOf(each);
    const isNew = !used.has(title);
    used.add(title);
    return { title: isNew ? title : `${String(title)} (${used.size})`, ...each };
  });
}

function formOf({ enum: words, const: word, type, pattern, properties, allOf, $ref }: Schema): string {
  if (words !== undefined || word !== undefined) return "fixed value";
  if (type === "array") return "list";
  if (type === "object" || properties !== undefined || allOf !== undefined) return "map";
  if (pattern !== undefined) return "text with a form";
  return $ref === undefined ? "value" : "entry";
}
