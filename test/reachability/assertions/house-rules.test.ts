import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { HouseRule } from "../../../src/desired/assertions.js";
import { DesiredNode, type DesiredTarget } from "../../../src/desired/model.js";
import { SourceMap } from "../../../src/desired/source-map.js";
import { houseRuleSubtrees, judgeHouseRules } from "../../../src/reachability/assertions/house-rules.js";
import { openstackKind } from "../../../src/targets/openstack/kind.js";
import { panosKind } from "../../../src/targets/panos/kind.js";

const SHARED = parsePath("/config/shared");

function rule(xpath: string, place = SHARED): HouseRule {
  return { name: "tagged", description: undefined, strict: false, xpath, place, origin: -1 };
}

const desired: DesiredTarget = {
  target: "edge",
  root: new DesiredNode("config", undefined, "", [], { origin: -1, prunes: false, declared: false }),
  exclusive: [],
  allowEmpty: [],
  ignores: [],
  checks: undefined,
  artifacts: undefined,
  assertions: undefined,
  sources: new SourceMap(),
};

const tree = (...names: string[]) =>
  parseXml(Buffer.from(`<config><shared><address>${names.map((name) => `<entry name="${name}"/>`).join("")}</address></shared></config>`));

const judged = (xpath: string, before: readonly string[], after: readonly string[] = before) =>
  judgeHouseRules([rule(xpath)], desired, { before: tree(...before), after: tree(...after) })[0];

const UNTAGGED = "address/entry[not(tag)]";
const at = (name: string) => ({ xpath: `/config/shared/address/entry[@name='${name}']` });

describe("forbidden configuration", () => {
  it("holds if nothing is selected, and is broken by a change that adds a match", () => {
    expect(judged(UNTAGGED, [])).toMatchObject({
      state: "holds",
      before: "holds",
      isByChange: false,
      selected: undefined,
      scope: "shared",
    });
    expect(judged(UNTAGGED, [], ["a"])).toMatchObject({
      state: "broken",
      before: "holds",
      isByChange: true,
      selected: { count: 1, places: [at("a")] },
    });
  });

  it("is not caused by a change if it existed before, but by one that adds to it; new matches come first", () => {
    expect(judged(UNTAGGED, ["a"])).toMatchObject({ state: "broken", before: "broken", isByChange: false });
    expect(judged(UNTAGGED, ["a"], ["a", "b"])).toMatchObject({
      state: "broken",
      before: "broken",
      isByChange: true,
      selected: { count: 2, places: [at("b")] },
    });
    expect(judged(UNTAGGED, ["a", "b"], ["a"])).toMatchObject({ state: "broken", isByChange: false, selected: { count: 1 } });
  });

  it("is evaluated from the place of its document, or from the root; a missing place is reported", () => {
    expect(judged("/config/shared/address/entry", ["a"])?.state).toBe("broken");
    const elsewhere = rule("address/entry", parsePath("/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys2']"));
    const [missing] = judgeHouseRules([elsewhere], desired, { before: tree("a"), after: tree("a") });
    expect(missing).toMatchObject({ state: "empty", scope: "vsys2", why: [expect.stringContaining("vsys2")] });
  });

  it("is not known to hold if it costs too much", () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `n${at}`);
    expect(judged("address/entry[count(../entry[@name = ../entry/@name]) = 0]", many)).toMatchObject({ state: "unknown" });
  });

  it("names five places, and counts the others", () => {
    const selected = judged(UNTAGGED, [], ["a", "b", "c", "d", "e", "f", "g"])?.selected;
    expect([selected?.count, selected?.places.length]).toEqual([7, 5]);
  });
});

describe("the read for it", () => {
  const subtrees = (xpath: string) => houseRuleSubtrees([rule(xpath)], panosKind).map(String);

  it("covers its start, and everything if the start is open", () => {
    expect(subtrees("tag/entry[not(color)]")).toEqual(["/config/shared/tag"]);
    expect(subtrees("//entry")).toContain("/config/devices");
  });

  it("covers complete lists of a cloud", () => {
    const lists = houseRuleSubtrees([rule("networks/entry[@name='a']/subnets", parsePath("/openstack"))], openstackKind);
    expect(lists.map(String)).toEqual(["/openstack/networks"]);
  });
});
