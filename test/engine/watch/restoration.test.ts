import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyOperation } from "../../../src/core/apply-operation.js";
import type { Operation } from "../../../src/core/operation.js";
import { canonicalText } from "../../../src/core/tree/canonical.js";
import { cloneTree, UndoLog } from "../../../src/core/tree/edit/edit-tree.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { WrittenRow } from "../../../src/engine/watch/open-watch.js";
import { restorationOf } from "../../../src/engine/watch/restoration.js";
import { readsOf, reopened, touchedRows, writtenRows } from "../../../src/engine/watch/rows.js";
import { panosShape } from "../../../src/targets/panos/shape.js";
import { setAddress } from "../apply/scenes.js";

const VSYS = "/config/devices/entry[@name='d']/vsys/entry[@name='vsys1']";
const ADDRESS = `${VSYS}/address`;
const RULES = `${VSYS}/rulebase/security/rules`;
const tree = (addresses: string, rules: string): TreeNode =>
  cloneTree(
    parseXml(
      `<config><devices><entry name="d"><vsys><entry name="vsys1"><address>${addresses}</address><rulebase><security><rules>${rules}</rules></security></rulebase></entry></vsys></entry></devices></config>`,
    ),
  );
const address = (name: string, ip: string) => `<entry name="${name}"><ip-netmask>${ip}</ip-netmask></entry>`;
const rule = (name: string, more = "") =>
  `<entry name="${name}"><source><member>any</member></source>${more}<action>allow</action></entry>`;
const meaning = (root: TreeNode) => canonicalText(root, panosShape());

/** A tree after operations, with the rows that a ledger keeps of them, as text that comes back. */
function written(before: TreeNode, operations: readonly Operation[]): { after: TreeNode; rows: WrittenRow[] } {
  const after = done(before, operations);
  const rows = writtenRows(touchedRows(operations), before, after, panosShape());
  return { after, rows: JSON.parse(JSON.stringify(rows)) as WrittenRow[] };
}

function done(root: TreeNode, operations: readonly Operation[]): TreeNode {
  const copy = cloneTree(root);
  for (const operation of operations) applyOperation(copy, operation, new UndoLog());
  return copy;
}

const move = (name: string, anchor: string): Operation => ({
  action: "move",
  at: parsePath(`${RULES}/entry[@name='${name}']`),
  where: "after",
  anchor,
});
const remove = (xpath: string): Operation => ({ action: "delete", at: parsePath(xpath) });

describe("rows of a commit", () => {
  const before = tree(address("a", "10.0.0.1") + address("b", "10.0.0.2"), rule("r1") + rule("r2"));

  it("contain no values", () => {
    const { rows } = written(before, [setAddress(ADDRESS, "a", "10.9.9.9"), remove(`${ADDRESS}/entry[@name='b']`), move("r1", "r2")]);
    expect(JSON.stringify(rows)).not.toContain("10.");
    expect(rows.map(({ kind }) => kind)).toEqual(["node", "node", "place"]);
    expect(rows[1]).toEqual({ kind: "node", at: `${ADDRESS}/entry[@name='b']`, after: "absent" });
  });

  it("name the paths to read for their evaluation", () => {
    const { rows } = written(before, [{ action: "rename", at: parsePath(`${ADDRESS}/entry[@name='a']`), newName: "z" }, move("r1", "r2")]);
    expect(readsOf(reopened(rows)).map(String)).toEqual([`${ADDRESS}/entry[@name='z']`, `${ADDRESS}/entry[@name='a']`, RULES]);
  });

  it("omit written nodes with equal meaning", () => {
    expect(written(before, [setAddress(ADDRESS, "a", "10.0.0.1")]).rows).toEqual([]);
  });
});

