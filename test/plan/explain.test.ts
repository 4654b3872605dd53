import { describe, expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { DesiredNode, type DesiredTarget, type Handling } from "../../src/desired/model.js";
import { SourceMap } from "../../src/desired/source-map.js";
import { explain } from "../../src/plan/explain.js";

const node = (
  tag: string,
  name: string | undefined,
  facts: { prunes: boolean; declared: boolean; handling?: Handling },
  ...children: DesiredNode[]
) => new DesiredNode(tag, name, "", children, { origin: 1, ...facts });
const open = { prunes: false, declared: true };
const whole = { prunes: true, declared: true };
const place = { prunes: false, declared: false };

const root = node(
  "config",
  undefined,
  place,
  node(
    "list",
    undefined,
    open,
    node("entry", "a", whole, node("x", undefined, whole)),
    node("entry", "k", whole, node("key", undefined, { ...whole, handling: { keep: true } })),
  ),
);
const desired: DesiredTarget = {
  target: "t",
  root,
  exclusive: [],
  allowEmpty: [],
  ignores: [{ path: "/config/list/entry[@name='i']", owner: "o", reason: "r", until: undefined, origin: 2 }],
  sources: new SourceMap(),
};
const candidate = parseXml(
  `<config><list><entry name="a"><x/><y>1</y></entry><entry name="b"/><entry name="i"><z/></entry></list></config>`,
);
const record = { owner: "o", target: "t", commit: undefined, paths: ["/config/list/entry[@name='b']"], adopted: [], secrets: {} };
const ownership = (path: string, more: Partial<Parameters<typeof explain>[0]> = {}) =>
  explain({ path: parsePath(path), desired, candidate, running: candidate, record, ...more });

describe("explain", () => {
  it.each([
    ["/config/list/entry[@name='a']/x", "declared"],
    ["/config/list/entry[@name='a']/y", "inside"],
    ["/config/list/entry[@name='b']", "ledger"],
    ["/config/list/entry[@name='b']/deep", "ledger"],
    ["/config/list/entry[@name='c']", "unowned"],
    ["/config/list/entry[@name='i']/z", "ignored"],
    ["/config/list/entry[@name='k']/key", "kept"],
    ["/config", "place"],
  ])("%s is %s", (path, expected) => {
    expect(ownership(path).ownership).toBe(expected);
  });

  it("names the exclusive list that decides", () => {
    const list = node("config", undefined, place, node("list", undefined, whole));
    const said = ownership("/config/list/entry[@name='c']", {
      desired: { ...desired, root: list, exclusive: [parsePath("/config/list")] },
    });
    expect(said).toMatchObject({ ownership: "inside", exclusive: true });
    expect(said.decidedBy?.toString()).toBe("/config/list");
  });

  it("distinguishes candidate and running configuration", () => {
    const said = ownership("/config/list/entry[@name='a']/y", { running: parseXml("<config><list/></config>") });
    expect(said.candidate?.text).toBe("1");
    expect(said.running).toBeUndefined();
  });
});
