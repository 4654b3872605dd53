import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import { UndoLog } from "../../../src/core/tree/edit/edit-tree.js";
import { insertChild } from "../../../src/core/tree/edit/primitives.js";
import { find } from "../../../src/core/tree/lookup.js";
import { SecretLeaf, type TreeNode } from "../../../src/core/tree/node.js";
import { writeXml } from "../../../src/core/tree/xml/write.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { chooseFragments } from "../../../src/plan/cost/choose-fragments.js";
import type { CostInput } from "../../../src/plan/cost/input.js";
import { diff } from "../../../src/plan/diff/diff.js";
import type { Fragment } from "../../../src/plan/fragment.js";
import { desired, live, shape } from "../diff/trees.js";

const V = "/config/vsys/entry[@name='v']";
const v = (content: string): string => `<config place=""><vsys place=""><entry name="v" place="">${content}</entry></vsys></config>`;
const l = (content: string): string => `<config><vsys><entry name="v">${content}</entry></vsys></config>`;

function fragments(wanted: string, found: string | TreeNode, more: Partial<CostInput> = {}): Fragment[] {
  const root = typeof found === "string" ? live(found) : found;
  const tree = desired(wanted);
  const difference = diff({ desired: tree, live: root, shape, only: more.only, secretState: () => "equal" });
  return chooseFragments({
    diff: difference,
    desired: tree,
    live: root,
    shape,
    rewriteLists: "never",
    atomicBatch: false,
    rename: true,
    ...more,
  });
}

function lines(wanted: string, found: string | TreeNode, more: Partial<CostInput> = {}): string[] {
  return fragments(wanted, found, more).map(({ operation }) => {
    if (operation.action === "rename") return `rename ${operation.at} ${operation.newName}`;
    const payload = "element" in operation ? ` ${writeXml(operation.element, { secrets: "label" })}` : "";
    return `${operation.action} ${operation.at}${payload}`;
  });
}

describe("sets", () => {
  it("start at the nearest live node and include missing containers", () => {
    expect(lines(v("<address><entry name='a'><fqdn>f</fqdn></entry></address>"), l(""))).toEqual([
      `set ${V} <address><entry name="a"><fqdn>f</fqdn></entry></address>`,
    ]);
    expect(lines(v("<settings place=''><host>h</host></settings>"), l(""))).toEqual([`set ${V} <settings><host>h</host></settings>`]);
  });
  it("contain many new entries of one list, and cover all their changes", () => {
    const [one, ...others] = fragments(
      v("<address><entry name='a'/><entry name='b'/></address>"),
      l("<address><entry name='x'/></address>"),
    );
    expect(others).toEqual([]);
    expect(one).toMatchObject({ kind: "create", changes: [0, 1] });
    expect(one?.unit.toString()).toBe(`${V}/address`);
  });
  it("never include two lists that define objects, nor a definition and a reference to it", () => {
    const wanted = v(
      "<address><entry name='a'/></address><mesh><entry name='m'/></mesh><rules><entry name='r'><source><member>a</member></source></entry></rules>",
    );
    expect(lines(wanted, l("<address/><mesh/><rules/>"))).toEqual([
      `set ${V}/address <entry name="a"/>`,
      `set ${V}/mesh <entry name="m"/>`,
      `set ${V}/rules <entry name="r"><source><member>a</member></source></entry>`,
    ]);
  });
  it("split a missing container with several lists, with the container in each", () => {
    const wanted =
      "<config place=''><vsys><entry name='new' open=''><display-name>n</display-name><address><entry name='a'/></address><group><entry name='g'><static><member>a</member></static></entry></group></entry></vsys></config>";
    expect(lines(wanted, "<config><vsys/></config>")).toEqual([
      'set /config/vsys <entry name="new"><address><entry name="a"/></address><display-name>n</display-name></entry>',
      'set /config/vsys <entry name="new"><group><entry name="g"><static><member>a</member></static></entry></group></entry>',
    ]);
  });
  it("stay in one scope", () => {
    const two = (text: string): string => `<display-name>${text}</display-name>`;
    const wanted = `<config place=''><vsys place=''><entry name='v' place=''>${two("1")}</entry><entry name='w' place=''>${two("2")}</entry></vsys></config>`;
    const found = `<config><vsys><entry name='v'>${two("x")}</entry><entry name='w'>${two("x")}</entry></vsys></config>`;
    expect(lines(wanted, found)).toHaveLength(2);
  });
});

