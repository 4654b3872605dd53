import { expect, it } from "vitest";
import { importsOf, roomOf } from "../architecture/imports.js";

/** Rooms of the product. A lab that shares their tables and normalisers repeats their faults, and its tests cannot show them. */
const PRODUCT = new Set(["desired", "engine", "plan", "targets"]);

/** Imports that remain to be removed. */
const REMAINING = [
  "lab/panos/tree/place.ts targets/panos/shape.ts",
  "lab/panos/validation/on-commit.ts targets/panos/shape.ts",
];

it("the labs import nothing of the product except the listed modules", () => {
  const imports = importsOf("src").filter(({ from, to }) => roomOf(from) === "lab" && PRODUCT.has(roomOf(to)));
  expect([...new Set(imports.map(({ from, to }) => `${from} ${to}`))].sort()).toEqual(REMAINING);
});
