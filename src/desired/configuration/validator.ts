import { createHash } from "node:crypto";
import type { ErrorObject } from "ajv";
import type { KindRegistry } from "../kind.js";
import { compiledSchema } from "./compiled-schema.js";
import { configurationSchema } from "./schema.js";

/** Returns whether the schema allows a value. Otherwise `errors` contains the reasons, until the next call. */
export interface Validate {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null | undefined;
}

const AJV_OPTIONS = { allErrors: true, discriminator: true, strictTypes: false, strictRequired: false } as const;

/**
 * Returns all inputs of a validator as text: `{"schema":…,"options":…}`, with the options of Ajv. Descriptions and titles are removed,
 * because they do not affect checks.
 *
 * @internal Exported for packaging/compile-schema.mjs and the test that compares both.
 */
export function recipeOf(schema: object): string {
  const checked = (key: string, value: unknown) =>
    (key === "description" || key === "title") && typeof value === "string" ? undefined : value;
  return JSON.stringify({ schema, options: AJV_OPTIONS }, checked);
}

/**
 * Returns the SHA-256 of a recipe, hexadecimal.
 *
 * @internal Exported as `recipeOf`.
 */
export function hashOf(recipe: string): string {
  return createHash("sha256").update(recipe).digest("hex");
}

/** A schema and its validation function. */
export interface Validator {
  readonly schema: object;
  readonly validate: Validate;
}

const validators = new WeakMap<KindRegistry, Promise<Validator>>();

/**
 * Returns the validator of a `plumbline.yaml` with targets of these kinds. Uses the validator of the build if it comes from the same
 * schema: compiling takes longer than the rest of `plumbline validate`. For source checkouts and third-party kinds, compiles the schema
 * here, once.
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
