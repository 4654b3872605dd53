import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { childAt } from "../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { DesiredNode, type Handling } from "../../../src/desired/model.js";
import { ledgerExtras } from "../../../src/plan/diff/ledger-rows.js";
import { shape } from "./trees.js";

/** The rule of docs/ownership.md for one row after another. Only deletions are kept between rows. */
function extrasByRow(rows: readonly string[], desired: DesiredNode, live: TreeNode): string[] {
  const gone = new Set<TreeNode>();
  return rows.filter((row) => {
    const steps = parsePath(row).steps().slice(1);
    if (!mayDelete(steps, desired)) return false;
    let node: TreeNode | undefined = live;
    for (const step of steps) {
      node = childAt(node, step);
      if (node === undefined || gone.has(node)) return false;
    }
    gone.add(node);
    return true;
  });
}

function mayDelete([step, ...more]: readonly Path[], node: DesiredNode): boolean {
  if (step === undefined || node.handling?.ignored === true || node.handling?.keep === true) return false;
  const next = childAt(node, step);
  if (next !== undefined) return mayDelete(more, next);
  return !node.prunes && !(step.name !== undefined && node.children.some(({ handling }) => handling?.was === step.name));
}

const NAMES = [..."abcdefghijklmnop", "it's", "a'", "'", 'x"', `b'"`, "a']/fqdn", "é", "￿", "longer"];
const name = fc.constantFrom(...NAMES);
const names = fc.oneof(fc.array(name, { maxLength: 5 }), fc.shuffledSubarray(NAMES), fc.array(name, { minLength: 12, maxLength: 30 }));
const tag = fc.oneof({ weight: 9, arbitrary: fc.constant("entry") }, { weight: 1, arbitrary: fc.constantFrom("a", "entrz") });

function entry(entryName: string, entryTag: string, children: readonly TreeNode[] = [new TreeNode("fqdn", undefined, "f")]): TreeNode {
  return new TreeNode(entryTag, entryName, "", children);
}

/** `config/vsys/entry/address` and `.../rules`, whose entries may hold a list again. */
const liveEntries = fc.array(
  fc.tuple(name, tag, fc.option(names)).map(([n, t, inner]) =>
    entry(
      n,
      t,
      inner === null
        ? undefined
        : [
            new TreeNode(
              "group",
              undefined,
              "",
              inner.map((each) => entry(each, "entry")),
            ),
          ],
    ),
  ),
  { maxLength: 25, size: "max" },
);

const handling = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: name.map((was): Handling => ({ was })) },
  { weight: 1, arbitrary: fc.constantFrom<Handling>({ ignored: true }, { keep: true }) },
);

function wanted(t: string, n: string | undefined, children: readonly DesiredNode[], prunes: boolean, said?: Handling): DesiredNode {
  return new DesiredNode(t, n, "", children, { origin: -1, prunes, declared: true, handling: said });
}

const wantedEntries = (from: readonly TreeNode[]): fc.Arbitrary<DesiredNode[]> => {
  const inner = fc.option(fc.tuple(names, fc.boolean()));
  const fresh = fc.tuple(name, tag, handling, fc.boolean(), inner);
  const made = fresh.map(([n, t, said, prunes, list]) =>
    wanted(
      t,
      n,
      list === null
        ? []
        : [
            wanted(
              "group",
              undefined,
              list[0].map((each) => wanted("entry", each, [], true)),
              list[1],
            ),
          ],
      prunes,
      said,
    ),
  );
  // Mostly the live entries with some removed and others inserted.
  const kept = fc.subarray([...from]).map((nodes) => nodes.map((node) => wanted(node.tag, node.name, [], true)));
  return fc.oneof(
    fc.array(made, { maxLength: 25, size: "max" }),
    kept,
    fc.tuple(kept, fc.array(made, { maxLength: 4 })).map((both) => both.flat()),
  );
};

type Drawn = typeof trees extends fc.Arbitrary<infer Trees> ? Trees : never;

const trees = fc
  .tuple(liveEntries, liveEntries)
  .chain(([addresses, rules]) =>
    fc.tuple(
      fc.constant([addresses, rules] as const),
      wantedEntries(addresses),
      wantedEntries(rules),
      fc.tuple(fc.boolean(), fc.boolean(), handling, fc.boolean()),
    ),
  );

const VSYS = Path.root.child("config").child("vsys").entry("v");
const row = fc
  .tuple(fc.constantFrom("address", "rules"), name, tag, fc.constantFrom("", "", "", "/fqdn", "/group"), fc.option(name))
  .map(([list, n, t, below, inner]) => {
    const path = VSYS.child(list).entry(n, t);
    if (below === "") return path.toString();
    return (inner === null || below === "/fqdn" ? path.child(below.slice(1)) : path.child("group").entry(inner)).toString();
  });
const ledgers = fc.uniqueArray(row, { maxLength: 120, size: "max" });

describe("ledgerExtras", () => {
  const judge = (ledger: readonly string[], [live, addresses, rules, facts]: Drawn): [string[], string[]] => {
    const [areAddressesClosed, areRulesClosed, said, isThere] = facts;
    const lists = [new TreeNode("address", undefined, "", live[0]), new TreeNode("rules", undefined, "", live[1])];
    const found = new TreeNode("config", undefined, "", [
      new TreeNode("vsys", undefined, "", [entry("v", "entry", isThere ? lists : lists.slice(1))]),
    ]);
    const declared = [wanted("address", undefined, addresses, areAddressesClosed, said), wanted("rules", undefined, rules, areRulesClosed)];
    const desired = wanted("config", undefined, [wanted("vsys", undefined, [wanted("entry", "v", declared, false)], false)], false);
    const extras = ledgerExtras({ ledger, desired, live: found, shape, secretState: () => "equal" });
    return [extras.map(({ path }) => path.toString()), extrasByRow([...ledger].sort(), desired, found)];
  };

  it("finds the same as a search per row", () => {
    let sum = 0;
    fc.assert(
      fc.property(ledgers, trees, (ledger, drawn) => {
        const [found, expected] = judge([...ledger].sort(), drawn);
        expect(found).toEqual(expected);
        sum += found.length;
      }),
      { numRuns: 400 },
    );
    expect(sum).toBeGreaterThan(400);
  });

  it("finds the same in an unsorted ledger", () => {
    fc.assert(
      fc.property(ledgers, trees, (ledger, drawn) => {
        const [found, expected] = judge(ledger, drawn);
        expect(found).toEqual(expected);
      }),
    );
  });

  it("finds rows of a list whose elements have another tag than the entries", () => {
    const rows = ["first", "longer"].map((each) => VSYS.child("address").entry(each, "a").toString());
    const nodes = ["first", "longer"].map((each) => entry(each, "a"));
    const drawn: Drawn = [[nodes, []], [wanted("a", "first", [], true)], [], [false, false, undefined, true]];
    const ledger = [...rows, VSYS.child("address").entry("other").toString()];
    expect(judge(ledger, drawn)).toEqual([[rows[1]], [rows[1]]]);
  });
});
