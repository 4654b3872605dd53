import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../src/desired/model.js";
import { isCommitted, uncommittedDeclared, uncommittedWritten, type Views } from "../../src/plan/uncommitted.js";
import { desired, tree } from "./support/planned.js";
import { smallShape } from "./support/shape.js";

const config = (addresses: string): string => `<config><shared><address>${addresses}</address></shared></config>`;
const entry = (name: string, inside = "<ip>10.0.0.1</ip>"): string => `<entry name="${name}">${inside}</entry>`;
const CONFIG = "/config";
const LIST = "/config/shared/address";
const A = `${LIST}/entry[@name='a']`;
const B = `${LIST}/entry[@name='b']`;
const other = "<ip>10.0.0.2</ip>";
const views = (candidate: string, running: string): Views => ({
  candidate: tree(config(candidate)),
  running: tree(config(running)),
  shape: smallShape,
});

describe("declared nodes that are not committed in their current form", () => {
  const declared = (wanted: string, place: string, candidate: string, running: string): string | undefined =>
    uncommittedDeclared(desired(config(wanted)).root, parsePath(place), views(candidate, running))?.toString();

  it("are found at, below and above the place", () => {
    for (const place of [CONFIG, LIST, A, `${A}/ip`]) {
      expect(declared(entry("a"), place, entry("a"), entry("a", other))).toBe(A);
      expect(declared(entry("a"), place, entry("a"), entry("a"))).toBeUndefined();
    }
  });

  it("are reported by the first one, and only if declared", () => {
    const wanted = entry("a") + entry("b");
    expect(declared(wanted, LIST, entry("a") + entry("b", other), wanted)).toBe(B);
    expect(declared(wanted, LIST, wanted + entry("theirs"), wanted)).toBeUndefined();
    expect(declared(entry("a"), B, entry("b", other), entry("b"))).toBeUndefined();
    expect(declared(entry("a"), "/config/vsys", entry("a", other), entry("a"))).toBeUndefined();
  });

  it("include a completely declared list with entries of any owner", () => {
    const wanted = desired(config(entry("a")).replace("<address>", '<address closed="yes">')).root;
    const at = (place: string): string | undefined =>
      uncommittedDeclared(wanted, parsePath(place), views(entry("a") + entry("theirs"), entry("a")))?.toString();
    expect([at(CONFIG), at(LIST), at(`${LIST}/entry[@name='theirs']`)]).toEqual([LIST, LIST, LIST]);
  });
});

describe("a partly declared object", () => {
  const node = (tag: string, declared: boolean, children: readonly DesiredNode[], name?: string): DesiredNode =>
    new DesiredNode(tag, name, tag === "ip" ? "10.0.0.1" : "", children, { origin: -1, prunes: false, declared });
  const partly = node("config", false, [
    node("shared", false, [node("address", false, [node("entry", true, [node("ip", true, [])], "a")])]),
  ]);
  const at = (place: string, candidate: string): string | undefined =>
    uncommittedDeclared(partly, parsePath(place), views(entry("a", candidate), entry("a")))?.toString();

  it("is not committed if those parts are not, whatever else it contains", () => {
    expect([A, `${A}/ip`, `${A}/tag`].map((place) => at(place, other))).toEqual([`${A}/ip`, `${A}/ip`, undefined]);
    const tagged = "<ip>10.0.0.1</ip><tag><member>theirs</member></tag>";
    expect([A, `${A}/tag`, CONFIG].map((place) => at(place, tagged))).toEqual([undefined, undefined, undefined]);
  });
});

describe("nodes that an operation overwrites and that are not committed in their current form", () => {
  const element = (xml: string) => {
    const node = find(tree(config(xml)), parsePath(LIST))?.children[0];
    if (node === undefined) throw new Error("it holds an entry");
    return node;
  };
  const set = (xml: string): Operation => ({ action: "set", at: parsePath(LIST), element: element(xml) });
  const written = (operation: Operation, place: string, candidate: string, running: string): string | undefined =>
    uncommittedWritten(operation, parsePath(place), views(candidate, running))?.toString();

  it("are those that a set changes, not their neighbours", () => {
    expect(written(set(entry("a")), A, entry("a", other), entry("a"))).toBe(`${A}/ip`);
    const tags = "<tag><member>t</member></tag>";
    expect(written(set(entry("a")), A, entry("a", `<ip>10.0.0.1</ip>${tags}`), entry("a"))).toBeUndefined();
    expect(written(set(entry("a", `<ip>10.0.0.1</ip>${tags}`)), A, entry("a", `<ip>10.0.0.1</ip>${tags}`), entry("a"))).toBe(
      `${A}/tag/member[text()='t']`,
    );
  });

  it("include an entry that only one view has", () => {
    expect(written(set(entry("a")), A, entry("a"), "")).toBe(A);
    expect(written(set(entry("a")), A, "", entry("a"))).toBe(A);
    expect(written(set(entry("a")), A, "", "")).toBeUndefined();
    expect(written(set(entry("a", "")), A, entry("a"), entry("a", other))).toBe(A);
  });

  it("are all replaced or deleted nodes, and none for a move", () => {
    const whole = parsePath(A);
    const beside = "<ip>10.0.0.1</ip><tag><member>t</member></tag>";
    expect(written({ action: "delete", at: whole }, A, entry("a", beside), entry("a"))).toBe(A);
    expect(written({ action: "edit", at: whole, element: element(entry("a")) }, A, entry("a", beside), entry("a"))).toBe(A);
    expect(written({ action: "delete", at: whole }, A, entry("a"), entry("a"))).toBeUndefined();
    expect(written({ action: "move", at: whole, where: "top" }, A, entry("a", other), entry("a"))).toBeUndefined();
  });

  it("are none if it writes elsewhere, and include nodes above and below the place", () => {
    const there = (place: string): string | undefined =>
      written({ action: "delete", at: parsePath(A) }, place, entry("a", other), entry("a"));
    expect([LIST, A, `${A}/ip`, B].map(there)).toEqual([A, A, A, undefined]);
  });
});

describe("nodes in both views", () => {
  it("are committed if equal or absent in both, and if a template provides them", () => {
    const is = (candidate: string, running: string): boolean => isCommitted(parsePath(A), views(candidate, running));
    expect([is(entry("a"), entry("a")), is("", ""), is('<entry name="a" src="tpl"><ip>10.0.0.1</ip></entry>', "")]).toEqual([
      true,
      true,
      true,
    ]);
    expect([is(entry("a", other), entry("a")), is(entry("a"), ""), is("", entry("a"))]).toEqual([false, false, false]);
    expect(is("", '<entry name="a" src="tpl"><ip>10.0.0.1</ip></entry>')).toBe(false);
  });
});
