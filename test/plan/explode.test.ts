import { describe, expect, it } from "vitest";
import { find, shapeAt } from "../../src/core/tree/lookup.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { writeXml } from "../../src/core/tree/xml/write.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { explodeEdit } from "../../src/plan/explode.js";
import { tree } from "./support/planned.js";
import { applyAll } from "./support/platform.js";
import { smallShape } from "./support/shape.js";

const place = (list: string, entries: string): TreeNode =>
  tree(`<config><vsys><entry name="v1"><${list}>${entries}</${list}></entry></vsys></config>`);

function explode(list: string, live: string, wanted: string, canMove = true) {
  const at = parsePath(`/config/vsys/entry[@name='v1']/${list}`);
  const root = place(list, live);
  const element = find(place(list, wanted), at) as TreeNode;
  const operations = explodeEdit({ action: "edit", at, element }, find(root, at) as TreeNode, shapeAt(at, smallShape), canMove);
  const after = operations === undefined ? undefined : applyAll(root, operations, () => undefined);
  return { operations, after: after === undefined ? undefined : writeXml(after, { secrets: "label" }) };
}

const address = (name: string, ip: string): string => `<entry name="${name}"><ip>${ip}</ip></entry>`;

describe("explodeEdit", () => {
  it("sets new and different parts, and deletes undesired ones", () => {
    const wanted = address("a", "10.0.0.9") + address("b", "10.0.0.2") + address("n", "10.0.0.3");
    const { operations, after } = explode(
      "address",
      address("a", "10.0.0.1") + address("b", "10.0.0.2") + address("old", "10.0.0.4"),
      wanted,
    );
    expect(operations?.map(({ action }) => action)).toEqual(["set", "delete"]);
    expect(after).toBe(writeXml(place("address", wanted), { secrets: "label" }));
  });

  it("does nothing for equal parts", () => {
    expect(explode("address", address("a", "10.0.0.1"), address("a", "10.0.0.1")).operations).toEqual([]);
  });

  it("fails for an ordered list if nothing can be moved", () => {
    const rule = (name: string): string => `<entry name="${name}"><action>allow</action></entry>`;
    expect(explode("rules", rule("a"), rule("b") + rule("a"), false).operations).toBeUndefined();
    expect(explode("rules", rule("a"), rule("b") + rule("a"), true).operations).toHaveLength(1);
  });
});
