import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyHouse, put } from "./house.js";
import { type Import, importsOf, roomOf } from "./imports.js";

/** Files of a kind that may import another kind: Contrail gets its tokens from an OpenStack target. */
const TOKENS: ReadonlySet<string> = new Set(["targets/contrail/connections.ts", "targets/contrail/settings.ts"]);

const arrow = ({ from, to }: Import): string => `${from} > ${to}`;

/** Imports of the flow calculation that are neither its own files nor `core`. */
function outsideFlows(root: string): readonly string[] {
  const isFlows = (file: string): boolean => file.startsWith("reachability/flows/");
  return importsOf(root)
    .filter(({ from, to }) => isFlows(from) && !isFlows(to) && roomOf(to) !== "core")
    .map(arrow);
}

/** Imports of one kind of target by another. The kind `memory` is a firewall in a file, so it has the shape of PAN-OS. */
function betweenKinds(root: string): readonly string[] {
  const kindOf = (file: string): string | undefined => /^targets\/([^/]+)\//.exec(file)?.[1];
  return importsOf(root)
    .filter(({ from, to }) => kindOf(from) !== undefined && kindOf(to) !== undefined && kindOf(from) !== kindOf(to))
    .filter(({ from }) => kindOf(from) !== "memory" && !TOKENS.has(from))
    .map(arrow);
}

describe("the room of reachability", () => {
  it("calculates flows without plans, documents and targets", () => {
    expect(outsideFlows("src")).toEqual([]);
  });

  it("gives the kinds what they share, so that no kind imports another", () => {
    expect(betweenKinds("src")).toEqual([]);
  });

  it("is checked: a wrong import of each sort is found", () => {
    const house = emptyHouse();
    put(house, "src/reachability/flows/a.ts", 'import type { Plan } from "../../plan/model.js";\n');
    put(house, "src/targets/contrail/policy/b.ts", 'import { flowsIn } from "../../openstack/policy/flows.js";\n');
    expect(outsideFlows(join(house, "src"))).toEqual(["reachability/flows/a.ts > plan/model.ts"]);
    expect(betweenKinds(join(house, "src"))).toEqual(["targets/contrail/policy/b.ts > targets/openstack/policy/flows.ts"]);
  });
});
