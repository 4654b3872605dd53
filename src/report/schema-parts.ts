/** Short forms for the JSON Schema of the report. */
export const text = { type: "string" } as const;

export function list(items: object) {
  return { type: "array", items };
}

/** Schema of an object without other properties. All properties are required unless `required` lists fewer. */
export function object(properties: Record<string, object>, required: readonly string[] = Object.keys(properties)) {
  return { type: "object", properties, required: [...required], additionalProperties: false };
}
