import type { Validate } from "./validator.js";

/** A validator that the build generated, and the hash of its inputs (`hashOf` of the recipe). */
export interface CompiledSchema {
  readonly recipeHash: string;
  readonly validate: Validate;
}

/** Undefined in the sources: `packaging/compile-schema.mjs` replaces this module in `dist`. */
export const compiledSchema: CompiledSchema | undefined = undefined as CompiledSchema | undefined;
