import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { canonicalText } from "../../src/core/tree/canonical.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import { desired, planInput, tree } from "./support/planned.js";
import { applyAll, expectWell } from "./support/platform.js";
import { smallShape } from "./support/shape.js";

const place = (inside: string): string => `<config><vsys><entry name="v1">${inside}</entry></vsys></config>`;
const closed = (inside: string): string => place(inside.replace(/<(address|group|rules|tag|units|router)>/g, '<$1 closed="yes">'));

/** Plans, applies and checks every step. Expects the desired tree and an empty plan afterwards. */
function reconcile(liveXml: string, wantedXml: string, more: Parameters<typeof planInput>[2] = {}): Operation[] {
  const live = tree(liveXml);
  const wanted = desired(wantedXml);
  const plan = makePlan(planInput(live, wanted, more), planGuards);
  expect(plan.refusals).toEqual([]);
  const operations = plan.operations.map(({ operation }) => operation);
  const after = applyAll(live, operations, (step) => expectWell(step, smallShape));
  expect(canonicalText(after, smallShape)).toBe(canonicalText(tree(wantedXml.replaceAll(/ (closed|was)="[^"]*"/g, "")), smallShape));
  expect(makePlan(planInput(after, wanted, more), planGuards).operations).toEqual([]);
  return operations;
}

const words = (operations: readonly Operation[]): string[] =>
  operations.map((operation) => `${operation.action} ${operation.at.toString().replace("/config/vsys/entry[@name='v1']", "")}`);

const address = (name: string, ip = "10.0.0.1"): string => `<entry name="${name}"><ip>${ip}</ip></entry>`;
const group = (name: string, ...members: string[]): string =>
  `<entry name="${name}"><static>${members.map((member) => `<member>${member}</member>`).join("")}</static></entry>`;
const rule = (name: string, source: string[], destination: string[] = ["any"]): string =>
  `<entry name="${name}"><source>${source.map((m) => `<member>${m}</member>`).join("")}</source><destination>${destination.map((m) => `<member>${m}</member>`).join("")}</destination></entry>`;

describe("order of creates, updates and deletes", () => {
  it("creates by depth of reference and deletes in reverse", () => {
    const full = `<address>${address("a")}</address><group>${group("outer", "inner")}${group("inner", "a")}</group><rules>${rule("r", ["outer"])}</rules>`;
    const empty = "<address></address><group></group><rules></rules>";
    reconcile(place(empty), closed(full));
    reconcile(place(full), closed(empty));
  });

  it("joins writes: many new entries of one list are one set", () => {
    const many = Array.from({ length: 50 }, (_, i) => address(`a${i}`)).join("");
    expect(reconcile(place("<address></address>"), closed(`<address>${many}</address>`))).toHaveLength(1);
  });

  it("adds a new member before it deletes the last old one", () => {
    const live = `<address>${address("a")}${address("b")}</address><rules>${rule("r", ["a"])}</rules>`;
    const wanted = `<address>${address("b")}</address><rules>${rule("r", ["b"])}</rules>`;
    reconcile(place(live), closed(wanted));
  });

  it("inverts nested groups", () => {
    const objects = `<address>${address("x")}${address("y")}</address>`;
    const live = `${objects}<group>${group("a", "b")}${group("b", "c")}${group("c", "x")}</group>`;
    const wanted = `${objects}<group>${group("a", "x")}${group("b", "a")}${group("c", "b")}</group>`;
    reconcile(place(live), closed(wanted));
  });

  it("inverts groups across a group that does not change", () => {
    const objects = `<address>${address("x")}</address>`;
    const live = `${objects}<group>${group("a", "b")}${group("b", "d")}${group("d", "c")}${group("c", "x")}${group("e", "a")}</group>`;
    const wanted = `${objects}<group>${group("a", "x")}${group("b", "d")}${group("d", "c")}${group("c", "e")}${group("e", "a")}</group>`;
    reconcile(place(live), closed(wanted));
  });

  it("moves an object to shared under the same name while rules use it", () => {
    const live = `<config><vsys><entry name="v1"><address>${address("a")}</address><rules>${rule("r", ["a"])}</rules></entry></vsys></config>`;
    const wanted = `<config><shared><address closed="yes">${address("a")}</address></shared><vsys><entry name="v1"><address closed="yes"></address><rules closed="yes">${rule("r", ["a"])}</rules></entry></vsys></config>`;
    const operations = reconcile(live, wanted);
    expect(operations.map(({ action }) => action)).toEqual(["set", "delete"]);
  });

  it("moves a group and its members to a vsys, under the same names, while a new group includes it", () => {
    const from = `<config><shared><address>${address("x")}</address><group>${group("b", "x")}</group></shared><vsys><entry name="v1"><rules>${rule("r", ["b"])}${rule("s", ["any"], ["b", "x"])}</rules></entry></vsys></config>`;
    const inside = `<address>${address("x")}</address><group>${group("a", "b", "x")}${group("b", "x")}</group>`;
    const rules = `<rules>${rule("r", ["any"], ["a", "b", "x"])}${rule("t", ["b", "x"], ["b"])}${rule("s", ["any"], ["b", "x"])}</rules>`;
    const shared = `<shared><address>${address("x")}</address><group closed="yes"></group></shared>`;
    reconcile(from, `<config>${shared}<vsys><entry name="v1">${inside}${rules}</entry></vsys></config>`);
  });
});

describe("a name that changes kind", () => {
  it("uses a temporary object while rules and groups use it", () => {
    const live = `<address>${address("a")}${address("x")}</address><group>${group("g", "x")}</group><rules>${rule("r", ["x"])}${rule("s", ["x", "a"])}</rules>`;
    const wanted = `<address>${address("a")}</address><group>${group("g", "x")}${group("x", "a")}</group><rules>${rule("r", ["x"])}${rule("s", ["x", "a"])}</rules>`;
    const operations = reconcile(place(live), closed(wanted));
    expect(words(operations)[0]).toBe("set /address");
    expect(operations.at(-1)?.at.name).toBe("plumbline-1");
  });

  it("needs four operations, and two per rule that uses it: eight for two rules", () => {
    const rules = rule("r", ["x"]) + rule("s", ["a", "x"]);
    const live = `<address>${address("a")}${address("x")}</address><group></group><rules>${rules}</rules>`;
    const wanted = `<address>${address("a")}</address><group>${group("x", "a")}</group><rules>${rules}</rules>`;
    const operations = reconcile(place(live), closed(wanted));
    expect(words(operations)).toEqual([
      "set /address",
      "edit /rules/entry[@name='r']/source/member[text()='x']",
      "edit /rules/entry[@name='s']/source/member[text()='x']",
      "delete /address/entry[@name='x']",
      "set /group",
      "edit /rules/entry[@name='r']/source/member[text()='plumbline-1']",
      "edit /rules/entry[@name='s']/source/member[text()='plumbline-1']",
      "delete /address/entry[@name='plumbline-1']",
    ]);
  });

  it("needs no temporary object if nothing uses it", () => {
    const live = `<address>${address("a")}${address("x")}</address><group></group>`;
    const wanted = `<address>${address("a")}</address><group>${group("x", "a")}</group>`;
    expect(words(reconcile(place(live), closed(wanted)))).toEqual(["delete /address/entry[@name='x']", "set /group"]);
  });

  it("works with a rule that is changed in the same plan", () => {
    const live = `<address>${address("a")}${address("x")}</address><group></group><rules>${rule("r", ["x"], ["a"])}</rules>`;
    const wanted = `<address>${address("a")}</address><group>${group("x", "a")}</group><rules>${rule("r", ["a"], ["x"])}</rules>`;
    reconcile(place(live), closed(wanted));
  });

  it("changes a group into an address, and removes it from the group that it becomes part of", () => {
    const live = `<address>${address("a")}</address><group>${group("x", "a")}${group("g", "x")}</group><rules>${rule("r", ["g", "x"])}</rules>`;
    const wanted = `<address>${address("a")}${address("x")}</address><group>${group("g", "x", "a")}</group><rules>${rule("r", ["g", "x"])}</rules>`;
    reconcile(place(live), closed(wanted));
  });

  it("allows two names to change their kind in one plan, one inside the other", () => {
    const live = `<address>${address("a")}${address("x")}</address><group>${group("y", "x")}</group><rules>${rule("r", ["y"])}</rules>`;
    const wanted = `<address>${address("a")}${address("y")}</address><group>${group("x", "y")}</group><rules>${rule("r", ["x"])}</rules>`;
    reconcile(place(live), closed(wanted));
  });
});

describe("values that two entries cannot have at the same time", () => {
  const unit = (name: string, tag: number): string => `<entry name="${name}"><tag>${tag}</tag></entry>`;
  const units = (...all: string[]): string => `<config><units>${all.join("")}</units></config>`;

  it("swaps VLAN tags", () => {
    const operations = reconcile(units(unit("e.1", 10), unit("e.2", 20)), units(unit("e.1", 20), unit("e.2", 10)));
    expect(operations).toHaveLength(3);
  });

  it("passes tags on without a detour if one is free", () => {
    const operations = reconcile(units(unit("e.1", 10), unit("e.2", 20)), units(unit("e.1", 20), unit("e.2", 30)));
    const written = operations.map((operation) => ("element" in operation ? operation.element.children[0]?.name : ""));
    expect(written).toEqual(["e.2", "e.1"]);
  });

  it("rotates three", () => {
    reconcile(units(unit("a", 1), unit("b", 2), unit("c", 3)), units(unit("a", 2), unit("b", 3), unit("c", 1)));
  });
});

describe("choices and cycles", () => {
  it("removes one alternative before it sets the other", () => {
    const tags = Array.from({ length: 12 }, (_, i) => `t${i}`);
    const entry = (value: string): string =>
      `<address><entry name="a">${value}<tag>${tags.map((tag) => `<member>${tag}</member>`).join("")}</tag></entry></address>`;
    const others = `<tag>${tags.map((tag) => `<entry name="${tag}"><color>red</color></entry>`).join("")}</tag>`;
    const live = place(entry("<ip>10.0.0.1</ip>") + others);
    const wanted = place(entry("<fqdn>a.example</fqdn>") + others);
    expect(reconcile(live, wanted).map(({ action }) => action)).toEqual(["delete", "set"]);
  });

  it("creates objects that reference each other", () => {
    const router = (name: string, next: string): string =>
      `<entry name="${name}"><route><entry name="default"><next>${next}</next><metric>1</metric></entry></route></entry>`;
    reconcile("<config><router/></config>", `<config><router>${router("a", "b")}${router("b", "c")}${router("c", "a")}</router></config>`);
  });

  it("splits an edit of a complete list that rules depend on", () => {
    const many = (from: number): string => Array.from({ length: 6 }, (_, i) => address(`a${i + from}`, `10.0.${i}.${from}`)).join("");
    const live = `<address>${many(0)}</address><rules>${rule("r", ["a0"])}</rules>`;
    const wanted = `<address>${many(6)}</address><rules>${rule("r", ["a6"])}</rules>`;
    reconcile(place(live), closed(wanted), { rewriteLists: "allowed" });
  });
});

describe("renames", () => {
  it("renames in place if nothing references the object, and keeps its position", () => {
    const live = `<rules>${rule("old", ["any"])}${rule("z", ["any"])}</rules>`;
    const wanted = `<rules>${rule("new", ["any"]).replace("<entry ", '<entry was="old" ')}${rule("z", ["any"])}</rules>`;
    expect(words(reconcile(place(live), closed(wanted)))).toEqual(["rename /rules/entry[@name='old']"]);
  });

  it("never leaves a user of a renamed object without it", () => {
    const live = `<address>${address("old")}</address><rules>${rule("r", ["old"])}</rules>`;
    const wanted = `<address>${address("new", "10.9.9.9").replace("<entry ", '<entry was="old" ')}</address><rules>${rule("r", ["new"])}</rules>`;
    reconcile(place(live), closed(wanted));
  });

  it("refuses if an unmanaged object still uses the old name", () => {
    const live = `<address>${address("old")}</address><rules>${rule("theirs", ["old"])}</rules>`;
    const wanted = `<address>${address("new").replace("<entry ", '<entry was="old" ')}</address>`;
    const { refusals } = makePlan(planInput(tree(place(live)), desired(place(wanted))), planGuards);
    expect(refusals.map(({ guard }) => guard)).toEqual(["referrers"]);
    expect(refusals[0]?.message).toContain("theirs");
  });
});

describe("ordered lists", () => {
  const rules = (...names: string[]): string => `<rules>${names.map((name) => rule(name, ["any"])).join("")}</rules>`;

  it("inserts in the middle while reversing", () => {
    const operations = reconcile(place(rules("a", "b", "c", "d")), closed(rules("d", "c", "new", "b", "a")));
    expect(operations.filter(({ action }) => action === "move")).toHaveLength(4 + 1 - 2);
  });

  it("reverses 1,000 rules in one batch of 999 moves without a set", () => {
    const names = Array.from({ length: 1000 }, (_, i) => `r${i}`);
    const live = tree(place(rules(...names)));
    const wanted = desired(closed(rules(...names.reverse())));
    const plan = makePlan(planInput(live, wanted), planGuards);
    expect(plan.operations.map(({ operation }) => operation.action)).toEqual(Array(999).fill("move"));
    expect(plan.batches).toHaveLength(1);
  });

  it("leaves an unmanaged rule inside the block and places new rules before it", () => {
    const live = tree(place(rules("a", "theirs", "b", "deny")));
    const wanted = desired(place(rules("a", "new", "b")));
    const plan = makePlan(planInput(live, wanted), planGuards);
    const after = applyAll(
      live,
      plan.operations.map(({ operation }) => operation),
      (step) => expectWell(step, smallShape),
    );
    const names = after.children[0]?.children[0]?.children[0]?.children.map((child) => child.name);
    expect(names).toEqual(["a", "new", "theirs", "b", "deny"]);
  });
});
