import { describe, expect, it } from "vitest";
import { buildShape } from "../../src/core/tree/shape-table.js";
import { DesiredNode } from "../../src/desired/model.js";
import { refuseUnmarked } from "../../src/guards/adopt.js";
import type { PlanInput } from "../../src/plan/model.js";
import { tree } from "../plan/support/planned.js";
import { changeOf, contextOf } from "./support.js";

const shape = buildShape({
  root: {
    $: "container",
    networks: { $: "list", owner: "leaf mark", mtu: "leaf", subnets: { $: "list", owner: "leaf mark", cidr: "leaf" } },
    notes: { $: "list", text: "leaf" },
  },
  types: {},
});
const NET = "/config/networks/entry[@name='n']";

const live = (...entries: string[]) => tree(`<config><networks>${entries.join("")}</networks></config>`);
const entry = (owner: string | undefined, inside = "", name = "n", more = ""): string =>
  `<entry name="${name}"${more}>${owner === undefined ? "" : `<owner>${owner}</owner>`}${inside}</entry>`;

/** Desired network `n`. */
function wanted({ prunes = true, adopt = undefined as boolean | undefined } = {}): DesiredNode {
  const facts = { origin: -1, prunes: false, declared: true };
  const handling = adopt === undefined ? undefined : { adopt };
  const network = new DesiredNode("entry", "n", "", [], { ...facts, prunes, handling });
  return new DesiredNode("config", undefined, "", [new DesiredNode("networks", undefined, "", [network], facts)], facts);
}
const nothing = new DesiredNode("config", undefined, "", [], { origin: -1, prunes: false, declared: true });
const ledger = (...paths: string[]): PlanInput["ledger"] => ({
  state: "present",
  record: { owner: "us", target: "t", commit: undefined, paths, adopted: [], secrets: {} },
});

function refusals(candidate: PlanInput["candidate"], desired: DesiredNode, paths = [NET], more: Partial<PlanInput> = {}): string[] {
  const changes = paths.map((path) => changeOf("differs", path));
  return refuseUnmarked(contextOf({ changes, desired }, { candidate, shape, owner: "us", ...more })).map(
    ({ guard, path, allow, message }) => `${guard} ${path} ${allow}: ${message}`,
  );
}
const BELONGS = [`adopt ${NET} undefined: The object has the ownership mark of "them".`];
const NOBODYS = [`adopt ${NET} undefined: An object named "n" exists and has no ownership mark. $adopt: true takes it over.`];

