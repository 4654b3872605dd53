type Schema = Readonly<Record<string, unknown>>;

const LISTS: ReadonlySet<string> = new Set(["allOf", "oneOf"]);
const SINGLE: ReadonlySet<string> = new Set(["items", "additionalProperties", "if", "then", "else", "not"]);

/**
 * Returns the schema with the name of the field as the title of each property and of its alternatives. yaml-language-server heads a hover
 * with the title of the first alternative that matches, and takes alternatives without titles for equal.
 */
export function withTitles(schema: Schema, name?: string): Schema {
  const title = typeof schema.title === "string" ? schema.title : name;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === "properties") return [key, mapped(value, (each, field) => property(each, field))];
    if (key === "patternProperties") return [key, mapped(value, (each) => withTitles(each, title))];
    if (key === "definitions") return [key, mapped(value, (each) => withTitles(each))];
    if (key === "anyOf") return [key, titled(value as readonly Schema[], title)];
    if (LISTS.has(key)) return [key, (value as readonly Schema[]).map((each) => withTitles(each, title))];
    return [key, SINGLE.has(key) && isSchema(value) ? withTitles(value, title) : value];
  });
  return Object.fromEntries(entries);
}

/** A reference gets no title, because draft 7 ignores all keys next to `$ref`. */
function property(schema: Schema, field: string): Schema {
  const { title = field, ...rest } = withTitles(schema, field);
  return "$ref" in schema ? schema : { title, ...rest };
}

function titled(alternatives: readonly Schema[], name: string | undefined): readonly Schema[] {
  const used = new Set<unknown>();
  return alternatives.map((each, index) => {
    const form = each.title ?? formOf(each);
    const title = name === undefined ? form : index === 0 ? name : `${name} (${String(form)})`;
    const isNew = !used.has(title);
    used.add(title);
    return { ...withTitles(each, name), title: isNew ? title : `${String(title)} (${used.size})` };
  });
}

function formOf({ enum: words, const: word, type, pattern, properties, allOf, $ref }: Schema): string {
  if (words !== undefined || word !== undefined) return "keyword";
  if (type === "array") return "list";
  if (type === "object" || properties !== undefined || allOf !== undefined) return "map";
  if (pattern !== undefined) return "text";
  return $ref === undefined ? "value" : "entry";
}

function mapped(value: unknown, change: (schema: Schema, key: string) => Schema): unknown {
  return Object.fromEntries(Object.entries(value as Schema).map(([key, each]) => [key, isSchema(each) ? change(each, key) : each]));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
