import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyHouse, put } from "./house.js";
import { type Import, importsOf, roomOf } from "./imports.js";

const arrow = ({ from, to }: Import): string => `${from} > ${to}`;

/** Imports of the flow calculation that are neither its own files nor `core`. */
function outsideFlows(root: string): readonly string[] {
  const isFlows = (file: string): boolean => file.startsWith("reachability/flows/");
  return importsOf(root)
    .filter(({ from, to }) => isFlows(from) && !isFlows(to) && roomOf(to) !== "core")
    .map(arrow);
}

describe("the room of reachability", () => {
  it("calculates flows without plans, documents and targets", () => {
    expect(outsideFlows("src")).toEqual([]);
  });

  it("is checked: an import of a type of the planner is found", () => {
    const house = emptyHouse();
    put(house, "src/reachability/flows/a.ts", 'import type { Plan } from "../../plan/model.js";\n');
    expect(outsideFlows(join(house, "src"))).toEqual(["reachability/flows/a.ts > plan/model.ts"]);
  });
});
