import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { refusePendingOfOthers } from "../../src/guards/foreign-changes.js";
import type { PlanInput, PlannedOperation } from "../../src/plan/model.js";
import { desired, tree } from "../plan/support/planned.js";
import { addresses, contextOf, V1, vsys } from "./support.js";

const at = (name: string): string => `${V1}/address/entry[@name='${name}']`;
const doing = (...operations: Operation[]): PlannedOperation[] =>
  operations.map((operation) => ({ operation, phase: "update", changes: [0] }));
const bob = (...xpaths: string[]) => xpaths.map((xpath) => ({ owner: "bob", xpath, action: "SET" }));
const setting = (xml: string, name: string): Operation => {
  const element = find(tree(vsys(xml)), parsePath(at(name)));
  if (element === undefined) throw new Error("it is there");
  return { action: "set", at: parsePath(`${V1}/address`), element };
};

interface Case {
  readonly operations: PlannedOperation[];
  readonly pending: PlanInput["pending"];
  readonly candidate?: string;
  readonly running?: string;
  readonly wanted?: string;
  readonly leaveOut?: boolean;
}

function told({ operations, pending, candidate = "", running, wanted = "", leaveOut = false }: Case): string[] {
  const context = contextOf(
    { operations, desired: desired(vsys(wanted)).root },
    {
      pending,
      candidate: tree(vsys(candidate)),
      running: running === undefined ? undefined : tree(vsys(running)),
      foreignChanges: leaveOut ? "leaveOut" : "refuse",
    },
  );
  return refusePendingOfOthers(context).map(
    ({ path, message }) => `${path}: ${message.replace(" Have it committed or reverted first.", "")}`,
  );
}

describe("uncommitted changes of others at nodes that a plan writes", () => {
  const ours = doing(setting(addresses(["a"]), "a"));
  const theirs = addresses(["a"], () => "10.0.0.9");
  const over = [`${at("a")}/ip: "bob" has an uncommitted change (set) at a path that this plan overwrites: ${at("a")}/ip.`];

  it("are reported at the overwritten node, also with leaveOut", () => {
    const on = { operations: ours, pending: bob(at("a")), candidate: theirs, running: addresses(["a"]) };
    expect(told(on)).toEqual(over);
    expect(told({ ...on, leaveOut: true })).toEqual(over);
    expect(told({ ...on, operations: [...doing({ action: "delete", at: parsePath(at("z")) }), ...ours] })).toEqual(over);
  });

  it("are ignored elsewhere, if committed by now, and if nothing is written", () => {
    expect(told({ operations: ours, pending: bob(at("b")), candidate: theirs, running: addresses(["a"]) })).toEqual([]);
    expect(told({ operations: ours, pending: bob(at("a")), candidate: theirs, running: theirs })).toEqual([]);
    expect(told({ operations: [], pending: bob(at("a")), candidate: theirs, running: addresses(["a"]) })).toEqual([]);
  });
});

describe("uncommitted changes of others at nodes of this repository", () => {
  const elsewhere = doing(setting(addresses(["z"]), "z"));
  const wanted = addresses(["a", "b"]);
  const owned = (path: string): string => `${path}: "bob" has an uncommitted change (set) at a path that this repository manages: ${path}.`;

  it("are reported at the declared node if both views are known", () => {
    const both = {
      operations: elsewhere,
      pending: bob(`${V1}/address`),
      candidate: addresses(["a"], () => "10.0.0.9"),
      running: addresses(["a"]),
    };
    expect(told({ ...both, wanted })).toEqual([owned(at("a"))]);
    expect(told({ ...both, wanted, leaveOut: true })).toEqual([]);
    expect(told({ ...both, wanted: addresses(["b"]) })).toEqual([]);
  });

  it("are reported if a declared node is at, above or below them, if one view is known", () => {
    const one = { operations: elsewhere, wanted };
    expect(told({ ...one, pending: bob(V1) })).toEqual([owned(V1)]);
    expect(told({ ...one, pending: bob(`${at("a")}/tag`) })).toEqual([owned(`${at("a")}/tag`)]);
    expect(told({ ...one, pending: bob(at("theirs"), `${V1}/tag`, "/config/shared") })).toEqual([]);
    expect(told({ ...one, wanted: "<tag></tag>", pending: bob(V1) })).toEqual([]);
    expect(told({ ...one, wanted: "<tag></tag>".concat(addresses(["a"])), pending: bob(V1) })).toEqual([owned(V1)]);
  });

  it("are reported without a place if their node is unknown", () => {
    expect(told({ operations: elsewhere, pending: bob("somewhere[") })).toEqual([
      'undefined: "bob" has an uncommitted change (set) at a path that this repository manages: somewhere[.',
    ]);
    expect(told({ operations: elsewhere, pending: bob("somewhere["), candidate: "", running: "" })).toHaveLength(1);
    expect(told({ operations: elsewhere, pending: bob("somewhere["), leaveOut: true })).toEqual([]);
  });
});

describe("uncommitted changes of others in a rulebase", () => {
  const rulebase = (action: string): string => `<rulebase><rules><entry name="r"><action>${action}</action></entry></rules></rulebase>`;
  const RULES = `${V1}/rulebase/rules`;
  const move = doing({ action: "move", at: parsePath(`${RULES}/entry[@name='r']`), where: "top" });
  const together = (path: string): string[] => [
    `${path}: "bob" has an uncommitted change (set) in a rulebase that this plan writes; both could only be committed together.`,
  ];
  const around = { operations: move, pending: bob(V1), leaveOut: true };

  it("would be committed if a larger node is reported and the rulebase differs from the committed one", () => {
    expect(told({ ...around, candidate: rulebase("deny"), running: rulebase("allow") })).toEqual(together(V1));
    expect(told({ ...around, candidate: rulebase("deny"), running: rulebase("deny") })).toEqual([]);
    expect(told(around)).toEqual(together(V1));
  });

  it("would be committed with any of several writes", () => {
    const several = [...doing({ action: "delete", at: parsePath(at("a")) }), ...move];
    expect(told({ ...around, operations: several, pending: bob(RULES) })).toEqual(together(RULES));
    expect(told({ ...around, pending: bob("somewhere[") })).toEqual([]);
  });
});

describe("an object that others created and did not commit", () => {
  const group = '<group><entry name="g"><static><member>a</member></static></entry></group>';
  const element = find(tree(vsys(group)), parsePath(`${V1}/group/entry[@name='g']`));
  if (element === undefined) throw new Error("it is there");
  const naming = doing({ action: "set", at: parsePath(`${V1}/group`), element });
  const names = (whose: string): string[] => [
    `${at("a")}: This plan references "a", which ${whose} has created and not committed: ${at("a")}.`,
  ];
  const lean = { operations: naming, candidate: addresses(["a"]), leaveOut: true };

  it("is refused if the plan would reference it", () => {
    expect(told({ ...lean, running: "", pending: bob(`${V1}/tag`, at("a")) })).toEqual(names('"bob"'));
    expect(told({ ...lean, running: "", pending: bob("somewhere[", `${V1}/tag`) })).toEqual(names("somebody"));
  });

  it("is allowed once committed, and unknown if only one view is known", () => {
    expect(told({ ...lean, running: addresses(["a"]), pending: bob(at("a")) })).toEqual([]);
    expect(told({ ...lean, pending: bob(at("a")) })).toEqual([]);
  });
});
