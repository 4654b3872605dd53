import type { Validate } from "./validator.js";

/** A validator made ahead of time, and what it was made from (`recipeOf`). */
export interface CompiledSchema {
  readonly recipe: string;
  readonly validate: Validate;
}

/** None in the sources: `packaging/compile-schema.mjs` writes one over this module in `dist`. */
export const compiledSchema: CompiledSchema | undefined = undefined as CompiledSchema | undefined;
