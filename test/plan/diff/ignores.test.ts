import { describe, expect, it } from "vitest";
import { applyIgnores, diff } from "../../../src/plan/diff/diff.js";
import { desired, live, shape } from "./trees.js";

const V = "/config/vsys/entry[@name='v']";
const v = (content: string): string => `<config place=""><vsys place=""><entry name="v" place="">${content}</entry></vsys></config>`;
const l = (content: string): string => `<config><vsys><entry name="v">${content}</entry></vsys></config>`;

function changes(wanted: string, found: string, paths: readonly string[], ledger: readonly string[] = []): string[] {
  const root = live(found);
  const ignores = paths.map((path) => ({ path, owner: "o", reason: "r", until: undefined, origin: -1 }));
  const result = diff({ desired: applyIgnores(desired(wanted), root, ignores), live: root, shape, ledger, secretState: () => "unknown" });
  return result.changes.map((change) => `${change.kind} ${change.path}`);
}

describe("applyIgnores", () => {
  const entry = (name: string, fqdn: string): string => `<entry name='${name}'><fqdn>${fqdn}</fqdn></entry>`;

  it("removes a declared leaf from the comparison, live or not", () => {
    const wanted = v(`<address>${entry("a", "wanted")}</address>`);
    const path = `${V}/address/entry[@name='a']/fqdn`;
    expect(changes(wanted, l(`<address>${entry("a", "found")}</address>`), [path])).toEqual([]);
    expect(changes(wanted, l("<address><entry name='a'/></address>"), [path])).toEqual([]);
  });

  it("protects undeclared entries of exclusive lists, by expression", () => {
    const found = l(`<address>${entry("a", "1")}${entry("b", "2")}${entry("c", "3")}</address>`);
    const wanted = v("<address closed=''/>");
    expect(changes(wanted, found, [`${V}/address/entry[@name='a' or @name='c']`])).toEqual([`extra ${V}/address/entry[@name='b']`]);
    expect(changes(wanted, found, ["/config/vsys/entry/address/entry"])).toEqual([]);
  });

  it("keeps the entry around an ignored part, and the rest is deleted", () => {
    const found = l("<address><entry name='a'><fqdn>1</fqdn><description>theirs</description></entry></address>");
    const path = `${V}/address/entry[@name='a']/description`;
    expect(changes(v("<address closed=''/>"), found, [path])).toEqual([`extra ${V}/address/entry[@name='a']/fqdn`]);
  });

  it("protects single members of a complete list", () => {
    const found = l("<address><entry name='a'><tag><member>theirs</member><member>old</member></tag></entry></address>");
    const wanted = v("<address><entry name='a'><tag><member>new</member></tag></entry></address>");
    const tag = `${V}/address/entry[@name='a']/tag`;
    expect(changes(wanted, found, [`${tag}/member[text()='theirs']`])).toEqual([
      `missing ${tag}/member[text()='new']`,
      `extra ${tag}/member[text()='old']`,
    ]);
  });

  it("protects from deletion by the ledger", () => {
    const found = l(`<address>${entry("a", "1")}</address>`);
    const row = `${V}/address/entry[@name='a']`;
    expect(changes(v("<address/>"), found, [], [row])).toEqual([`extra ${row}`]);
    expect(changes(v("<address/>"), found, [row], [row])).toEqual([]);
  });

  it("does not change its input trees, and shares unaffected parts", () => {
    const wanted = desired(v(`<address>${entry("a", "1")}${entry("b", "2")}</address>`));
    const before = JSON.stringify(wanted);
    const made = applyIgnores(wanted, live(l("")), [
      { path: `${V}/address/entry[@name='a']`, owner: "o", reason: "r", until: undefined, origin: -1 },
    ]);
    expect(JSON.stringify(wanted)).toBe(before);
    const list = (root: typeof wanted) => root.children[0]?.children[0]?.children[0];
    expect(list(made)?.children[0]?.handling?.ignored).toBe(true);
    expect(list(made)?.children[1]).toBe(list(wanted)?.children[1]);
  });
});
