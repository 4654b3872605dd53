// Compiles the schema of plumbline.yaml into dist, so that it is not compiled at run time. Part of `npm run build`.
import { statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv, stringify } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";

/**
 * Number of characters from which a part of the schema gets its own function. V8 compiles only functions that are called, and a single
 * function would be 240 KB.
 */
const WORTH_A_FUNCTION = 300;
/** Notes in the generated code the place of the part in the schema. */
const MARK = "partAt";

/** Returns the parts of the schema with their places. */
function inParts(schema) {
  const definitions = {};
  const apart = (value, path) => {
    if (typeof value !== "object" || value === null) return value;
    const at = (key) => `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (Array.isArray(value)) return value.map((each, index) => apart(each, `${path}/${index}`));
    const made = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, apart(each, at(key))]));
    if (value.type !== "object" || value.properties === undefined || JSON.stringify(made).length < WORTH_A_FUNCTION) return made;
    const name = `part-${Object.keys(definitions).length}`;
    definitions[name] = { ...made, [MARK]: path };
    return { $ref: `#/definitions/${name}` };
  };
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, apart(value, `#/${key}`)]));
  return { ...parts, definitions };
}

/** Returns code that validates with the complete schema and uses its places in errors. */
function codeOf({ schema, options }) {
  const ajv = new Ajv({ ...options, inlineRefs: false, code: { source: true, esm: true } });
  ajv.addKeyword({ keyword: MARK, schemaType: "string", code: ({ gen, schema: path }) => void gen.code(stringify(`${MARK} ${path}`)) });
  if (schema.definitions !== undefined) throw new Error("a schema with definitions of its own is not taken apart");
  const functions = standalone.default(ajv, ajv.compile(inParts(schema))).split(/(?=\bfunction validate\d+\()/);
  return functions.map(withPlaces).join("");
}

function withPlaces(code) {
  const [mark, path] = new RegExp(`"${MARK} ([^"]*)";?`).exec(code) ?? [];
  return mark === undefined ? code : code.replace(mark, "").replaceAll('schemaPath:"#', () => `schemaPath:"${path}`);
}

/**
 * Returns the source of a module without imports that contains the validator of a recipe (`recipeOf`), as described by `CompiledSchema`.
 */
export async function compileRecipe(recipe) {
  const { hashOf } = await import("../dist/desired/configuration/validator.js");
  const { outputFiles } = await build({
    stdin: {
      contents: `${codeOf(JSON.parse(recipe))};export const compiledSchema = { recipeHash: ${JSON.stringify(hashOf(recipe))}, validate };`,
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
  const compiled = new URL("../dist/desired/configuration/compiled-schema.js", import.meta.url);
  const isOlder = statSync(compiled).mtimeMs < statSync(new URL(import.meta.url)).mtimeMs;
  // Most builds do not change it.
  if (compiledSchema?.recipeHash !== hashOf(recipe) || isOlder) writeFileSync(compiled, await compileRecipe(recipe));
}
