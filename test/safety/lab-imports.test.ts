import { expect, it } from "vitest";
import { importsOf, roomOf } from "../architecture/imports.js";

/** Rooms of the product. A lab that shares their tables and normalisers repeats their faults, and its tests cannot show them. */
const PRODUCT = new Set(["desired", "engine", "plan", "targets"]);

it("the labs import nothing of the product", () => {
  const imports = importsOf("src").filter(({ from, to }) => roomOf(from) === "lab" && PRODUCT.has(roomOf(to)));
  expect(imports.map(({ from, to }) => `${from} ${to}`)).toEqual([]);
});

it("the lab firewall reads none of the product's tables", () => {
  const tables = importsOf("src").filter(({ from, to }) => from.startsWith("lab/panos/") && /core\/(package-file|tree\/shape)/.test(to));
  expect(tables.map(({ from, to }) => `${from} ${to}`)).toEqual([]);
});
