import { expect, it } from "vitest";
import { plan } from "../support/planned.js";

const V1 = "/config/vsys/entry[@name='v1']";
const address = (name: string) => `<entry name="${name}"><ip>10.0.0.1</ip></entry>`;
const rule = (name: string) =>
  `<entry name="${name}"><source><member>x</member></source><destination><member>any</member></destination></entry>`;
const group = '<entry name="x"><static><member>a</member></static></entry>';
const config = (addresses: string, groups: string, rules: string, closed = "") =>
  `<config><vsys><entry name="v1"><address${closed}>${addresses}</address><group>${groups}</group><rules>${rules}</rules></entry></vsys></config>`;

const LIVE = config(address("a") + address("x"), "", rule("ours") + rule("theirs"));

it("a rule of somebody else that names what changes kind is named, and not rewritten", () => {
  const { refusals } = plan(LIVE, config(address("a"), group, rule("ours"), ' closed="yes"'));
  expect(refusals.map(({ guard, path }) => `${guard} ${path}`)).toEqual([`referrers ${V1}/rules/entry[@name='theirs']/source`]);
  expect(refusals[0]?.message).toContain('changes its kind ("x")');
});

it("rules of ours are rewritten for it", () => {
  const { refusals, operations } = plan(LIVE, config(address("a"), group, rule("ours") + rule("theirs"), ' closed="yes"'));
  expect(refusals).toEqual([]);
  expect(operations.length).toBeGreaterThan(0);
});
