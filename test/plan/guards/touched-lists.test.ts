import { describe, expect, it } from "vitest";
import { find } from "../../../src/core/tree/lookup.js";
import { parsePath } from "../../../src/core/tree/xpath.js";
import type { Change } from "../../../src/plan/diff/change.js";
import { touchedLists } from "../../../src/plan/guards/touched-lists.js";
import { tree } from "../support/planned.js";
import { addresses, numbered, V1, vsys } from "./support.js";

describe("an entry that is deleted and made again", () => {
  it("is one of its list, whatever it holds, and empties nothing", () => {
    const live = tree(vsys(addresses(numbered(2))));
    const path = parsePath(`${V1}/address/entry[@name='a0']`);
    const before = find(live, path);
    const after = find(tree(vsys(addresses(["a0"], () => "10.0.0.2"))), path);
    const replaced = { kind: "differs", path, before, after } as Change;
    const lists = touchedLists([replaced], live).map(({ path, live, deleted, created }) => [path.toString(), live, [...deleted], created]);
    expect(lists).toContainEqual([`${V1}/address`, 2, ["a0"], 1]);
    expect(lists.filter(([path]) => String(path).startsWith(`${V1}/address/`))).toEqual([]);
  });
});
