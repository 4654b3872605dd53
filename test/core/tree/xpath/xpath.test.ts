import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Path, quote } from "../../../../src/core/tree/path.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { parsePath, parseXPath, select } from "../../../../src/core/tree/xpath/xpath.js";

const root = parseXml(`<config>
  <devices>
    <entry name="localhost.localdomain">
      <network><interface><ethernet><entry name="ethernet1/1"/><entry name="ethernet1/2"/></ethernet></interface></network>
      <vsys><entry name="vsys1">
        <address>
          <entry name="web"><ip-netmask>10.0.0.1</ip-netmask></entry>
          <entry name="it's"><fqdn>x</fqdn></entry>
          <entry name="both ' and &quot;" uuid="u1"><ip-netmask>10.0.0.2</ip-netmask></entry>
        </address>
        <source-user><member>a</member><member>b</member><member>c</member><member>d</member><member>dom\\e f</member></source-user>
      </entry></vsys>
    </entry>
    <entry name="second"><network><interface><ethernet/></interface></network></entry>
  </devices>
</config>`);

const vsys = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const selected = (text: string) => select(root, parseXPath(text)).map(({ node }) => node.name ?? (node.text || node.tag));

describe("select", () => {
  it.each<[string, string[]]>([
    ["/config", ["config"]],
    ["/other", []],
    ["/", []],
    ["/config/devices/entry", ["localhost.localdomain", "second"]],
    ["/config/devices/entry/network/interface/ethernet", ["ethernet", "ethernet"]],
    ["/config/devices/entry/network/interface/ethernet/entry[@name='ethernet1/2']", ["ethernet1/2"]],
    [`${vsys}/address/entry[@name="it's"]/`, ["it's"]],
    [`${vsys}/address/entry[@name=concat('both ', "'", ' and "')]`, [`both ' and "`]],
    [`${vsys}/address/entry[@name='web' or @name="it's"]`, ["web", "it's"]],
    [`${vsys}/address/entry[ @name = "it's" or (@name='web' and ip-netmask='10.0.0.1') ]`, ["web", "it's"]],
    [`${vsys}/address/entry[ip-netmask='10.0.0.2']`, [`both ' and "`]],
    [`${vsys}/address/entry[@uuid='u1']/ip-netmask`, ["10.0.0.2"]],
    [`${vsys}/source-user/member[text()='dom\\e f']`, ["dom\\e f"]],
    [`${vsys}/source-user/member[2]`, ["b"]],
    [`${vsys}/source-user/member[position()<4]`, ["a", "b", "c"]],
    [`${vsys}/source-user/member[position()<=4][last()]`, ["d"]],
    [`${vsys}/source-user/member[position()>2][position()!=last()]`, ["c", "d"]],
    [`${vsys}/source-user/member[position() >= 4 or text()='a']`, ["a", "d", "dom\\e f"]],
    [`${vsys}/source-user/*[last()]`, ["dom\\e f"]],
    [`${vsys}/source-user/member[0]`, []],
    [`${vsys}/*/entry[1]`, ["web"]],
  ])("%s", (text, names) => {
    expect(selected(text)).toEqual(names);
  });

  it("returns addresses that lead back to the nodes", () => {
    const all = select(root, parseXPath(`${vsys}/*/*`));
    expect(all).toHaveLength(8);
    for (const { node, path } of all) expect(select(root, parseXPath(path.toString())).map((found) => found.node)).toEqual([node]);
  });

  it("starts a relative expression at the given node", () => {
    const base = parsePath(vsys);
    const [place] = select(root, parseXPath(vsys));
    const found = place === undefined ? [] : select(place.node, parseXPath("address/entry[@name='web']"), base);
    expect(found.map(({ path }) => path.toString())).toEqual([`${vsys}/address/entry[@name='web']`]);
  });

  it("finds a key in a long list without visiting the others, including duplicates", () => {
    const entries = Array.from({ length: 50 }, (_, index) => `<entry name="e${index}"/><member>m${index}</member>`).join("");
    const plain = parseXml(`<l>${entries}</l>`);
    const doubled = parseXml(`<l>${entries}<entry name="e7"/><member>m7</member><member>m7<x/></member></l>`);
    for (const [tree, count] of [[plain, 1] as const, [doubled, 2] as const]) {
      expect(select(tree, parseXPath("/l/entry[@name='e7']"))).toHaveLength(count);
      expect(select(tree, parseXPath("/l/member[text()='m7']"))).toHaveLength(count === 1 ? 1 : 3);
      expect(select(tree, parseXPath("/l/entry[@name='e7'][1]"))).toHaveLength(1);
      expect(select(tree, parseXPath("/l/entry[@name='e7'][position()>1]"))).toHaveLength(count - 1);
      expect(select(tree, parseXPath("/l/entry[@name='none']"))).toHaveLength(0);
    }
  });
});

