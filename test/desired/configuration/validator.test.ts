import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schemas } from "../../../src/cli/write-schemas.js";
import type { CompiledSchema } from "../../../src/desired/configuration/compiled-schema.js";
import { hashOf, recipeOf, type Validate, validatorFor } from "../../../src/desired/configuration/validator.js";
import { kinds } from "../../../src/targets/registry.js";
import { leaveOut } from "../../left-out.js";

const recipe = recipeOf(schemas.get("plumbline.schema.json") as object);
const load = async (file: string) => ((await import(pathToFileURL(file).href)) as { compiledSchema: CompiledSchema }).compiledSchema;

const errorsOf = (validate: Validate, value: unknown) => (validate(value) ? [] : structuredClone(validate.errors));

const example: unknown = parse(readFileSync("desired-state/plumbline.yaml", "utf8"));

/** Paths of all parts of a value, starting with the value itself. */
function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const below = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [path, ...below.flatMap(([key, child]) => pathsIn(child, [...path, key]))];
}

/** The value with `made` at a path, or without that path if `made` is undefined. */
function withAt(value: unknown, [key, ...rest]: readonly string[], made: unknown): unknown {
  if (key === undefined) return made;
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  copy[key] = withAt(copy[key], rest, made);
  if (copy[key] === undefined) delete copy[key];
  return copy;
}

describe("a precompiled validator", () => {
  let folder: string;
  let ahead: Validate;
  let now: Validate;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plumbline-validator-"));
    const { compileRecipe } = (await import(pathToFileURL("packaging/compile-schema.mjs").href)) as {
      compileRecipe(recipe: string): Promise<string>;
    };
    const file = join(folder, "compiled-schema.mjs");
    writeFileSync(file, await compileRecipe(recipe));
    const compiled = await load(file);
    expect(compiled.recipeHash).toBe(hashOf(recipe));
    ahead = compiled.validate;
    now = (await validatorFor(kinds)).validate;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("needs no package, and accepts the example", () => {
    expect(errorsOf(ahead, example)).toEqual([]);
  });

  it("reports the same errors as a new one, down to the last field", () => {
    const words = ["", "panos", "sha256/x", "15m", "${env:X}", "kind", "url", "é".repeat(3)];
    const junk = fc.oneof(
      fc.constant(undefined),
      fc.constantFrom<unknown>(...words, null, true, -1, 0, 1.5, 1e9, [], {}, ["a", "a"]),
      fc.dictionary(fc.constantFrom(...words), fc.constantFrom<unknown>(...words, 1, [])),
    );
    const place = fc.record({ path: fc.constantFrom(...pathsIn(example)), key: fc.option(fc.constantFrom(...words), { nil: undefined }) });
    let wrong = 0;
    fc.assert(
      fc.property(place, junk, ({ path, key }, made) => {
        const value = withAt(example, key === undefined ? path : [...path, key], made);
        const expected = errorsOf(now, value);
        wrong += expected?.length === 0 ? 0 : 1;
        expect(errorsOf(ahead, value)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
    expect(wrong).toBeGreaterThan(300);
  });
});

const built = resolve("dist/desired/configuration/compiled-schema.js");
if (!existsSync(built)) leaveOut("the validator of the build: run `npm run build` first");
describe.skipIf(!existsSync(built))("the validator of the build", () => {
  it("is compiled from the schema of the sources", async () => {
    expect((await load(built)).recipeHash).toBe(hashOf(recipe));
  });
});
