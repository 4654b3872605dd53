import { describe, expect, it } from "vitest";
import type { Shape } from "../../../src/core/tree/shape.js";
import { openstackShape } from "../../../src/targets/openstack/shape.js";
import { fieldsOf, namesAfter, objectLists, rowOf } from "../field-table.js";

/** The effect of a change of a field, in the order of the table's columns. */
type Fate = "in place" | "resize" | "rebuild" | "replacement" | "create alone" | "read only";
const FATES: readonly Fate[] = ["in place", "resize", "rebuild", "replacement", "create alone", "read only"];

function fateOf(shape: Shape): Fate {
  if (shape.readOnly === true) return "read only";
  if (shape.createOnly === true && shape.immutable !== true && shape.losing === undefined) return "create alone";
  if (shape.interrupts !== undefined) return shape.interrupts as Fate;
  if (shape.rebuilt === true) return "rebuild";
  return shape.immutable === true ? "replacement" : "in place";
}

const everywhere = namesAfter("Read only everywhere: ");

describe("the table of fields in docs/clouds.md", () => {
  it.each(objectLists(openstackShape()))("documents each field of %s", (kind, entry) => {
    const fields = fieldsOf(entry).filter((tag) => !everywhere.includes(tag));
    expect(rowOf(kind)).toEqual(FATES.map((fate) => fields.filter((tag) => fateOf(entry.child(tag)) === fate).sort()));
    expect(everywhere.filter((tag) => entry.knownTags.includes(tag) && entry.child(tag).readOnly !== true)).toEqual([]);
  });

  it("contains each list that is never read separately", () => {
    const root = openstackShape();
    const readAlone = root.knownTags.filter((tag) => root.child(tag).readOnly === true);
    expect([...objectLists(root).map(([kind]) => kind), ...readAlone].sort()).toEqual([...root.knownTags, "subnets"].sort());
    expect(objectLists(root)).toHaveLength(12);
  });
});
