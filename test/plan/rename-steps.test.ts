import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { canonicalText } from "../../src/core/tree/canonical.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import { renameSteps } from "../../src/plan/rename-steps.js";
import { desired, planInput, tree } from "./support/planned.js";
import { applyAll, expectWell } from "./support/platform.js";
import { smallShape } from "./support/shape.js";

// Rules that exchange names keep their own attributes (a uuid, a hit count), and no name is ever used twice.

const place = (inside: string): string => `<config><vsys><entry name="v1"><rules>${inside}</rules></entry></vsys></config>`;
const rule = (name: string, source: string, more = ""): string =>
  `<entry name="${name}"${more}><source><member>any</member></source><destination><member>any</member></destination><action>${source}</action></entry>`;
const was = (name: string): string => ` was="${name}"`;

/** Plans, applies and checks every step. Expects an empty plan afterwards. */
function reconcile(liveXml: string, wantedXml: string): Operation[] {
  const live = tree(place(liveXml));
  const wanted = desired(place(wantedXml));
  const operations = makePlan(planInput(live, wanted), planGuards).operations.map(({ operation }) => operation);
  const after = applyAll(live, operations, (step) => expectWell(step, smallShape));
  expect(canonicalText(after, smallShape)).toBe(canonicalText(tree(place(wantedXml.replaceAll(/ was="[^"]*"/g, ""))), smallShape));
  expect(makePlan(planInput(after, wanted), planGuards).operations).toEqual([]);
  return operations;
}

const words = (operations: readonly Operation[]): string[] =>
  operations.map(
    (operation) => `${operation.action} ${operation.at.name ?? operation.at.tag}${"newName" in operation ? ` ${operation.newName}` : ""}`,
  );

describe("rules that exchange their names", () => {
  it("use a temporary third name, and the next plan does not swap them back", () => {
    const operations = reconcile(rule("a", "allow") + rule("b", "deny"), rule("b", "allow", was("a")) + rule("a", "deny", was("b")));
    expect(words(operations)).toEqual(["rename a plumbline-1", "rename b a", "rename plumbline-1 b"]);
  });

  it("swap and change in one plan", () => {
    const live = rule("a", "allow") + rule("b", "deny");
    const log = "<log>x</log></entry>";
    const wanted = rule("b", "allow", was("a")).replace("</entry>", log) + rule("a", "deny", was("b"));
    expect(words(reconcile(live, wanted))).toEqual(["rename a plumbline-1", "rename b a", "rename plumbline-1 b", "set b"]);
  });

  it("pass names on in a row, the last one first", () => {
    const live = rule("a", "allow") + rule("b", "deny");
    expect(words(reconcile(live, rule("b", "allow", was("a")) + rule("c", "deny", was("b"))))).toEqual(["rename b c", "rename a b"]);
  });

  it("are written in place if the exchange makes them no more alike", () => {
    const operations = reconcile(rule("a", "allow") + rule("b", "allow"), rule("b", "deny", was("a")) + rule("a", "deny", was("b")));
    expect(words(operations).filter((each) => each.startsWith("rename"))).toEqual([]);
  });

  it("keep contents and places for any permutation", () => {
    const names = ["a", "b", "c", "d", "e"];
    const permuted = fc.shuffledSubarray(names, { minLength: 5 });
    const action = fc.constantFrom("allow", "deny", "drop", "reset");
    const actions = fc.array(action, { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(permuted, permuted, actions, actions, (to, order, before, after) => {
        const live = names.map((name, at) => rule(name, before[at] ?? "")).join("");
        const wanted = order.map((name) => {
          const from = names[to.indexOf(name)] ?? name;
          return rule(name, after[names.indexOf(from)] ?? "", from === name ? "" : was(from));
        });
        reconcile(live, wanted.join(""));
      }),
    );
  });
});

it("the steps are the desired renames if no name is taken", () => {
  const rename = (from: string, newName: string) => ({ at: parsePath(`/config/rules/entry[@name='${from}']`), newName });
  const nobody = (): string => expect.unreachable("a temporary name was asked for");
  const wanted = [rename("a", "x"), rename("b", "y")];
  expect(renameSteps(wanted, nobody).map(({ of }) => of)).toEqual(wanted);
  expect(renameSteps([rename("a", "b"), rename("b", "c")], nobody).map(({ newName }) => newName)).toEqual(["c", "b"]);
});
