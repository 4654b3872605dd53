import { describe, expect, it } from "vitest";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import { panosGuards } from "../../src/targets/panos/guards.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { desired, planInput, tree } from "./support/planned.js";

const HIERARCHY =
  '<readonly><devices><entry name="localhost.localdomain"><device-group><entry name="branch"><parent-dg>offices</parent-dg></entry>' +
  '<entry name="offices"/></device-group></entry></devices></readonly>';
const manager = (inside: string, hierarchy = HIERARCHY): string =>
  `<config>${hierarchy}<devices><entry name="localhost.localdomain">${inside}</entry></devices></config>`;
const groups = (branch: string, offices: string): string =>
  `<device-group><entry name="branch">${branch}</entry><entry name="offices">${offices}</entry></device-group>`;
const address = (name: string): string => `<entry name="${name}"><ip-netmask>192.0.2.1</ip-netmask></entry>`;
const rule = (source: string): string =>
  `<pre-rulebase><security><rules closed="yes"><entry name="r"><source><member>${source}</member></source><action>allow</action></entry></rules></security></pre-rulebase>`;

function planned(live: string, wanted: string) {
  const input = planInput(tree(manager(live)), desired(manager(wanted, ""), panosShape()), {
    shape: panosShape(),
    kindGuards: { ...panosGuards, meaning: () => undefined },
  });
  const plan = makePlan(input, planGuards);
  const words = plan.operations.map(({ operation: { action, at } }) => `${action} ${at.steps().slice(3).join("/")}`);
  return { refusals: plan.refusals.map(({ guard, message }) => `${guard}: ${message}`), words };
}

describe("names of a parent device group", () => {
  it("are created before a child group uses them", () => {
    const { refusals, words } = planned(groups("", ""), groups(rule("web"), `<address closed="yes">${address("web")}</address>`));
    expect(refusals).toEqual([]);
    expect(words.findIndex((each) => each.includes("offices"))).toBeLessThan(words.findIndex((each) => each.includes("branch")));
  });

  it("are deleted after the child group releases them", () => {
    const before = groups(rule("web"), `<address>${address("web")}${address("db")}</address>`);
    const after = groups(rule("db"), `<address closed="yes">${address("db")}</address>`);
    const { refusals, words } = planned(before, after);
    expect(refusals).toEqual([]);
    expect(words.at(-1)).toMatch(/^delete .*offices.*web/);
  });

  it("are not deleted while a child group uses them", () => {
    const before = groups(rule("web"), `<address>${address("web")}</address>`);
    const { refusals } = planned(before, groups("", '<address closed="yes"></address>'));
    expect(refusals).toEqual([expect.stringMatching(/^referrers: address "web" would be deleted, but is still used at a path.*branch/)]);
  });

  it("may be deleted if a nearer object has the name", () => {
    const own = `<address>${address("web")}</address>`;
    const { refusals } = planned(groups(own + rule("web"), own), groups("", '<address closed="yes"></address>'));
    expect(refusals).toEqual([]);
  });

  it("move to the parent group: created there before they are deleted below", () => {
    const before = groups(`<address>${address("web")}</address>${rule("web")}`, "");
    const after = groups(`<address closed="yes"></address>${rule("web")}`, `<address closed="yes">${address("web")}</address>`);
    const { refusals, words } = planned(before, after);
    expect(refusals).toEqual([]);
    expect(words.map((each) => each.split(" ")[0])).toEqual(["set", "delete"]);
  });
});

describe("names of a virtual system that its device's network uses", () => {
  const device = (addresses: string, destination: string): string =>
    `<network><virtual-router><entry name="default"><routing-table><ip><static-route><entry name="out"><destination>${destination}</destination></entry></static-route></ip></routing-table></entry></virtual-router></network>` +
    `<vsys><entry name="vsys1"><address closed="yes">${addresses}</address></entry></vsys>`;

  it("are created before a route uses them, and stay as long as one does", () => {
    const { refusals, words } = planned(device(address("a"), "a"), device(address("b"), "b"));
    expect(refusals).toEqual([]);
    expect(words.map((each) => each.split(" ")[0])).toEqual(["set", "set", "delete"]);
    expect(words[0]).toContain("vsys");
    const { refusals: held } = planned(device(address("a"), "a"), device("", "a"));
    expect(held).toEqual([expect.stringContaining("referrers")]);
  });
});
