import { describe, expect, it } from "vitest";
import { find, shapeAt } from "../../../src/core/tree/lookup.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { adoptedRows, type Proof, rowsAfter, rowsBefore, rowsGoing, Touched } from "../../../src/engine/ledger/row-facts.js";
import type { Change } from "../../../src/plan/diff/change.js";
import { printOf } from "../../../src/plan/print.js";
import { tree } from "../../plan/support/planned.js";
import { smallShape } from "../../plan/support/shape.js";
import { smallRecord as ledger } from "./small-record.js";

const LIST = "/config/shared/address";
const at = (name: string): string => `${LIST}/entry[@name='${name}']`;
const live = tree(
  `<config><shared><address>${["a", "b", "new"].map((name) => `<entry name="${name}"><ip>10.0.0.1</ip></entry>`).join("")}</address></shared></config>`,
);
const printAt = (path: string): string => {
  const node = find(live, parsePath(path));
  if (node === undefined) throw new Error(`${path} is not there`);
  return printOf(node, shapeAt(parsePath(path), smallShape));
};
const change = (kind: Change["kind"], path: string, more: object = {}): Change => ({ kind, path: parsePath(path), ...more }) as Change;

describe("paths of changes", () => {
  it("are at, in and around the changed nodes", () => {
    const touched = new Touched([change("differs", at("a")), change("order", at("z"))]);
    expect([at("a"), `${at("a")}/ip`, LIST, "/config"].filter((path) => !touched.has(parsePath(path)))).toEqual([]);
    expect([at("b"), at("z"), `${at("z")}/ip`, "/config/vsys"].filter((path) => touched.has(parsePath(path)))).toEqual([]);
    expect(touched.among([at("b"), at("a"), LIST])).toEqual([at("a"), LIST]);
  });

  it("are empty without changes", () => {
    expect([new Touched([]).has(parsePath("/config")), new Touched([]).among(["/config"])]).toEqual([false, []]);
  });

  it("had another name before a rename", () => {
    const renamed = new Touched([change("renamed", at("new"), { from: "old" }), change("differs", at("a"))]);
    expect([at("new"), at("a"), at("b")].map((path) => renamed.before(parsePath(path)).toString())).toEqual([at("old"), at("a"), at("b")]);
  });
});

describe("rows that a plan is about to own", () => {
  it("have their origin from the live state and the operation", () => {
    const touched = new Touched([change("missing", at("n")), change("differs", `${at("a")}/ip`)]);
    expect(rowsBefore([at("n"), at("a"), at("b")], touched, live, undefined)).toEqual({
      [at("n")]: { came: "made" },
      [at("a")]: { came: "changed" },
      [at("b")]: { came: "equal" },
    });
  });

  it("are new if an object that was only found is gone and created again", () => {
    const rows = { [at("n")]: { came: "equal", print: "p", id: "i" }, [at("m")]: { came: "made", print: "p" } } as const;
    const old = ledger({ paths: [at("m"), at("n")], rows });
    const touched = new Touched([change("missing", at("n")), change("missing", at("m"))]);
    expect(rowsBefore([at("m"), at("n")], touched, live, old)).toEqual({ [at("n")]: { came: "made", id: "i" } });
  });

  it("stay if an object that was only found is not in the live tree and the plan does not create it", () => {
    const old = ledger({ paths: [at("n")], rows: { [at("n")]: { came: "equal", print: "p" } } });
    expect(rowsBefore([at("n")], new Touched([change("missing", at("m"))]), live, old)).toEqual({});
  });

  it("exclude existing rows, and keep the origin of the former name", () => {
    const old = ledger({ rows: { [at("a")]: { came: "equal" }, [at("b")]: { came: "adopted", print: "p" } } });
    const touched = new Touched([change("renamed", at("c"), { from: "b" })]);
    expect(rowsBefore([at("a"), at("c")], touched, live, old)).toEqual({ [at("c")]: { came: "adopted" } });
    const silent = ledger({ paths: [at("b")] });
    expect(rowsBefore([at("c")], touched, live, silent)).toEqual({ [at("c")]: { came: "changed" } });
  });
});

describe("rows that a plan deletes", () => {
  it("lose the fingerprint, and keep the rest", () => {
    const old = ledger({
      rows: { [at("a")]: { came: "made", print: "p", id: "i" }, [at("b")]: { came: "made", print: "q" }, [at("c")]: { came: "made" } },
    });
    const changes = [change("extra", at("a")), change("differs", at("b")), change("extra", at("c")), change("extra", at("d"))];
    expect(rowsGoing(changes, old)).toEqual({ [at("a")]: { came: "made", id: "i" } });
    expect(rowsGoing(changes, undefined)).toEqual({});
    expect(rowsGoing(changes, ledger({ paths: [at("a")] }))).toEqual({});
  });
});