describe("a rollback", () => {
  const before = tree(
    address("a", "10.0.0.1") + address("b", "10.0.0.2"),
    rule("r1") + rule("r2", "<description>old</description>") + rule("r3"),
  );

  it("leaves a node that others changed since, and reverts the rest of its entry", () => {
    const edited = parseXml(rule("r2", "<description>new</description><disabled>yes</disabled>"));
    const { after, rows } = written(before, [{ action: "edit", at: parsePath(`${RULES}/entry[@name='r2']`), element: edited }]);
    const theirs: Operation = {
      action: "set",
      at: parsePath(`${RULES}/entry[@name='r2']`),
      element: new TreeNode("description", undefined, "hers"),
    };
    const current = done(after, [theirs]);
    const { operations, left } = restorationOf(rows, before, current, panosShape());
    expect(left).toEqual([{ xpath: `${RULES}/entry[@name='r2']/description`, why: "it was changed since" }]);
    const outcome = meaning(done(current, operations));
    expect(outcome).toBe(meaning(done(before, [theirs])));
  });

  it("puts a deleted rule back in its place, next to rules that others added", () => {
    const { after, rows } = written(before, [remove(`${RULES}/entry[@name='r2']`)]);
    const current = cloneTree(after);
    applyOperation(current, { action: "set", at: parsePath(RULES), element: parseXml(rule("hers")) }, new UndoLog());
    const { operations, left } = restorationOf(rows, before, current, panosShape());
    expect(left).toEqual([]);
    expect(meaning(done(current, operations)).match(/name="(r\d|hers)"/g)).toEqual(['name="r1"', 'name="r2"', 'name="r3"', 'name="hers"']);
  });

  it("leaves a rule that others moved since", () => {
    const { after, rows } = written(before, [move("r1", "r3")]);
    const current = done(after, [move("r1", "r2")]);
    expect(restorationOf(rows, before, current, panosShape()).left).toEqual([
      { xpath: `${RULES}/entry[@name='r1']`, why: "it was moved since" },
    ]);
  });

  it("is empty once it was done", () => {
    const operations: Operation[] = [
      { action: "rename", at: parsePath(`${ADDRESS}/entry[@name='a']`), newName: "z" },
      setAddress(ADDRESS, "z", "10.9.9.9"),
      move("r1", "r3"),
    ];
    const { after, rows } = written(before, operations);
    const restored = done(after, restorationOf(rows, before, after, panosShape()).operations);
    expect(meaning(restored)).toBe(meaning(before));
    expect(restorationOf(rows, before, restored, panosShape())).toMatchObject({ operations: [], left: [] });
  });

  it("restores any tree after any operations, including the order", () => {
    const names = fc.constantFrom("a", "b", "c", "d");
    const ips = fc.integer({ min: 1, max: 4 }).map((last) => `10.0.0.${last}`);
    const entries = fc.uniqueArray(fc.tuple(names, ips), { selector: ([name]) => name });
    const steps = fc.array(fc.tuple(fc.constantFrom("set", "delete", "move", "drop-rule", "edit"), names, names, ips), { maxLength: 8 });
    fc.assert(
      fc.property(entries, fc.uniqueArray(names), steps, (addresses, rules, wishes) => {
        const root = tree(addresses.map(([name, ip]) => address(name, ip)).join(""), rules.map((name) => rule(name)).join(""));
        const operations: Operation[] = [];
        const now = cloneTree(root);
        for (const [what, name, other, ip] of wishes) {
          const operation = operationOf(what, name, other, ip);
          try {
            applyOperation(now, operation, new UndoLog());
            operations.push(operation);
          } catch {
            // Operations that are impossible here are not part of a plan.
          }
        }
        const { after, rows } = written(root, operations);
        const { operations: back, left } = restorationOf(rows, root, after, panosShape());
        expect(left).toEqual([]);
        expect(meaning(done(after, back))).toBe(meaning(root));
      }),
    );
  });
});

function operationOf(what: string, name: string, other: string, ip: string): Operation {
  switch (what) {
    case "delete":
      return remove(`${ADDRESS}/entry[@name='${name}']`);
    case "move":
      return move(name, other);
    case "drop-rule":
      return remove(`${RULES}/entry[@name='${name}']`);
    case "edit":
      return {
        action: "edit",
        at: parsePath(`${ADDRESS}/entry[@name='${name}']`),
        element: parseXml(`<entry name="${name}"><fqdn>h${ip}</fqdn></entry>`),
      };
    default:
      return setAddress(ADDRESS, name, ip);
  }
}
