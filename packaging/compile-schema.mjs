// Compiles the schema of plumbline.yaml into dist, so that nothing compiles it at run time. Run by `npm run build`.
import { statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv, stringify } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";

/** Characters of a part of the schema that is checked by a function of its own: V8 compiles functions that are called, and one for all would be 240 KB of script. */
const WORTH_A_FUNCTION = 300;
/** Says in the code of such a function where its part stands in the schema. */
const MARK = "partAt";

/** The schema in parts, each with where it stands. */
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

/** Code that checks by the whole schema, and names its places as the schema has them. */
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

/** The text of a module without imports that holds the validator of a recipe (`recipeOf`), as `CompiledSchema` says. */
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
  // Most builds change nothing of it.
  if (compiledSchema?.recipeHash !== hashOf(recipe) || isOlder) writeFileSync(compiled, await compileRecipe(recipe));
}