describe("members", () => {
  const rule = (source: string, open = ""): string =>
    `<rules><entry name='r' ${open}><source>${source}</source><description>d</description></entry></rules>`;
  const members = (...texts: string[]): string => texts.map((text) => `<member>${text}</member>`).join("");
  it("are added and deleted one by one if that is cheaper, and replaced otherwise", () => {
    const many = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    expect(lines(v(rule(members(...many))), l(rule(members(...many, "x"))), { atomicBatch: true })).toEqual([
      `delete ${V}/rules/entry[@name='r']/source/member[text()='x']`,
    ]);
    expect(lines(v(rule(members("1"))), l(rule(members(...many))), { atomicBatch: true })).toEqual([
      `edit ${V}/rules/entry[@name='r']/source <source><member>1</member></source>`,
    ]);
  });
  it("are added before the last old one is deleted", () => {
    const wanted = v("<rules><entry name='r' open=''><source exclude='old'><member>new</member></source></entry></rules>");
    expect(lines(wanted, l("<rules><entry name='r'><source><member>old</member></source></entry></rules>"))).toEqual([
      `set ${V}/rules/entry[@name='r']/source <member>new</member>`,
      `delete ${V}/rules/entry[@name='r']/source/member[text()='old']`,
    ]);
  });
  it("in the wrong order are replaced, except for new ones at the end", () => {
    const servers = (...texts: string[]): string => `<settings><servers>${members(...texts)}</servers></settings>`;
    expect(lines(v(servers("2", "1")), l(servers("1", "2")))).toEqual([
      `edit ${V}/settings/servers <servers>${members("2", "1")}</servers>`,
    ]);
    expect(lines(v(servers("0", "1")), l(servers("1")))).toEqual([`edit ${V}/settings/servers <servers>${members("0", "1")}</servers>`]);
    expect(lines(v(servers("1", "2")), l(servers("1")))).toEqual([`set ${V}/settings/servers <member>2</member>`]);
  });
});

