import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schemaText } from "../../src/cli/schema-text.js";
import { schemas } from "../../src/cli/write-schemas.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { importConfiguration } from "../../src/import/import-configuration.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { afterTest } from "../after-test.js";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const ajv = new Ajv({ allErrors: true, discriminator: true, strict: false });

/** One case contains a file that is not a document. In the other, words such as null are text, but YAML 1.2 core reads them as null. */
const NOT_FOR_EDITORS = ["documents-excluded", "values-as-written"];

const configurations = ["test/fixtures", "../shared/data/panos"]
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
  .filter((name) => name.endsWith(".xml"));

describe("schemas", () => {
  it.each([...schemas.keys()])("%s equals the generated schema (npm run schemas)", (file) => {
    expect(read(`schemas/${file}`)).toBe(schemaText(schemas.get(file)));
  });

  const document = ajv.compile(schemas.get("panos.schema.json") as object);
  const golden = readdirSync(new URL("../cases/desired", import.meta.url)).filter((name) => {
    const files = readdirSync(new URL(`../cases/desired/${name}`, import.meta.url));
    return files.includes("expected.xml") && files.includes("edge") && !NOT_FOR_EDITORS.includes(name);
  });

  it.each(golden)("let an editor accept the documents of %s", (name) => {
    for (const file of readdirSync(new URL(`../cases/desired/${name}/edge`, import.meta.url))) {
      const text = read(`test/cases/desired/${name}/edge/${file}`);
      expect(document(parse(text)), ajv.errorsText(document.errors)).toBe(true);
    }
  });

  it.each(configurations)("let an editor accept the output of import for %s", (name) => {
    const xml = parseXml(readFileSync(name, "utf8"));
    if (xml.tag !== "config") return;
    const out = mkdtempSync(join(tmpdir(), "plumbline-schema-"));
    afterTest(() => rmSync(out, { recursive: true }));
    importConfiguration({ xml, kind: panosKind, out });
    const written = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((file) => /^[^/]+\/.*\.yaml$/.test(file));
    for (const file of written)
      expect([file, document(parse(readFileSync(join(out, file), "utf8"))), document.errors]).toEqual([file, true, null]);
  });

  it.each([
    ["an unknown key", { target: "edge", scope: "vsys1", confg: {} }],
    ["no place", { target: "edge", config: {} }],
    ["two places", { target: "edge", scope: "vsys1", at: "/config", config: {} }],
    ["text for a list of entries", { target: "edge", scope: "vsys1", config: { address: "x" } }],
    ["a bare member", { target: "edge", scope: "vsys1", config: { "address-group": { g: { static: "x" } } } }],
    ["a word that a field does not take", { target: "edge", scope: "vsys1", config: { tag: { t: { color: "color18" } } } }],
    ["an invalid address", { target: "edge", scope: "shared", config: { address: { a: { "ip-netmask": "10.9.9.999" } } } }],
    ["a list for text", { target: "edge", scope: "vsys1", config: { address: { a: { fqdn: ["x"] } } } }],
    ["an ordered list as a map", { target: "edge", scope: "vsys1", config: { rulebase: { security: { rules: { a: {} } } } } }],
  ])("tells an editor of %s", (_, value) => expect(document(value)).toBe(false));
});
