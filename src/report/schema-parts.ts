/** Short forms for the JSON Schema of the report. */
export const text = { type: "string" } as const;

export function list(items: object) {
  return { type: "array", items };
}

/** An object without other properties. All properties are required unless `required` names fewer. */
export function object(properties: Record<string, object>, required: readonly string[] = Object.keys(properties)) {
  return { type: "object", properties, required: [...required], additionalProperties: false };
}
