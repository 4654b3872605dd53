/** Short forms for the JSON Schema of the report. Their types keep every literal, so that the type of the report is derived from it. */
export const text = { type: "string" } as const;

export const integer = { type: "integer" } as const;

export const count = { type: "integer", minimum: 0 } as const;

export const positive = { type: "integer", minimum: 1 } as const;

type Properties = Readonly<Record<string, object>>;

export function list<const Items extends object>(items: Items) {
  return { type: "array", items } as const;
}

/** Schema of an object without other properties. All properties are required unless `required` lists fewer. */
export function object<const Fields extends Properties, const Required extends keyof Fields & string = keyof Fields & string>(
  properties: Fields,
  required: readonly Required[] = namesOf(properties) as Required[],
) {
  return { type: "object", properties, required, additionalProperties: false } as const;
}

export function namesOf<Fields extends Properties>(properties: Fields): (keyof Fields & string)[] {
  return Object.keys(properties);
}
