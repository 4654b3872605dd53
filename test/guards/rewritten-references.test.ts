import { describe, expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { GuardContext } from "../../src/guards/context.js";
import { refuseRewritingOthers } from "../../src/guards/rewritten-references.js";
import type { PlannedOperation } from "../../src/plan/model.js";
import { desired, plan, tree } from "../plan/support/planned.js";
import { changeOf, contextOf, V1 } from "./support.js";

const address = (name: string) => `<entry name="${name}"><ip>10.0.0.1</ip></entry>`;
const rule = (name: string) =>
  `<entry name="${name}"><source><member>x</member></source><destination><member>any</member></destination></entry>`;
const group = '<entry name="x"><static><member>a</member></static></entry>';
const config = (addresses: string, groups: string, rules: string, closed = "") =>
  `<config><vsys><entry name="v1"><address${closed}>${addresses}</address><group>${groups}</group><rules>${rules}</rules></entry></vsys></config>`;

const LIVE = config(address("a") + address("x"), "", rule("ours") + rule("theirs"));

it("an unmanaged rule that references an object that changes its kind is named, and not rewritten", () => {
  const { refusals } = plan(LIVE, config(address("a"), group, rule("ours"), ' closed="yes"'));
  expect(refusals.map(({ guard, path }) => `${guard} ${path}`)).toEqual([`referrers ${V1}/rules/entry[@name='theirs']/source`]);
  expect(refusals[0]?.message).toContain('changes its kind ("x")');
});

it("owned rules are rewritten for it", () => {
  const { refusals, operations } = plan(LIVE, config(address("a"), group, rule("ours") + rule("theirs"), ' closed="yes"'));
  expect(refusals).toEqual([]);
  expect(operations.length).toBeGreaterThan(0);
});

describe("lists that are rewritten for a name that changes its kind", () => {
  const source = `${V1}/rules/entry[@name='theirs']/source`;
  const member = parsePath(`${source}/member[text()='x']`);
  const operation = (done: number[], at = member): PlannedOperation => ({
    operation: { action: "delete", at },
    phase: "update",
    changes: done,
  });
  const changes = [
    changeOf("extra", `${V1}/address/entry[@name='x']`),
    changeOf("missing", `${V1}/group/entry[@name='x']`),
    changeOf("missing", `${V1}/group/entry[@name='y']`),
    changeOf("differs", `${V1}/rules`),
  ];
  const told = (context: Partial<GuardContext>, wanted = "<config/>"): string[] =>
    refuseRewritingOthers(
      contextOf(
        { changes: changes.slice(0, 3), desired: desired(wanted).root, operations: [operation([])], ...context },
        { candidate: tree(LIVE) },
      ),
    ).map(({ message }) => message);
  const REFUSED = [`A used name changes its kind ("x"), and an undeclared object would be rewritten for it: ${source}`];

  it("are reported once, with the names that one list loses and another gains", () => {
    expect(told({ operations: [operation([]), operation([], parsePath(source))] })).toEqual(REFUSED);
    expect(told({ changes: [] })[0]).toContain("changes its kind, and an undeclared object");
    const element = tree("<member>x</member>");
    expect(told({ operations: [{ operation: { action: "set", at: parsePath(source), element }, phase: "update", changes: [] }] })).toEqual(
      REFUSED,
    );
  });

  it("are those without a change of their own", () => {
    expect(told({ operations: [operation([0])] })).toEqual([]);
    expect(told({ changes })).toEqual([]);
    expect(told({ operations: [operation([], parsePath(`${V1}/rules/entry[@name='none']/source`))] })).toEqual([]);
  });

  it("are not declared, and not inside declared nodes", () => {
    expect(told({}, config("", "", rule("theirs")))).toEqual([]);
    expect(told({}, config("", "", "").replace("<rules>", '<rules closed="yes">'))).toEqual([]);
    expect(told({}, config("", "", ""))).toEqual(REFUSED);
  });
});
