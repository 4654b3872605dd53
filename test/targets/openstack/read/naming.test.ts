import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Birth, callObjects } from "../../../../src/targets/openstack/read/naming.js";

const mark = (key: string, owner = "netops") => ({ owner, key });
const R = { run: "r", account: "u" };
const BIRTH = { at: "", isHalfMade: false, maker: undefined };
const plain = (id: string, name: string) => ({ id, name, mark: undefined, birth: BIRTH });
const ours = (id: string, birth: Partial<Birth> = {}) => ({ id, name: "web", mark: mark("web"), birth: { ...BIRTH, ...birth } });

describe("names of entries", () => {
  it.each([
    ["by name", [plain("11111111-1", "web")], ["web"]],
    ["by id without a name", [plain("11111111-1", "")], ["11111111-1"]],
    ["by name and id where they share it", [plain("11111111-1", "web"), plain("22222222-2", "web")], ["web~11111111", "web~22222222"]],
    ["by the key of their mark", [{ id: "11111111-1", name: "renamed", mark: mark("web"), birth: BIRTH }], ["web"]],
    [
      "by their mark beside others of that name",
      [plain("11111111-1", "web"), { id: "22222222-2", name: "x", mark: mark("web"), birth: BIRTH }],
      ["web~11111111", "web"],
    ],
    [
      "apart where two marks name one key",
      [
        { id: "11111111-1", name: "web", mark: mark("web"), birth: BIRTH },
        { id: "22222222-2", name: "web", mark: mark("web", "others"), birth: BIRTH },
      ],
      ["web~11111111", "web~22222222"],
    ],
  ])("%s", (_, objects, names) => {
    expect([...callObjects(objects).values()].map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ["a finished one before one that is only born", ours("1", { at: "1", isHalfMade: true }), ours("2", { at: "2" }), "half-made"],
    ["the older of one run and account", ours("1", { at: "2", maker: R }), ours("2", { at: "1", maker: R }), "half-made"],
    [
      "the older of two runs of one account",
      ours("1", { at: "2", maker: R }),
      ours("2", { at: "1", maker: { ...R, run: "s" } }),
      "of-our-account",
    ],
    [
      "the older of two that somebody may use",
      ours("1", { at: "2", maker: R }),
      ours("2", { at: "1", maker: { run: "s", account: "v" } }),
      "whole",
    ],
  ])("by the key of one mark that two carry: %s has it", (_, younger, elder, twin) => {
    expect([...callObjects([younger, elder]).values()]).toEqual([
      { name: "web~1", shared: "web", twin, isHalfMade: younger.birth.isHalfMade },
      { name: "web", shared: undefined, twin: undefined, isHalfMade: false },
    ]);
  });

  it("come from a mark that two carry: the one in the ledger has it, although it is newer", () => {
    const called = callObjects([ours("1", { at: "1", maker: R }), ours("2", { at: "2", maker: { ...R, run: "s" } })], new Set(["2"]));
    expect([...called.values()]).toMatchObject([{ name: "web~1", twin: "of-our-account" }, { name: "web" }]);
  });

  it("are unique, and those that share one are marked", () => {
    const objects = fc.uniqueArray(
      fc.record({
        id: fc.uuid(),
        name: fc.constantFrom("", "web", "db"),
        mark: fc.option(fc.record({ owner: fc.constantFrom("a", "b"), key: fc.constantFrom("web", "app") }), { nil: undefined }),
        birth: fc.constant(BIRTH),
      }),
      { selector: ({ id }) => id.slice(0, 8) },
    );
    fc.assert(
      fc.property(objects, (some) => {
        const called = [...callObjects(some).values()];
        expect(new Set(called.map(({ name }) => name)).size).toBe(some.length);
        for (const { name, shared } of called) expect(shared === undefined || name.startsWith(`${shared}~`)).toBe(true);
      }),
    );
  });
});
