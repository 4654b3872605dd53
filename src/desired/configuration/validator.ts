import { createHash } from "node:crypto";
import type { ErrorObject } from "ajv";
import type { KindRegistry } from "../kind.js";
import { compiledSchema } from "./compiled-schema.js";
import { configurationSchema } from "./schema.js";

/** True for a value that the schema allows; else `errors` says what is wrong, until the next call. */
export interface Validate {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null | undefined;
}

const AJV_OPTIONS = { allErrors: true, discriminator: true, strictTypes: false, strictRequired: false } as const;

/**
 * All that a validator follows from, as text: `{"schema":…,"options":…}`, the options those of Ajv. What describes a value checks nothing.
 *
 * @internal Exported for packaging/compile-schema.mjs and the test that holds both equal.
 */
export function recipeOf(schema: object): string {
  const checked = (key: string, value: unknown) => (key === "description" && typeof value === "string" ? undefined : value);
  return JSON.stringify({ schema, options: AJV_OPTIONS }, checked);
}

/**
 * What tells one recipe from another, in place of its text: SHA-256 in hexadecimal digits.
 *
 * @internal Exported as `recipeOf`.
 */
export function hashOf(recipe: string): string {
  return createHash("sha256").update(recipe).digest("hex");
}

/** A schema, and what checks values by it. */
export interface Validator {
  readonly schema: object;
  readonly validate: Validate;
}

const validators = new WeakMap<KindRegistry, Promise<Validator>>();

/**
 * The validator of a `plumbline.yaml` with targets of these kinds. The one that the build made is taken where it was made
 * from the very same schema: compiling takes longer than all the rest of `plumbline validate`. Sources, and kinds of
 * somebody else, have theirs compiled here, once.
 */
export async function validatorFor(kinds: KindRegistry): Promise<Validator> {
  const validator = validators.get(kinds) ?? madeFor(configurationSchema(kinds));
  validators.set(kinds, validator);
  return await validator;
}

async function madeFor(schema: object): Promise<Validator> {
  if (compiledSchema?.recipeHash === hashOf(recipeOf(schema))) return { schema, validate: compiledSchema.validate };
  const { Ajv } = await import("ajv");
  return { schema, validate: new Ajv(AJV_OPTIONS).compile(schema) };
}
