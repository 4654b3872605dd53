import type { FromSchema, JSONSchema } from "json-schema-to-ts";

type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/** The values that a JSON Schema allows. The schema is the only place that lists the keys of a part of `plumbline.yaml`. */
export type TextOf<Schema extends JSONSchema> = Frozen<FromSchema<Schema>>;