describe("parseXPath refuses", () => {
  it.each<[string, number]>([
    ["", 1],
    ["//a", 2],
    ["/a//b", 4],
    ["/a/..", 4],
    ["/a[", 4],
    ["/a[]", 4],
    ["/a[@name]", 9],
    ["/a[@name='x]", 10],
    ["/a[@name=x]", 10],
    ["/a[@name='x' or]", 16],
    ["/a[count()=1]", 11],
    ["/a[position()]", 14],
    ["/a[position()<'1']", 15],
    ["/a[@name='x']b", 14],
    ["/a | /b", 4],
    ["/a[-1]", 4],
    ["/a[@name=concat('x']", 20],
    ["/a[@name='a'", 13],
    ["/child::a", 7],
    [`/a[${"(".repeat(40)}1${")".repeat(40)}]`, 37],
  ])("%s", (text, column) => {
    expect(() => parseXPath(text)).toThrow(expect.objectContaining({ code: "xpath-malformed", where: { xpath: text, column } }));
  });
});

describe("parsePath", () => {
  const letter = fc.constantFrom("a", "b", "é", "·", "-", ".", ":", "_", "1", " ", "'", '"', "/", "[", "]", "=", "@");
  const text = fc.string({ unit: letter, maxLength: 4 });
  const step = fc.oneof(
    text.map((name) => `entry[@name=${quote(name)}]`),
    text.map((value) => `member[text()=${quote(value)}]`),
    fc.constantFrom("address", "tag", "é·x", "a:b", "entry[@name='x'", "entry[ @name = 'x' ]", "entry", "*", "entry[@name='x']]", "tag "),
  );
  const rows = fc.array(
    fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => `/config/${steps.join("/")}`),
    { maxLength: 8 },
  );
  const read = (row: string): string => {
    try {
      return parsePath(row).toString();
    } catch (error) {
      return (error as Error).message;
    }
  };

  it("reads each row of a list independently of earlier rows", () => {
    const alone = (row: string): string => {
      parsePath("/other");
      return read(row);
    };
    fc.assert(
      fc.property(rows, (all) => {
        expect(all.map(read)).toEqual(all.map(alone));
      }),
    );
  });

  it.each([
    "/",
    "/config/shared",
    `${vsys}/address/entry[@name="it's"]`,
    `/a/entry[@name=concat('"',"'",'')]/source/member[text()='x [1]/y']`,
  ])("reads back what a path prints: %s", (text) => {
    const path = parsePath(text);
    expect(parsePath(path.toString()).equals(path)).toBe(true);
  });

  it("resolves a relative path against a base", () => {
    expect(parsePath("rules/entry[@name='r']", Path.root.child("config")).toString()).toBe("/config/rules/entry[@name='r']");
  });

  it.each([
    "/a/*",
    "/a/b[1]",
    "/a/b[@uuid='x']",
    "/a/entry[@name='x' or @name='y']",
    "/a/entry",
    "/a/member/b",
    "/a/b[@name='x'][1]",
    "/a/b[c='d']",
  ])("refuses %s, which may stand for several nodes", (text) => {
    expect(() => parsePath(text)).toThrow(expect.objectContaining({ code: "xpath-not-exact" }));
  });
});
