import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import {
  canonicalDigest,
  canonicalScalar,
  canonicalText,
  equalNodes,
  METADATA_ATTRIBUTES,
  sizeOf,
} from "../../../src/core/tree/canonical.js";
import { SecretLeaf, TreeNode } from "../../../src/core/tree/node.js";
import { buildShape } from "../../../src/core/tree/shape-table.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { DesiredNode } from "../../../src/desired/model.js";
import { shuffled } from "../../shuffled.js";
import { xmlTree } from "./arbitraries.js";

const shape = buildShape({
  root: {
    address: {
      $: "list",
      "ip-netmask": "leaf equality=cidr",
      fqdn: "leaf equality=caseless",
      tag: "members empty=absent",
      disabled: "leaf default=no",
    },
    rules: { $: "list ordered", from: "members", chain: "members ordered" },
    empty: { $: "container empty=absent", inner: "leaf empty=absent" },
    key: "leaf secret",
  },
  types: {},
});
const text = (xml: string) => canonicalText(parseXml(`<config>${xml}</config>`), shape);
const equal = (a: string, b: string) => equalNodes(parseXml(`<config>${a}</config>`), parseXml(`<config>${b}</config>`), shape);

describe("equal trees", () => {
  it.each<[string, string, string]>([
    ["metadata attributes are nothing", `<a admin="x" time="t" dirtyId="1" uuid="u"><b loc="l">1</b></a>`, "<a><b>1</b></a>"],
    [
      "entries have no order",
      `<address><entry name="b"/><entry name="a"/></address>`,
      `<address><entry name="a"/><entry name="b"/></address>`,
    ],
    ["children of an entry have no order", "<x><b>1</b><a>2</a></x>", "<x><a>2</a><b>1</b></x>"],
    [
      "members are a set",
      "<rules><entry name='r'><from><member>b</member><member>a</member><member>b</member></from></entry></rules>",
      "<rules><entry name='r'><from><member>a</member><member>b</member></from></entry></rules>",
    ],
    ["unknown members are a set", "<u><member>b</member><member>a</member></u>", "<u><member>a</member><member>b</member></u>"],
    ["unknown entries have no order", `<u><entry name="b"/><entry name="a"/></u>`, `<u><entry name="a"/><entry name="b"/></u>`],
    [
      "a default equals nothing",
      `<address><entry name="a"><disabled>no</disabled></entry></address>`,
      `<address><entry name="a"/></address>`,
    ],
    [
      "an empty list equals an absent one where the shape says so",
      `<address><entry name="a"><tag/></entry></address>`,
      `<address><entry name="a"/></address>`,
    ],
    ["so does a container of such", "<empty><inner/></empty>", ""],
    ["blank text with a line break is empty", "<x>\n  </x>", "<x/>"],
    [
      "a CIDR has one spelling",
      `<address><entry name="a"><ip-netmask>2001:0DB8:0:0::1/128</ip-netmask></entry></address>`,
      `<address><entry name="a"><ip-netmask>2001:db8::1</ip-netmask></entry></address>`,
    ],
    [
      "a name of a host has no case",
      `<address><entry name="a"><fqdn>WWW.example.com</fqdn></entry></address>`,
      `<address><entry name="a"><fqdn>www.example.com</fqdn></entry></address>`,
    ],
  ])("%s", (_, a, b) => {
    expect(text(a)).toBe(text(b));
    expect(equal(a, b)).toBe(true);
    expect(equal(b, a)).toBe(true);
  });
});

describe("different trees", () => {
  it.each<[string, string, string]>([
    ["other attributes", `<a kind="1"/>`, "<a/>"],
    ["a name", `<a name="x"/>`, `<a name="y"/>`],
    ["an empty name", `<a name=""/>`, "<a/>"],
    ["order of an ordered list", `<rules><entry name="b"/><entry name="a"/></rules>`, `<rules><entry name="a"/><entry name="b"/></rules>`],
    [
      "order of ordered members",
      "<rules><entry name='r'><chain><member>b</member><member>a</member></chain></entry></rules>",
      "<rules><entry name='r'><chain><member>a</member><member>b</member></chain></entry></rules>",
    ],
    ["an unknown empty element and an absent one", "<x/>", ""],
    ["blank text without a line break and none", "<x>  </x>", "<x/>"],
    ["text", "<x>1</x>", "<x>2</x>"],
    ["case of a text", "<x>a</x>", "<x>A</x>"],
    [
      "a host's address and its network",
      `<address><entry name="a"><ip-netmask>10.0.0.1/24</ip-netmask></entry></address>`,
      `<address><entry name="a"><ip-netmask>10.0.0.0/24</ip-netmask></entry></address>`,
    ],
    ["an entry more", `<address><entry name="a"/></address>`, `<address><entry name="a"/><entry name="b"/></address>`],
    ["a member less", "<u><member>a</member><member>b</member></u>", "<u><member>a</member></u>"],
    [
      "a value that is not the default",
      `<address><entry name="a"><disabled>yes</disabled></entry></address>`,
      `<address><entry name="a"/></address>`,
    ],
    ["order of repeated leaves", "<x><line>1</line><line>2</line></x>", "<x><line>2</line><line>1</line></x>"],
    ["order of mixed content", "<x>1<b/>2</x>", "<x>2<b/>1</x>"],
  ])("%s", (_, a, b) => {
    expect(text(a)).not.toBe(text(b));
    expect(equal(a, b)).toBe(false);
    expect(equal(b, a)).toBe(false);
  });
});

