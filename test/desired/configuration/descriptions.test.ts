import { expect, it } from "vitest";
import { configurationSchema } from "../../../src/desired/configuration/schema.js";
import { kinds } from "../../../src/targets/registry.js";

/** Returns the paths of all properties of a schema without a description. */
function undescribed(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key !== "properties") return undescribed(value, path);
    return Object.entries(value as Readonly<Record<string, { readonly description?: string }>>).flatMap(([name, property]) => [
      ...(property.description === undefined ? [`${path}.${name}`] : []),
      ...undescribed(property, `${path}.${name}`),
    ]);
  });
}

it("finds a property without a description", () => {
  expect(undescribed({ properties: { a: { description: "A." }, b: { items: { properties: { c: {} } } } } }, "")).toEqual([".b", ".b.c"]);
});

it("describes every key of plumbline.yaml for editors", () => {
  expect(undescribed(configurationSchema(kinds), "")).toEqual([]);
});
