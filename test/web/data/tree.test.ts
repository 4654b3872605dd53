import { expect, it } from "vitest";
import type { DriftView } from "../../../src/agent/page/view.js";
import { fitting, placesOf, positionsOf } from "../../../web/data/tree.js";

const RULES = "/config/rulebase/security/rules";
const change = (kind: DriftView["kind"], xpath: string, more: Partial<DriftView> = {}): DriftView => ({ kind, xpath, ...more });
const CHANGES = [
  change("differs", `${RULES}/entry[@name='a/b']/action`, { author: "j.novak", source: { file: "r.yaml", line: 4 } }),
  change("missing", "/config/address/entry[@name='web']", { source: { file: "o.yaml", line: 9 } }),
  change("extra", `${RULES}/entry[@name='tmp']`),
];

it("drift is found by path, author and kind", () => {
  const paths = (words: string, kind = "") =>
    fitting(CHANGES, words, kind).map(({ xpath }) => CHANGES.findIndex((each) => each.xpath === xpath));
  expect(paths("rules NOVAK")).toEqual([0]);
  expect(paths("unknown")).toEqual([1, 2]);
  expect(paths("rules", "extra")).toEqual([2]);
  expect(fitting(CHANGES, " ", "")).toBe(CHANGES);
});

it("an operation leads to the declaring line: at it, above or below it, and to no other", () => {
  const placeOf = placesOf(CHANGES);
  expect(placeOf(`${RULES}/entry[@name='a/b']/action`)?.line).toBe(4);
  expect(placeOf("/config/address")?.line).toBe(9);
  expect(placeOf("/config/address/entry[@name='web']/ip-netmask")?.line).toBe(9);
  expect(placeOf(`${RULES}/entry[@name='tmp']`)).toBeUndefined();
  expect(placeOf("/config/addr")).toBeUndefined();
});

it("an operation shows where its new rules go", () => {
  const created = (name: string, follows?: string) => change("missing", `${RULES}/entry[@name='${name}']`, { follows });
  const positionOf = positionsOf([created("a", ""), created("b", "web-to-db"), change("missing", "/config/address/entry[@name='web']")]);
  const operation = (action: string, xpath: string) => ({ action, xpath, phase: "create" }) as Parameters<typeof positionOf>[0];
  expect(positionOf(operation("set", `${RULES}/entry[@name='a']`))).toBe("at the top");
  expect(positionOf(operation("set", `${RULES}/entry[@name='b']`))).toBe("after web-to-db");
  expect(positionOf(operation("set", RULES))).toBe("a at the top, b after web-to-db");
  expect(positionOf(operation("delete", RULES))).toBeUndefined();
  expect(positionOf(operation("set", "/config/address"))).toBeUndefined();
});
