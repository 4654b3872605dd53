import { describe, expect, it } from "vitest";
import { find, shapeAt } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { allowancesOf } from "../../src/guards/allow.js";
import { refuseNotAsLeft } from "../../src/guards/not-as-left.js";
import type { PlanInput } from "../../src/plan/model.js";
import { printOf } from "../../src/plan/print.js";
import { tree } from "../plan/support/planned.js";
import { smallShape } from "../plan/support/shape.js";
import { changeOf, contextOf } from "./support.js";

const LIST = "/config/shared/address";
const A = `${LIST}/entry[@name='a']`;
const before = (entry: string) => {
  const node = find(tree(`<config><shared><address>${entry}</address></shared></config>`), parsePath(A));
  if (node === undefined) throw new Error("it is there");
  return node;
};
const PLAIN = '<entry name="a"><ip>10.0.0.1</ip></entry>';
const marked = (admin: string, time: string, inside = "") =>
  `<entry name="a" admin="${admin}" time="${time}"><ip${inside}>10.0.0.1</ip></entry>`;
const left = printOf(before(PLAIN), shapeAt(parsePath(A), smallShape));

interface Case {
  readonly entry?: string;
  readonly print?: string | undefined;
  readonly reason?: string;
  readonly kind?: "extra" | "differs";
  readonly allow?: string;
  readonly more?: Partial<PlanInput>;
}

function refusals({ entry = PLAIN, print = left, reason = "ledger", kind = "extra", allow, more = {} }: Case) {
  const record = { owner: "o", target: "t", commit: undefined, paths: [A], adopted: [], secrets: {}, rows: { [A]: { print } } };
  const context = contextOf(
    { changes: [changeOf(kind, A, { before: before(entry), reason })] },
    { ledger: { state: "present", record }, ...more },
  );
  const values = new Map(allow === undefined ? [] : [["not-as-left", allow]]);
  return refuseNotAsLeft({ ...context, allow: allowancesOf(values) }).map(({ message }) => message);
}

const CONTENT = "The live content differs from the content that Plumbline wrote. The deletion needs --allow.";
const WRITER = '"alice" changed it last. The deletion needs --allow.';

describe("a deletion by the ledger", () => {
  it("deletes an object with its last applied content", () => {
    expect(refusals({})).toEqual([]);
    expect(refusals({ print: "another" })).toEqual([CONTENT]);
  });

  it("is allowed if the ledger has no fingerprint, and without a ledger", () => {
    expect(refusals({ print: "another", more: { ledger: { state: "missing" } } })).toEqual([]);
    const record = { owner: "o", target: "t", commit: undefined, paths: [A], adopted: [], secrets: {} };
    expect(refusals({ more: { ledger: { state: "present", record } } })).toEqual([]);
    expect(refusals({ more: { ledger: { state: "present", record: { ...record, rows: { [A]: {} } } } } })).toEqual([]);
  });

  it("is the only kind of change that this guard checks", () => {
    expect(refusals({ print: "another", reason: "closed" })).toEqual([]);
    expect(refusals({ print: "another", kind: "differs" })).toEqual([]);
  });

  it("names the place that overrides it; a place above also does, another does not", () => {
    const context = contextOf(
      { changes: [changeOf("extra", A, { before: before(marked("alice", "1")), reason: "ledger" })] },
      { ledger: { state: "present", record: { owner: "o", target: "t", commit: undefined, paths: [], adopted: [], secrets: {} } } },
    );
    expect(refuseNotAsLeft(context)).toEqual([
      { guard: "not-as-left", message: WRITER, path: parsePath(A), allow: `--allow "not-as-left=${A}"` },
    ]);
    expect([A, LIST, `/config/vsys\n${A}`].map((allow) => refusals({ print: "another", allow }))).toEqual([[], [], []]);
    expect(refusals({ print: "another", allow: `${LIST}/entry[@name='b']` })).toEqual([CONTENT]);
    expect(refusals({ print: "another", allow: `${A}/ip` })).toEqual([CONTENT]);
  });

  it("is refused if another administrator changed the object last", () => {
    expect(refusals({ entry: marked("alice", "2026/01/01 00:00:00") })).toEqual([WRITER]);
    expect(refusals({ entry: marked("plumbline", "2026/01/01 00:00:00") })).toEqual([]);
    expect(refusals({ entry: marked("alice", "1"), more: { administrators: ["alice"] } })).toEqual([]);
    expect(refusals({ entry: marked("alice", "1"), more: { administrator: undefined, administrators: ["bob"] } })).toEqual([]);
    expect(refusals({ entry: marked("", "1") })).toEqual([]);
  });

  it("uses the latest mark at or below the entry", () => {
    const below = (admin: string, time: string) => ` admin="${admin}" time="${time}"`;
    expect(refusals({ entry: marked("plumbline", "1", below("alice", "2")) })).toEqual([WRITER]);
    expect(refusals({ entry: marked("plumbline", "2", below("alice", "1")) })).toEqual([]);
    expect(refusals({ entry: marked("alice", "2", below("plumbline", "1")) })).toEqual([WRITER]);
    expect(refusals({ entry: marked("plumbline", "1", below("alice", "1")) })).toEqual([]);
    expect(refusals({ entry: marked("", "", below("alice", "1")) })).toEqual([WRITER]);
    expect(refusals({ entry: '<entry name="a" admin="plumbline"><ip admin="alice" time="1">10.0.0.1</ip></entry>' })).toEqual([WRITER]);
  });

  it("is recognised if a request of this owner removed the object from the candidate without a commit", () => {
    const shared = (entry: string) => tree(`<config><shared><address>${entry}</address></shared></config>`);
    const record = { owner: "o", target: "t", commit: undefined, paths: [A], adopted: [], secrets: {}, rows: { [A]: { print: left } } };
    const seen = (running: string, candidate: string, owner: string) =>
      refuseNotAsLeft(
        contextOf(
          {},
          {
            ledger: { state: "present", record },
            candidate: shared(candidate),
            running: shared(running),
            pending: [{ owner, xpath: LIST, action: "DELETE" }],
          },
        ),
      ).map(({ message, path }) => [message, path?.toString()]);
    const theirs = '<entry name="a"><ip>10.9.9.9</ip></entry>';
    expect(seen(theirs, "", "plumbline")).toEqual([[CONTENT, A]]);
    expect(seen(PLAIN, "", "plumbline")).toEqual([]);
    expect(seen(theirs, "", "alice")).toEqual([]);
    expect(seen(theirs, theirs, "plumbline")).toEqual([]);
    expect(seen("", "", "plumbline")).toEqual([]);
  });
});
