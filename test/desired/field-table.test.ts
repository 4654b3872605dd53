import { describe, expect, it } from "vitest";
import { Path } from "../../src/core/tree/path.js";
import { buildFields, type FieldTable, fieldAt, placeAt } from "../../src/desired/field-table.js";

const table = (root: object, types: object = {}) => buildFields({ root, types } as FieldTable);
const at = (...tags: string[]): Path => tags.reduce((path, tag) => path.child(tag), Path.root.child("config"));

describe("a table of fields", () => {
  it("describes the value of each row", () => {
    const root = table({
      "enabled, disabled": "yes-no",
      action: "allow|deny",
      one: "|only",
      port: "1..65535",
      metric: "..16",
      any: "..",
      rate: "decimal:-0.5..2.5",
      text: "63c",
      ports: "ports 1023c",
    });
    const row = (tag: string) => fieldAt(root, at(tag));
    expect(row("disabled")).toEqual({ words: ["yes", "no"] });
    expect(row("action")).toEqual({ words: ["allow", "deny"] });
    expect(row("one")).toEqual({ words: ["only"] });
    expect(row("port")).toEqual({ number: "whole", from: 1, to: 65535 });
    expect(row("metric")).toEqual({ number: "whole", to: 16 });
    expect(row("any")).toEqual({ number: "whole" });
    expect(row("rate")).toEqual({ number: "decimal", from: -0.5, to: 2.5 });
    expect(row("text")).toEqual({ longest: 63 });
    expect(row("ports")).toEqual({ form: "ports", longest: 1023 });
    expect(row("nowhere")).toBeUndefined();
  });

  it("describes list entries and members by the rows of their list", () => {
    const root = table({ address: { $: "63c", $needs: "ip|fqdn tag", ip: "address" } });
    const entry = at("address").entry("web");
    expect(fieldAt(root, entry.child("ip"))).toEqual({ form: "address" });
    expect(placeAt(root, entry)).toMatchObject({ names: { longest: 63 }, needs: [["ip", "fqdn"], ["tag"]] });
  });

  it("expands recursive types, and matches every depth below **", () => {
    const root = table(
      { $use: ["scope"], template: { config: "@config" }, role: { "**": "enable|disable", cli: "63c" } },
      { scope: { tag: "yes-no" }, config: { $use: ["scope"], template: { config: "@config" } } },
    );
    expect(fieldAt(root, at("template", "config", "template", "config", "tag"))).toEqual({ words: ["yes", "no"] });
    expect(fieldAt(root, at("role", "policies", "nat"))).toEqual({ words: ["enable", "disable"] });
    expect(fieldAt(root, at("role", "cli"))).toEqual({ longest: 63 });
  });

  it("marks rows that will become errors, including their subtrees", () => {
    const root = table({ a: { $soon: true, b: { c: "yes-no" } }, d: "yes-no" });
    expect(placeAt(root, at("a", "b", "c"))?.soon).toBe(true);
    expect(placeAt(root, at("d"))?.soon).toBe(false);
  });

  it("has rows of a second table at places that it does not know", () => {
    const own = { root: { x: { a: "63c", deep: { "**": "yes-no" } } }, types: {} };
    const root = buildFields(own, { root: { x: { a: "31c", b: "0..255", deep: { c: "20c" } }, y: { b: "1024c" } }, types: {} });
    const row = (...tags: string[]) => fieldAt(root, at(...tags));
    expect([row("x", "a"), row("x", "b"), row("y", "b")]).toEqual([
      { longest: 63 },
      { number: "whole", from: 0, to: 255 },
      { longest: 1024 },
    ]);
    expect(row("x", "deep", "c")).toEqual({ words: ["yes", "no"] });
    expect(root.child("x")?.child("none")).toBeUndefined();
  });

  it("is refused if it names an unknown type", () => {
    expect(() => table({ a: "@nowhere" }).child("a")).toThrow('no type "nowhere"');
  });
});