describe("rows after a read-back", () => {
  const proof = (fields: Partial<Proof> = {}): Proof => ({
    live,
    shape: smallShape,
    written: new Map(),
    looksAgain: false,
    only: undefined,
    writer: { run: "r2", commit: "c2" },
    idOf: () => undefined,
    ...fields,
  });
  const by = { run: "r2", commit: "c2" };
  const kept = { came: "made", print: "before", run: "r1", commit: "c1" } as const;

  it("describe the current content if this run wrote it, or if everything is read again", () => {
    const old = ledger({ rows: { [at("a")]: kept, [at("b")]: kept } });
    const written = new Map([[at("a"), true]]);
    expect(rowsAfter([at("a"), at("b")], old, proof({ written }))).toEqual({
      [at("a")]: { came: "made", print: printAt(at("a")), ...by },
      [at("b")]: kept,
    });
    expect(rowsAfter([at("b")], old, proof({ looksAgain: true }))).toEqual({ [at("b")]: { came: "made", print: printAt(at("b")), ...by } });
  });

  it("stay outside the compared part, without changes, and if nothing exists", () => {
    const same = { ...kept, print: printAt(at("a")) };
    const old = ledger({ rows: { [at("a")]: same, [at("b")]: kept, [at("gone")]: kept } });
    const looksAgain = proof({ looksAgain: true, only: parsePath(at("a")) });
    expect(rowsAfter([at("a"), at("b")], old, looksAgain)).toEqual({ [at("a")]: same, [at("b")]: kept });
    expect(rowsAfter([at("gone")], old, proof({ looksAgain: true }))).toEqual({ [at("gone")]: kept });
  });

  it("get the platform's id, and keep theirs if there is none", () => {
    const same = { ...kept, print: printAt(at("a")), id: "old" };
    const old = ledger({ rows: { [at("a")]: same } });
    expect(rowsAfter([at("a")], old, proof({ looksAgain: true }))).toEqual({ [at("a")]: same });
    const idOf = (): string => "new";
    expect(rowsAfter([at("a")], old, proof({ looksAgain: true, idOf }))).toEqual({
      [at("a")]: { came: "made", print: same.print, id: "new", ...by },
    });
  });

  it("of unknown paths were found equal; those without a row have an unknown origin", () => {
    const rows = rowsAfter([at("a"), at("b")], ledger({ paths: [at("b")] }), proof({ writer: { run: "r2", commit: undefined } }));
    expect(rows).toStrictEqual({
      [at("a")]: { came: "equal", print: printAt(at("a")), run: "r2" },
      [at("b")]: { print: printAt(at("b")), run: "r2" },
    });
  });

  it("are only found until this run writes them", () => {
    const names = ["a", "b", "new"].map(at);
    const print = "before";
    const old = ledger({
      announced: [at("new")],
      rows: { [at("a")]: { came: "equal", print }, [at("b")]: { came: "unclear", print }, [at("new")]: { came: "changed", print } },
    });
    const came = (written: Map<string, boolean>) => Object.values(rowsAfter(names, old, proof({ written }))).map((row) => row.came);
    expect(came(new Map())).toEqual(["equal", "unclear", "unclear"]);
    expect(came(new Map(names.map((name) => [name, true])))).toEqual(["changed", "changed", "changed"]);
    expect(came(new Map(names.map((name) => [name, false])))).toEqual(["made", "made", "made"]);
    const ours = ledger({ rows: { [at("a")]: kept } });
    expect(rowsAfter([at("a")], ours, proof({ written: new Map([[at("a"), true]]) }))[at("a")]?.came).toBe("made");
  });

  it("are adopted on a person's request, also if only found or unknown", () => {
    const old = ledger({ rows: { [at("a")]: { came: "equal" }, [at("b")]: kept } });
    const names = [at("a"), at("b"), at("new")];
    const came = (fields: Partial<Proof>) => Object.values(adoptedRows(names, names, old, proof(fields))).map((row) => row.came);
    expect(came({})).toEqual(["adopted", "made", "adopted"]);
    expect(came({ only: parsePath(at("new")) })).toEqual(["equal", "made", "adopted"]);
    expect(Object.values(adoptedRows([at("a")], names, undefined, proof())).map((row) => row.came)).toEqual(["adopted", "equal", "equal"]);
  });
});
