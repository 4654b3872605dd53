import { describe, expect, it } from "vitest";
import { buildShape } from "../../../src/core/tree/shape-table.js";

const TABLE = {
  root: "@root",
  types: {
    root: {
      rules: "@rules empty=present",
      "a, b": "leaf default=no",
      "*-box": { $use: ["common"], own: "members match refs=x,y reserved=any", $then: ["tail"] },
      self: "@root",
    },
    rules: {
      $: "list ordered uuid defines=rule namespace=n refs=z structural scope",
      name: "leaf secret",
      group: { one: "leaf choice=g", two: "members choice=g" },
    },
    common: { first: "leaf", own: "leaf" },
    tail: { last: "leaf equality=cidr" },
  },
  anywhere: { "*rules": "@rules", phash: "leaf secret" },
} as const;

const shape = buildShape(TABLE);

describe("buildShape", () => {
  it("assigns flags to the list or to its entries", () => {
    const rules = shape.child("rules");
    expect(rules).toMatchObject({
      kind: "list",
      ordered: true,
      uuid: true,
      defines: "rule",
      namespace: "n",
      references: [],
      structural: false,
      scope: false,
    });
    expect(rules.emptyIsAbsent).toBe(false);
    const entry = rules.child("entry");
    expect(entry).toMatchObject({
      kind: "entry",
      ordered: false,
      structural: true,
      scope: true,
      references: ["z"],
      defines: undefined,
      uuid: false,
    });
    expect(entry.knownTags).toEqual(["name", "group"]);
    expect(rules.child("other").kind).toBe("unknown");
  });

  it("shares rows between tags, expands types, and uses the first position", () => {
    expect(shape.child("b").default).toBe("no");
    const box = shape.child("tool-box");
    expect(box.knownTags).toEqual(["first", "own", "last"]);
    expect(box.child("own")).toMatchObject({ kind: "members", matchList: true, references: ["x", "y"], emptyIsAbsent: false });
    expect(box.child("own").reserved.has("any")).toBe(true);
    expect(box.child("last").equality).toBe("cidr");
    expect(box.child("own").child("member").kind).toBe("leaf");
  });

  it("supports recursive types, with one shape per path", () => {
    expect(shape.child("self").child("self").child("a").default).toBe("no");
    expect(shape.child("self")).toBe(shape.child("self"));
  });

  it("defines the meaning of an empty element", () => {
    const group = shape.child("rules").child("entry").child("group");
    expect([group.emptyIsAbsent, group.child("two").emptyIsAbsent]).toEqual([false, false]);
    expect(shape.child("never").child("my-rules").emptyIsAbsent).toBe(true);
  });

  it("matches some tags at any depth", () => {
    expect(shape.child("never").child("phash").secret).toBe(true);
    expect(shape.child("phash").secret).toBe(true);
    expect(shape.child("never").child("__proto__")).toMatchObject({ kind: "unknown", knownTags: [] });
    expect(shape.child("constructor").kind).toBe("unknown");
  });

  it.each([
    ["leaf sceret", /unknown flag "sceret"/],
    ["leaves", /does not begin with/],
    ["@nothing", /no type "nothing"/],
    ["leaf equality=roughly", /unknown equality/],
  ])("refuses the row %j", (row, message) => {
    expect(() => buildShape({ root: { x: row }, types: {} }).child("x")).toThrow(message);
  });
});

describe("alternatives at places that the table does not know", () => {
  const table = {
    root: "@config",
    types: {
      config: { shared: { known: "leaf" }, template: { $: "list", config: "@config" } },
    },
    anywhere: { secret: "leaf secret", "*-ref": "leaf refs=thing" },
  };
  const shape = buildShape(table, {
    "shared/deep/entry": ["one, other", "secret, open"],
    "shared/deep/entry/one": ["a-ref, b"],
    shared: ["known, more"],
  });
  const at = (...tags: string[]) => tags.reduce((place, tag) => place.child(tag), shape);

  it("are known by their path, also below a template", () => {
    for (const deep of [at("shared", "deep"), at("template", "entry", "config", "shared", "deep")]) {
      const choices = ["one", "other", "third"].map((tag) => deep.child("entry").child(tag).choice);
      expect(choices).toEqual(["one, other", "one, other", undefined]);
      expect(deep.child("entry").child("one").child("b").choice).toBe("a-ref, b");
    }
    expect(at("shared", "deep", "entry", "one")).toBe(at("shared", "deep", "entry", "one"));
    expect(at("deep", "entry", "one").choice).toBeUndefined();
    expect(at("shared", "elsewhere", "one").choice).toBeUndefined();
  });

  it("do not change rows of the table, and a secret stays one", () => {
    expect([at("shared", "known").kind, at("shared", "known").choice]).toEqual(["leaf", undefined]);
    expect(at("shared", "deep", "entry", "secret").secret).toBe(true);
    expect([at("shared", "deep", "entry", "one", "a-ref").kind, at("shared", "other-ref").kind]).toEqual(["unknown", "leaf"]);
  });
});
