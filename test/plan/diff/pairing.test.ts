import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TreeNode } from "../../../src/core/tree/node.js";
import { DesiredNode } from "../../../src/desired/model.js";
import { pairChildren } from "../../../src/plan/diff/pairing.js";

const names = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 40 });
const facts = { origin: -1, prunes: true, declared: true };
const wantedNode = (name: string): DesiredNode => new DesiredNode("entry", name, "", [], facts);

describe("pairChildren", () => {
  it("finds exactly the counterparts by name, in any order", () => {
    fc.assert(
      fc.property(names, names, (wanted, found) => {
        const { positions, unclaimed, duplicates } = pairChildren(
          wanted.map(wantedNode),
          found.map((name) => new TreeNode("entry", name)),
          0,
        );
        expect([...positions]).toEqual(wanted.map((name) => found.indexOf(name)));
        expect(unclaimed.map((position) => found[position])).toEqual(found.filter((name) => !wanted.includes(name)));
        expect(duplicates.size).toBe(0);
      }),
    );
  });

  it("reports every further node with the same key", () => {
    fc.assert(
      fc.property(names, fc.array(fc.integer({ min: 0, max: 12 }).map(String), { maxLength: 20 }), (wanted, found) => {
        const { positions, duplicates } = pairChildren(
          wanted.map(wantedNode),
          found.map((name) => new TreeNode("entry", name)),
          0,
        );
        const twins = new Set(found.filter((name, index) => found.indexOf(name) !== index));
        expect(new Set([...duplicates].map((position) => found[position]))).toEqual(twins);
        for (const [index, position] of positions.entries()) if (position >= 0) expect(found[position]).toBe(wanted[index]);
        expect([...positions].filter((position) => position >= 0).length).toBe(wanted.filter((name) => found.includes(name)).length);
      }),
    );
  });

  it("pairs desired duplicates with the live ones in order", () => {
    const wanted = ["x", "b", "a", "a"].map(wantedNode);
    const found = ["a", "q", "r", "s", "t", "u", "v", "w", "z", "y", "a", "b"].map((name) => new TreeNode("entry", name));
    const { positions, duplicates } = pairChildren(wanted, found, 0);
    expect([...positions]).toEqual([-1, 11, 0, 10]);
    expect(duplicates.size).toBe(0);
  });

  it("keeps the order of duplicates of which one was paired early", () => {
    const found = ["b", "a", "b"].map((name) => new TreeNode("entry", name));
    expect([...pairChildren(["a", "b", "b"].map(wantedNode), found, 0).positions]).toEqual([1, 0, 2]);
  });

  it("pairs duplicates on both sides in order, and reports the remaining ones", () => {
    const key = fc.tuple(fc.constantFrom("entry", "entry", "group", "leaf"), fc.constantFrom(..."abcdefghijklmnopqr"));
    const keys = fc.array(key, { maxLength: 30, size: "max" });
    const ofKey = (each: readonly TreeNode[]): string[] => each.map(({ tag, name }) => `${tag} ${name}`);
    let twins = 0;
    fc.assert(
      fc.property(keys, keys, (wanted, found) => {
        const named = ([tag, name]: [string, string]): [string, string | undefined] => [tag, tag === "leaf" ? undefined : name];
        const live = found.map((each) => new TreeNode(...named(each)));
        const declared = wanted.map(named).map(([tag, name]) => new DesiredNode(tag, name, "", [], facts));
        const { positions, unclaimed, duplicates } = pairChildren(declared, live, 0);
        const [wantedKeys, liveKeys] = [ofKey(declared), ofKey(live)];
        for (const each of new Set(wantedKeys)) {
          const theirs = [...positions].filter((at, index) => wantedKeys[index] === each && at !== -1);
          expect(theirs).toEqual(theirs.toSorted((a, b) => a - b));
          const [want, have] = [wantedKeys, liveKeys].map((all) => all.filter((one) => one === each).length) as [number, number];
          expect(theirs.length).toBe(Math.min(want, have));
          expect(theirs.every((at) => liveKeys[at] === each)).toBe(true);
          if (want > 1 && have > 1) twins += 1;
        }
        expect(unclaimed).toEqual([...live.keys()].filter((at) => !positions.includes(at)));
        const isTwin = (at: number): boolean =>
          [...positions].some((other) => other !== -1 && liveKeys[other] === liveKeys[at]) ||
          unclaimed.some((other) => other < at && liveKeys[other] === liveKeys[at]);
        expect([...duplicates].sort((a, b) => a - b)).toEqual(unclaimed.filter(isTwin));
      }),
      { numRuns: 500 },
    );
    expect(twins).toBeGreaterThan(100);
  });
});
