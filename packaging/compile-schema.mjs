// Compiles the schema of plumbline.yaml into dist, so that nothing compiles it at run time. Run by `npm run build`.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";

/** The text of a module without imports that holds the validator of a recipe (`recipeOf`), as `CompiledSchema` says. */
export async function compileRecipe(recipe) {
  const { hashOf } = await import("../dist/desired/configuration/validator.js");
  const { schema, options } = JSON.parse(recipe);
  const ajv = new Ajv({ ...options, code: { source: true, esm: true } });
  const code = standalone.default(ajv, ajv.compile(schema));
  const { outputFiles } = await build({
    stdin: {
      contents: `${code};export const compiledSchema = { recipeHash: ${JSON.stringify(hashOf(recipe))}, validate };`,
      resolveDir: fileURLToPath(new URL("..", import.meta.url)),
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { schemas } = await import("../dist/cli/write-schemas.js");
  const { hashOf, recipeOf } = await import("../dist/desired/configuration/validator.js");
  const { compiledSchema } = await import("../dist/desired/configuration/compiled-schema.js");
  const recipe = recipeOf(schemas.get("plumbline.schema.json"));
  // Most builds change nothing of it.
  if (compiledSchema?.recipeHash !== hashOf(recipe))
    writeFileSync(new URL("../dist/desired/configuration/compiled-schema.js", import.meta.url), await compileRecipe(recipe));
}
