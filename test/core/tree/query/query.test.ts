import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../../src/core/secret.js";
import { SecretLeaf, TreeNode } from "../../../../src/core/tree/node.js";
import { Query } from "../../../../src/core/tree/query/query.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";

const code = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

const evaluate = (text: string, root: TreeNode) => {
  const result = new Query(text).evaluate(root);
  return typeof result === "object" ? result.map(({ nodeName, nodeValue }) => nodeValue ?? nodeName) : result;
};

const leaf = (name: string, text: string) => new TreeNode(name, undefined, text);

describe("a query", () => {
  it.each(["", "//a[", "1 +", "a::b", "foo()", "$x", "x:y", "x:*", "count(1)", "1/a"])("refuses %j with its own error code", (text) => {
    expect(code(() => new Query(text).evaluate(leaf("config", "")))).toBe("xpath-expression-invalid");
  });

  it("refuses an overlong expression", () => {
    expect(code(() => new Query(`${"(".repeat(5000)}1${")".repeat(5000)}`))).toBe("xpath-expression-invalid");
  });

  it("accepts brackets up to the depth limit", () => {
    expect(evaluate(`${"(".repeat(2000)}1${")".repeat(2000)}`, leaf("config", ""))).toBe(1);
    expect(evaluate(`${"-".repeat(4000)}1`, leaf("config", ""))).toBe(1);
    expect(new Query(`${"-".repeat(4000)}a`).subtrees(parsePath("/config/shared"))?.map(String)).toEqual(["/config/shared/a"]);
  });

  it("is evaluated from the root element", () => {
    const root = parseXml("<config><a>1</a><a>2</a></config>");
    expect(evaluate("a", root)).toEqual(["a", "a"]);
    expect(evaluate("/config/a/text()", root)).toEqual(["1", "2"]);
    expect(evaluate("sum(a)", root)).toBe(3);
    expect(evaluate("string(a[2])", root)).toBe("2");
    expect(evaluate("boolean(b)", root)).toBe(false);
    expect(evaluate("/", root)).toEqual(["#document"]);
  });

  it("finds names with both kinds of quotes", () => {
    const name = `it's "both"`;
    const root = new TreeNode("config", undefined, "", [new TreeNode("entry", name, "")]);
    expect(evaluate(`//entry[@name=concat('it', "'", 's "both"')]/@name`, root)).toEqual([name]);
  });

  it("shows the label of a secret and does not reveal its value", () => {
    const root = new TreeNode("config", undefined, "", [new SecretLeaf("password", new SecretValue("hunter2", "«stored»"))]);
    expect(evaluate("string(password)", root)).toBe("«stored»");
    expect(evaluate("//text()", root)).toEqual(["«stored»"]);
    expect(evaluate("//password[starts-with(., 'h') or contains(., 'unter') or string-length() = 7]", root)).toEqual([]);
  });

  it("can read the language of any node", () => {
    const root = parseXml("<config><a xml:lang='en-GB'><b>x</b></a></config>");
    expect(evaluate("//text()[lang('en')]", root)).toEqual(["x"]);
    expect(evaluate("//@*[lang('de')]", root)).toEqual([]);
  });
});

describe("a hostile tree", () => {
  const wide = new TreeNode(
    "config",
    undefined,
    "",
    Array.from({ length: 100_000 }, (_, index) => new TreeNode("entry", `e${index}`, "", [leaf("v", String(index % 7))])),
  );

  it("with 100,000 siblings is answered within a few visits per node", () => {
    const visits = 20 * 100_000;
    for (const [text, answer] of [
      ["count(//entry)", 100_000],
      ["count(//entry[@name='e99999'])", 1],
      ["count(entry[50000]/preceding-sibling::entry)", 49_999],
      ["count(entry[preceding-sibling::entry[1]])", 99_999],
      ["count(//entry[last()]/following-sibling::* | //entry[1])", 1],
      ["count(entry/..)", 1],
      ["count(entry[not(preceding-sibling::entry)])", 1],
      ["count(entry[following-sibling::*])", 99_999],
    ] as const)
      expect(new Query(text).evaluate(wide, visits), text).toBe(answer);
  });

  it("is joined with itself in one pass", () => {
    expect(new Query("count(entry[@name = //entry/@name])").evaluate(wide, 50 * 100_000)).toBe(100_000);
  });

  it("stops an expression that visits too many nodes, and reports the limit", () => {
    const query = new Query("//entry[count(preceding-sibling::entry) > 5]");
    expect(code(() => query.evaluate(wide))).toBe("xpath-too-costly");
    expect(() => query.evaluate(wide, 1_000_000)).toThrow("visits more than 1,000,000 nodes");
  });

  it("may have the maximum depth of XML", () => {
    const deep = parseXml(`<config>${"<a>".repeat(255)}x${"</a>".repeat(255)}</config>`);
    expect(evaluate("count(//a)", deep)).toBe(255);
    expect(evaluate("string(//a[not(a)])", deep)).toBe("x");
    expect(evaluate("count(//a/ancestor::*)", deep)).toBe(255);
  });
});

describe("subtrees of a query", () => {
  const subtrees = (text: string) => new Query(text).subtrees(parsePath("/config"))?.map(String);

  it.each([
    ["/config/shared/address", ["/config/shared/address"]],
    ["shared/address/entry[@name='x']/ip", ["/config/shared/address/entry[@name='x']/ip"]],
    ["./shared/address/entry[ip='x']", ["/config/shared/address"]],
    ["count(shared/address/entry) + count(devices)", ["/config/shared/address", "/config/devices"]],
    ["shared/address | shared/address/entry", ["/config/shared/address"]],
    ["shared/address | shared/address", ["/config/shared/address"]],
    ["shared/address/entry[@name = /config/shared/tag/entry/@name]", ["/config/shared/address", "/config/shared/tag"]],
    ["shared/address/entry[3]/following-sibling::*", ["/config/shared"]],
    ["(shared/address/entry)[1]/ip", ["/config/shared/address"]],
    ["/other/x", []],
  ])("of %s are %j", (text, paths) => {
    expect(subtrees(text)).toEqual(paths);
  });

  it("start at the requested node", () => {
    const from = (text: string) => new Query(text).subtrees(parsePath("/config/shared"))?.map(String);
    expect(from("tag/entry[not(color)]")).toEqual(["/config/shared/tag"]);
    expect(from("/config/devices/entry[not(vsys)]")).toEqual(["/config/devices"]);
    expect(from("..")).toBeUndefined();
  });

  it.each([
    "//entry",
    "/",
    ".",
    "/config",
    "*",
    "1 + 1",
    "shared/address/..",
    "shared/address/entry[../tag]",
    "shared/following-sibling::*",
  ])("of %s are all", (text) => {
    expect(subtrees(text)).toBeUndefined();
  });
});
