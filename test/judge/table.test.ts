import { describe, expect, it } from "vitest";
import { buildShape } from "../../src/core/tree/shape-table.js";
import { buildFields } from "../../src/desired/field-table.js";
import { panosFields, panosShape } from "../../src/targets/panos/shape.js";
import { leaveOut } from "../left-out.js";
import { specificationFiles } from "./sources.js";
import { readSpecifications, type SpecificationFile } from "./specification.js";
import { compareTables } from "./table.js";

const files = specificationFiles();
if (files === undefined)
  leaveOut("the comparison of the firewall's tables with the vendor's specifications: no clone (docs/contributing/testing.md#the-judge)");

/** Largest known number of rows that differ. A change of the table must not add one. */
const MOST = { values: 757, alternatives: 156 };

describe.skipIf(files === undefined)("the tables of a firewall", () => {
  const { values, alternatives, undecided } = compareTables(readSpecifications(files ?? []), panosFields(), panosShape());

  it("differ from the vendor's specifications in no more rows than known", () => {
    const rows = (differences: typeof values.differences): string =>
      differences.map(({ path, specified, known }) => `  ${path}: ${specified} (table: ${known ?? "no row"})`).join("\n");
    console.log(`values: ${values.same} rows as specified, ${values.differences.length} others\n${rows(values.differences)}`);
    console.log(
      `alternatives: ${alternatives.same} groups as specified, ${alternatives.differences.length} others\n${rows(alternatives.differences)}`,
    );
    console.log(
      `not decided, because the specifications contain neither words nor limits: ${undecided.length}\n  ${undecided.join("\n  ")}`,
    );
    expect(values.same).toBeGreaterThan(1_000);
    expect(values.differences.length).toBeLessThanOrEqual(MOST.values);
    expect(alternatives.differences.length).toBeLessThanOrEqual(MOST.alternatives);
  });
});

it("compares values and alternatives of a small specification", () => {
  const values = (...words: string[]) => ({ values: words.map((value) => ({ value })) });
  const specification: SpecificationFile = {
    terraform_provider_config: { resource_type: "entry" },
    panos_xpath: { path: ["x"] },
    locations: [{ xpath: { path: ["config", "shared"] } }],
    spec: {
      params: [
        { name: "same", type: "enum", spec: values("p", "q") },
        { name: "other", type: "string", validators: [{ type: "length", spec: { max: 20 } }] },
        { name: "free", type: "string" },
        { name: "missing", type: "bool" },
      ],
      variants: ["a", "b"].map((name) => ({ name, type: "object" })),
    },
  };
  const fields = buildFields({ root: { shared: { x: { same: "p|q|old", other: "64c" } } }, types: {} });
  const shapeWith = (choice: string) =>
    buildShape({ root: { $: "container", shared: { $: "container", x: { $: "list", "a, b": `container${choice}` } } }, types: {} });
  const path = "config/shared/x/entry";
  const specifications = () => readSpecifications([specification]);
  expect(compareTables(specifications(), fields, shapeWith(" choice=k"))).toEqual({
    values: {
      same: 1,
      differences: [
        { path: `${path}/other`, specified: "20c", known: "64c" },
        { path: `${path}/missing`, specified: "yes-no", known: undefined },
      ],
    },
    alternatives: { same: 1, differences: [] },
    undecided: [`${path}/free`],
  });
  expect(compareTables(specifications(), fields, shapeWith("")).alternatives).toEqual({
    same: 0,
    differences: [{ path, specified: "a, b", known: "a=none b=none" }],
  });
});