describe("secrets", () => {
  const live = (value: string) => new TreeNode("config", undefined, "", [new SecretLeaf("key", new SecretValue(value, "«stored secret»"))]);

  it("show only their label, also in the desired state", () => {
    expect(canonicalText(live("pw"), shape)).toBe("<config><key>«stored secret»</key></config>");
    const secret = new SecretValue("pw", "${env:K}");
    const node = new DesiredNode("key", undefined, "${env:K}", [], { origin: 0, prunes: true, declared: true, handling: { secret } });
    expect(canonicalText(node, shape.child("key"))).toBe("<key>${env:K}</key>");
  });

  it("are equal if their values are, and never equal to a text", () => {
    expect(equalNodes(live("pw"), live("pw"), shape)).toBe(true);
    expect(equalNodes(live("pw"), live("other"), shape)).toBe(false);
    expect(equalNodes(live("pw"), parseXml("<config><key>pw</key></config>"), shape)).toBe(false);
    expect(equalNodes(parseXml("<config><key/></config>"), live(""), shape)).toBe(false);
  });
});

/** The same tree with children in another order, metadata added, and blank text between elements. */
const disturbed = (node: TreeNode, random: () => number): TreeNode => {
  const inOrder = node.children.map((child) => disturbed(child, random));
  const mixed = inOrder.some((child) => child.tag === "#text");
  const keys = new Set(inOrder.map((child) => `${child.tag}\u0000${child.name}`));
  const members = inOrder.every((child) => child.tag === "member" && child.name === undefined && child.children.length === 0);
  const children = !mixed && (keys.size === inOrder.length || members) ? shuffled(inOrder, random) : inOrder;
  const attributes = new Map([...(node.attributes ?? []), ["dirtyId", String(random())], ["ptpl", "t"]]);
  return new TreeNode(node.tag, node.name, node.text, children, attributes);
};

describe("random trees", () => {
  it("are equal for equivalent trees, and their texts agree with equality", () => {
    fc.assert(
      fc.property(xmlTree, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (tree, stream) => {
        const other = disturbed(tree, () => stream.next().value as number);
        expect(canonicalText(other, shape)).toBe(canonicalText(tree, shape));
        expect(equalNodes(tree, other, shape)).toBe(true);
        expect(canonicalDigest(other, shape)).toBe(canonicalDigest(tree, shape));
      }),
      { numRuns: 500 },
    );
  });

  it("are equal exactly if their texts are", () => {
    const small = fc.letrec<{ node: TreeNode }>((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        fc
          .tuple(fc.constantFrom("member", "empty", "inner", "disabled", "x"), fc.constantFrom("", "no", "1", "\n", " "))
          .map(([tag, value]) => new TreeNode(tag, undefined, value)),
        fc
          .tuple(
            fc.constantFrom("entry", "address", "empty", "x"),
            fc.constantFrom(undefined, "a"),
            fc.array(tie("node"), { maxLength: 3 }),
          )
          .map(([tag, name, children]) => new TreeNode(tag, name, "", children)),
      ),
    })).node;
    let same = 0;
    const config = fc.array(small, { maxLength: 3 }).map((children) => new TreeNode("config", undefined, "", children));
    fc.assert(
      fc.property(config, config, (a, b) => {
        const expected = canonicalText(a, shape) === canonicalText(b, shape);
        if (expected) same++;
        expect(equalNodes(a, b, shape)).toBe(expected);
      }),
      { numRuns: 5000 },
    );
    expect(same).toBeGreaterThan(20);
  });
});

it("canonicalText has a fixed form, and the digest is computed from it", () => {
  const tree = parseXml(
    `<config><rules><entry name="b &amp; &quot;c&quot;" uuid="u" kind="k"><from><member>z</member><member>a</member></from></entry></rules><x> </x></config>`,
  );
  const expected = `<config><rules><entry name="b &amp; &quot;c&quot;" kind="k"><from><member>a</member><member>z</member></from></entry></rules><x> </x></config>`;
  expect(canonicalText(tree, shape)).toBe(expected);
  expect(canonicalDigest(tree, shape)).toBe(createHash("sha256").update(expected).digest("hex"));
});

it("canonicalScalar returns a text that is not an address unchanged", () => {
  for (const other of ["", "web", "10.0.0.1/", "10.0.0.1/24/3", "10.0.0.1/x", "10.0.0.300/24", "10.0.0.1-10.0.0.9"])
    expect(canonicalScalar(other, "cidr")).toBe(other);
  expect(canonicalScalar("10.0.0.1/32", "cidr")).toBe("10.0.0.1");
  expect(canonicalScalar("fe80::0:1/64", "cidr")).toBe("fe80::1/64");
});

it("sizeOf counts a node and all below it", () => {
  expect(sizeOf(parseXml("<a/>"))).toBe(1);
  expect(sizeOf(parseXml("<a><b><c/></b><d>x</d></a>"))).toBe(4);
});

it("knows the metadata attributes", () => {
  expect([...METADATA_ATTRIBUTES].sort()).toEqual([
    "admin",
    "detail-version",
    "dirtyId",
    "loc",
    "made-as",
    "panorama",
    "ptpl",
    "shared-name",
    "src",
    "time",
    "type",
    "urldb",
    "uuid",
    "version",
  ]);
});