describe("edits", () => {
  const entry = (text: string, more = ""): string =>
    `<rules><entry name='r' ${more}><option><log>${text}</log><note>${text}</note><extra>${text}</extra></option><description>${text}</description></entry></rules>`;
  it("replace an owned node if that is cheaper, and contain its uuid", () => {
    const found = l("<rules><entry name='r' uuid='u'><option><log>x</log></option><description>y</description></entry></rules>");
    expect(lines(v("<rules><entry name='r'><action>allow</action></entry></rules>"), found)).toEqual([
      `edit ${V}/rules/entry[@name='r'] <entry name="r" uuid="u"><action>allow</action></entry>`,
    ]);
  });
  it("are not legal around $partial, ignored, kept or inherited parts", () => {
    const found = (more: string): string =>
      l(`<rules><entry name='r'><option><log>x</log></option><description>y</description>${more}</entry></rules>`);
    for (const part of ["<note keep=''>k</note>", "<note ignored=''>k</note>", "<part open=''><a>k</a></part>"]) {
      const live = part.startsWith("<part") ? "<part><a>k</a></part>" : "<note>k</note>";
      const actions = fragments(v(`<rules><entry name='r'><action>allow</action>${part}</entry></rules>`), found(live));
      expect(actions.map(({ operation }) => operation.action)).toEqual(["set", "delete", "delete"]);
    }
    const inherited = l(
      "<rules><entry name='r'><option><log ptpl='t'>x</log><note>n</note></option><description>y</description></entry></rules>",
    );
    expect(lines(v("<rules><entry name='r'><action>allow</action></entry></rules>"), inherited)).toEqual([
      `set ${V}/rules/entry[@name='r'] <action>allow</action>`,
      `delete ${V}/rules/entry[@name='r']/option/note`,
      `delete ${V}/rules/entry[@name='r']/description`,
    ]);
  });
  it("never send a stored secret again", () => {
    const found = live(l("<address><entry name='a'><fqdn>x</fqdn><description>y</description></entry></address>"));
    const at = find(found, parsePath(`${V}/address/entry[@name='a']`)) as TreeNode;
    insertChild(at, new SecretLeaf("password", new SecretValue("-AQ==", "«stored»")), 0, new UndoLog());
    const wanted = v("<address><entry name='a'><password secret='s'>${env:S}</password><ip-netmask>1.1.1.1</ip-netmask></entry></address>");
    expect(lines(wanted, found).join("\n")).not.toContain("password");
  });
  it("replace a list of entries only if it is exclusive and the target allows it", () => {
    const found = l(`<address>${["1", "2", "3", "4", "5"].map((name) => `<entry name='${name}'/>`).join("")}</address>`);
    const exclusive = v("<address closed=''><entry name='1'/></address>");
    expect(lines(exclusive, found)).toHaveLength(4);
    expect(lines(exclusive, found, { rewriteLists: "allowed" })).toEqual([`edit ${V}/address <address><entry name="1"/></address>`]);
    expect(lines(v("<address><entry name='1'><fqdn>f</fqdn></entry></address>"), found, { rewriteLists: "allowed" })).toHaveLength(1);
  });
  it("stay inside the requested subtree", () => {
    const only = parsePath(`${V}/rules/entry[@name='r']/option/log`);
    expect(lines(v(entry("new")), l(entry("old")), { only })).toEqual([`set ${V}/rules/entry[@name='r']/option <log>new</log>`]);
  });
  it("write an empty text, which a set cannot", () => {
    expect(lines(v("<settings><host></host></settings>"), l("<settings><host>h</host></settings>"))).toEqual([
      `edit ${V}/settings/host <host/>`,
    ]);
  });
});

describe("choices and renames", () => {
  it("delete the old alternative next to the set of the new one", () => {
    const wanted = v("<address><entry name='a' open=''><fqdn>f</fqdn></entry></address>");
    expect(lines(wanted, l("<address><entry name='a'><ip-netmask>1.1.1.1</ip-netmask></entry></address>"))).toEqual([
      `set ${V}/address/entry[@name='a'] <fqdn>f</fqdn>`,
      `delete ${V}/address/entry[@name='a']/ip-netmask`,
    ]);
  });
  const wanted = v("<address><entry name='new' was='old'><fqdn>f</fqdn></entry></address>");
  const found = l("<address><entry name='old'><fqdn>e</fqdn></entry></address>");
  it("rename first, then write under the new name", () => {
    expect(lines(wanted, found)).toEqual([
      `rename ${V}/address/entry[@name='old'] new`,
      `set ${V}/address/entry[@name='new'] <fqdn>f</fqdn>`,
    ]);
  });
  it("recreate and delete if the platform cannot rename, unless data would be lost", () => {
    expect(lines(wanted, found, { rename: false })).toEqual([
      `set ${V}/address <entry name="new"><fqdn>f</fqdn></entry>`,
      `delete ${V}/address/entry[@name='old']`,
    ]);
    const keeps = v("<address><entry name='new' was='old'><fqdn keep=''>f</fqdn></entry></address>");
    expect(() => lines(keeps, found, { rename: false })).toThrow(expect.objectContaining({ code: "rename-impossible" }));
  });
});

describe("growth", () => {
  it("chooses one small write in a large list that could be replaced", () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `<entry name='e${i}'><fqdn>f</fqdn></entry>`).join("");
    const changed = many.replace("<entry name='e500'><fqdn>f<", "<entry name='e500'><fqdn>g<");
    const chosen = fragments(v(`<address closed=''>${many}</address>`), l(`<address>${changed}</address>`), { rewriteLists: "allowed" });
    expect(chosen.map(({ operation }) => operation.action)).toEqual(["set"]);
  });
});
