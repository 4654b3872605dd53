import { describe, expect, it } from "vitest";
import { Path } from "../../../src/core/tree/path.js";
import { panosKind } from "../../../src/targets/panos/kind.js";

describe("panosKind", () => {
  it("has a firewall's root and scopes", () => {
    expect([panosKind.kind, panosKind.rootTag]).toEqual(["panos", "config"]);
    expect(panosKind.place("vsys2")?.name).toBe("vsys2");
    expect(panosKind.shape.child("devices").kind).toBe("list");
  });

  const vsys = panosKind.place("vsys1") ?? Path.root;
  const rules = vsys.child("rulebase").child("security").child("rules");
  it.each([
    [vsys.child("address"), "web-1 a.b_c", true],
    [vsys.child("address"), "x".repeat(63), true],
    [vsys.child("address"), "x".repeat(64), false],
    [vsys.child("address"), "any", false],
    [vsys.child("address"), "it's", false],
    [vsys.child("zone"), "multicast", false],
    [vsys.child("tag"), "größe/1", true],
    [rules, "intrazone-default", false],
    [vsys.child("anything-else"), "it's ${fine}", true],
  ])("%s takes %j: %s", (list, name, taken) => {
    expect(panosKind.checkName?.(list, name) === undefined).toBe(taken);
  });
});
