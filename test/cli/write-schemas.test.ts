import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schemas, schemaText } from "../../src/cli/write-schemas.js";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const ajv = new Ajv({ allErrors: true, discriminator: true, strict: false });

/** One holds a file that is no document; in the other words such as null are text, which YAML 1.2 core takes for null. */
const NOT_FOR_EDITORS = ["documents-excluded", "values-as-written"];

describe("schemas", () => {
  it.each([...schemas.keys()])("%s is what the code says (npm run schemas)", (file) => {
    expect(read(`schemas/${file}`)).toBe(schemaText(schemas.get(file)));
  });

  const document = ajv.compile(schemas.get("panos.schema.json") as object);
  const golden = readdirSync(new URL("../cases/desired", import.meta.url)).filter((name) => {
    const files = readdirSync(new URL(`../cases/desired/${name}`, import.meta.url));
    return files.includes("expected.xml") && files.includes("edge") && !NOT_FOR_EDITORS.includes(name);
  });

  it.each(golden)("lets an editor accept the documents of %s", (name) => {
    for (const file of readdirSync(new URL(`../cases/desired/${name}/edge`, import.meta.url))) {
      const text = read(`test/cases/desired/${name}/edge/${file}`);
      expect(document(parse(text)), ajv.errorsText(document.errors)).toBe(true);
    }
  });

  it.each([
    ["an unknown key", { target: "edge", scope: "vsys1", confg: {} }],
    ["no place", { target: "edge", config: {} }],
    ["two places", { target: "edge", scope: "vsys1", at: "/config", config: {} }],
    ["text for a list of entries", { target: "edge", scope: "vsys1", config: { address: "x" } }],
    ["a bare member", { target: "edge", scope: "vsys1", config: { "address-group": { g: { static: "x" } } } }],
    ["an ordered list as a map", { target: "edge", scope: "vsys1", config: { rulebase: { security: { rules: { a: {} } } } } }],
  ])("tells an editor of %s", (_, value) => expect(document(value)).toBe(false));
});