describe("an object without this owner's mark", () => {
  it("is refused once if it has another owner's mark, at any depth, even with $adopt or a ledger row", () => {
    expect(refusals(live(entry("them")), wanted())).toEqual(BELONGS);
    expect(refusals(live(entry("them")), wanted(), [`${NET}/mtu`, NET])).toEqual(BELONGS);
    expect(refusals(live(entry("them")), wanted({ adopt: true }))).toEqual(BELONGS);
    expect(refusals(live(entry("them")), wanted(), [NET], { ledger: ledger(NET) })).toEqual(BELONGS);
    expect(refusals(live(entry("them")), nothing)).toEqual(BELONGS);
  });

  it("is owned if it has the mark, and is not checked without an owner name or in lists without marks", () => {
    expect(refusals(live(entry("us")), wanted())).toEqual([]);
    expect(refusals(live(entry("them")), wanted(), [NET], { owner: undefined })).toEqual([]);
    expect(refusals(tree('<config><notes><entry name="n"/></notes></config>'), nothing, ["/config/notes/entry[@name='n']"])).toEqual([]);
  });

  it("without any mark is taken over with $adopt, or if the ledger has it", () => {
    expect(refusals(live(entry(undefined)), wanted())).toEqual(NOBODYS);
    expect(refusals(live(entry("")), wanted())).toEqual(NOBODYS);
    expect(refusals(live(entry(undefined)), nothing)).toEqual(NOBODYS);
    expect(refusals(live(entry(undefined)), wanted({ adopt: false }))).toEqual(NOBODYS);
    expect(refusals(live(entry(undefined)), wanted({ adopt: true }))).toEqual([]);
    expect(refusals(live(entry(undefined)), wanted(), [NET], { ledger: ledger(NET) })).toEqual([]);
  });

  it("without any mark is not the ledger's object if the ids differ", () => {
    const row = { ...ledger(NET) } as Extract<PlanInput["ledger"], { state: "present" }>;
    const known = { ...row, record: { ...row.record, rows: { [NET]: { id: "1" } } } };
    const told = (id: string | undefined) => refusals(live(entry(undefined)), wanted(), [NET], { ledger: known, idOf: () => id });
    expect(told("1")).toEqual([]);
    expect(told(undefined)).toEqual([]);
    const announced = (rows = {}) => ({ ...row, record: { ...row.record, announced: [NET], rows } });
    expect(refusals(live(entry(undefined)), wanted(), [NET], { ledger: announced() })).toEqual(NOBODYS);
    expect(refusals(live(entry(undefined)), wanted(), [NET], { ledger: announced({ [NET]: { id: "1" } }), idOf: () => "1" })).toEqual([]);
    expect(told("2")).toEqual([NOBODYS[0]?.replace("$adopt", "The managed object 1 no longer exists. $adopt")]);
    expect(refusals(live(entry("us")), wanted(), [NET], { ledger: known, idOf: () => "2" })).toEqual([]);
  });

  it("is not checked if only parts of it are declared", () => {
    expect(refusals(live(entry("them")), wanted({ prunes: false }))).toEqual([]);
    expect(refusals(live(entry(undefined)), wanted({ prunes: false }))).toEqual([]);
  });

  it("may lose a part that this owner added, and no other part", () => {
    const part = `${NET}/mtu`;
    expect(refusals(live(entry("them", "<mtu>9</mtu>")), nothing, [part], { ledger: ledger(part) })).toEqual([]);
    expect(refusals(live(entry("them", "<mtu>9</mtu>")), nothing, [part])).toEqual(BELONGS);
    expect(refusals(live(entry("them", "<mtu>9</mtu>")), wanted(), [part], { ledger: ledger(part) })).toEqual(BELONGS);
    expect(refusals(live(entry("them")), nothing, [NET], { ledger: ledger(NET) })).toEqual(BELONGS);
  });

  it("is found in nested lists, too", () => {
    const subnet = `${NET}/subnets/entry[@name='s']`;
    const inside = `<subnets>${entry("them", "", "s")}</subnets>`;
    expect(refusals(live(entry("us", inside)), nothing, [`${subnet}/cidr`])).toEqual([
      `adopt ${subnet} undefined: The object has the ownership mark of "them".`,
    ]);
    expect(refusals(live(entry("them", inside)), nothing, [`${subnet}/cidr`])).toHaveLength(2);
  });
});

describe("a name that several objects share", () => {
  const shared = (...names: string[]) => live(...names.map((name) => entry(undefined, "", name, ' shared-name="n"')));

  it("is not created again", () => {
    expect(refusals(shared("n 1", "n 2", "n 3", "n 4"), wanted())).toEqual([
      `adopt ${NET} undefined: 4 objects are named "n" and have no ownership mark (n 1, n 2, n 3). Declare the right one by the name shown here, with $adopt: true.`,
    ]);
    expect(refusals(shared("n 1"), wanted())).toHaveLength(1);
  });

  it("is allowed if no object has it, if the list is new, or if the named object exists", () => {
    expect(refusals(live(entry(undefined, "", "m", ' shared-name="m"')), wanted())).toEqual([]);
    expect(refusals(live(entry(undefined, "", "other")), wanted())).toEqual([]);
    expect(refusals(tree("<config/>"), wanted())).toEqual([]);
    expect(refusals(live(entry("us"), entry(undefined, "", "n 1", ' shared-name="n"')), wanted())).toEqual([]);
  });

  it("is reported for each desired name", () => {
    const both = live(entry(undefined, "", "n 1", ' shared-name="n"'), entry(undefined, "", "m 1", ' shared-name="m"'));
    expect(refusals(both, wanted(), [NET, "/config/networks/entry[@name='m']"])).toHaveLength(2);
  });
});
