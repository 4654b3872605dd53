import { describe, expect, it } from "vitest";
import type { Shape } from "../../../src/core/tree/shape.js";
import { contrailShape } from "../../../src/targets/contrail/shape.js";
import { fieldsOf, namesAfter, objectLists, rowOf } from "../field-table.js";

/** In the order of the table's columns. */
const FATES = ["in place", "replacement", "read only"] as const;

function fateOf(shape: Shape): (typeof FATES)[number] {
  if (shape.readOnly === true) return "read only";
  return shape.immutable === true ? "replacement" : "in place";
}

const everywhere = namesAfter("Read only in each: ");
const root = contrailShape();
const network = root.child("virtual-networks").child("entry");
const subnet = network.child("network_ipam_refs").child("entry").child("ipam_subnets").child("entry");
const KINDS: (readonly [string, Shape])[] = [...objectLists(root), ["ipam_subnets", subnet]];

/** Tags of fields that cannot be changed in place, at any depth. */
function fixedBelow(shape: Shape): string[] {
  return shape.knownTags.flatMap((tag) => {
    const child = shape.child(tag);
    const inner = child.kind === "list" ? child.child("entry") : child;
    return [...(child.immutable === true ? [tag] : []), ...fixedBelow(inner)];
  });
}

describe("the table of fields of a controller in docs/clouds.md", () => {
  it.each(KINDS)("documents each field of %s", (kind, entry) => {
    const fields = fieldsOf(entry).filter((tag) => !everywhere.includes(tag));
    expect(rowOf(kind)).toEqual(FATES.map((fate) => fields.filter((tag) => fateOf(entry.child(tag)) === fate).sort()));
    expect(everywhere.filter((tag) => entry.knownTags.includes(tag) && entry.child(tag).readOnly !== true)).toEqual([]);
  });

  it("contains each list that is never read separately, and all fields that cannot be changed", () => {
    expect([...objectLists(root).map(([kind]) => kind), "projects"].sort()).toEqual([...root.knownTags].sort());
    const told = new Set(KINDS.flatMap(([kind]) => rowOf(kind)?.[1] ?? []));
    expect([...new Set(fixedBelow(root))].filter((tag) => !told.has(tag))).toEqual([]);
  });
});
