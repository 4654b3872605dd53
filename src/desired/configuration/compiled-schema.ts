import type { Validate } from "./validator.js";

/** A validator made ahead of time, and what it was made from (`hashOf` its recipe). */
export interface CompiledSchema {
  readonly recipeHash: string;
  readonly validate: Validate;
}

/** None in the sources: `packaging/compile-schema.mjs` writes one over this module in `dist`. */
export const compiledSchema: CompiledSchema | undefined = undefined as CompiledSchema | undefined;
