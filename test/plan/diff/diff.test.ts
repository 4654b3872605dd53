import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import { UndoLog } from "../../../src/core/tree/edit/edit-tree.js";
import { insertChild } from "../../../src/core/tree/edit/primitives.js";
import { find } from "../../../src/core/tree/lookup.js";
import { SecretLeaf } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { compare } from "./run.js";
import { live } from "./trees.js";

/** One vsys, the scope of most documents. */
const v = (content: string): string => `<config place=""><vsys place=""><entry name="v" place="">${content}</entry></vsys></config>`;
const l = (content: string): string => `<config><vsys><entry name="v">${content}</entry></vsys></config>`;
const V = "/config/vsys/entry[@name='v']";

describe("ownership", () => {
  it("ignores undeclared siblings of a declared container or entry in a merged list", () => {
    const found = l(
      "<display-name>x</display-name><address><entry name='theirs'><fqdn>t</fqdn></entry><entry name='a'><fqdn>a</fqdn></entry></address>",
    );
    expect(compare(v("<address><entry name='a'><fqdn>a</fqdn></entry></address>"), found)).toEqual([]);
  });
  it("reports an undeclared child of a complete entry, and undeclared entries of an exclusive list", () => {
    const found = l(
      "<address><entry name='a'><fqdn>a</fqdn><description>d</description></entry><entry name='b'><fqdn>b</fqdn></entry></address>",
    );
    expect(compare(v("<address closed=''><entry name='a'><fqdn>a</fqdn></entry></address>"), found)).toEqual([
      `extra ${V}/address/entry[@name='a']/description (closed)`,
      `extra ${V}/address/entry[@name='b'] (closed)`,
    ]);
  });
  it("reports a complete missing entry, list or container once", () => {
    expect(compare(v("<address><entry name='a'><fqdn>a</fqdn></entry></address>"), l(""))).toEqual([`missing ${V}/address`]);
    expect(compare(v("<address><entry name='a'><fqdn>a</fqdn></entry></address>"), l("<address/>"))).toEqual([
      `missing ${V}/address/entry[@name='a']`,
    ]);
  });
  it("compares members as a set, all of them or only the named ones", () => {
    const found = l("<address><entry name='a'><fqdn>a</fqdn><tag><member>y</member><member>x</member></tag></entry></address>");
    const tags = (tag: string): string => v(`<address><entry name='a' open=''>${tag}</entry></address>`);
    expect(compare(tags("<tag><member>x</member><member>y</member></tag>"), found)).toEqual([]);
    expect(compare(tags("<tag><member>x</member></tag>"), found)).toEqual([`differs ${V}/address/entry[@name='a']/tag`]);
    expect(compare(tags("<tag exclude='y q'><member>z</member></tag>"), found)).toEqual([
      `missing ${V}/address/entry[@name='a']/tag/member[text()='z']`,
      `extra ${V}/address/entry[@name='a']/tag/member[text()='y'] (excluded)`,
    ]);
    expect(compare(tags("<tag open=''><member>x</member></tag>"), found)).toEqual([]);
  });
  it("compares ordered members as a sequence", () => {
    const found = l("<settings><servers><member>1</member><member>2</member></servers></settings>");
    expect(compare(v("<settings><servers><member>2</member><member>1</member></servers></settings>"), found)).toEqual([
      `differs ${V}/settings/servers`,
    ]);
  });
  it("deletes the old alternative, also in a partial entry", () => {
    const found = l("<address><entry name='a'><ip-netmask>1.1.1.1</ip-netmask></entry></address>");
    expect(compare(v("<address><entry name='a' open=''><fqdn>a</fqdn></entry></address>"), found)).toEqual([
      `missing ${V}/address/entry[@name='a']/fqdn`,
      `extra ${V}/address/entry[@name='a']/ip-netmask (excluded)`,
    ]);
  });
  it("never creates entries of a scope, only the containers around declared nodes", () => {
    expect(compare(v("<settings place=''><host>h</host></settings>"), l(""))).toEqual([`missing ${V}/settings/host`]);
    expect(compare(v("<settings><host>h</host></settings>"), "<config><vsys/></config>")).toEqual([`REFUSES place-missing ${V}`]);
  });
});

describe("equality", () => {
  it("knows defaults, empty lists, case and spellings of addresses", () => {
    expect(compare(v("<settings><mode>auto</mode></settings>"), l("<settings/>"))).toEqual([]);
    expect(compare(v("<settings><mode>manual</mode></settings>"), l("<settings/>"))).toEqual([`missing ${V}/settings/mode`]);
    expect(compare(v("<settings closed=''/>"), l("<settings><mode>auto</mode></settings>"))).toEqual([]);
    expect(compare(v("<address/>"), l(""))).toEqual([]);
    expect(
      compare(
        v("<settings><host>Web</host><net>2001:DB8:0:0::1/64</net></settings>"),
        l("<settings><host>wEB</host><net>2001:db8::1/64</net></settings>"),
      ),
    ).toEqual([]);
    expect(compare(v("<settings><host>web</host></settings>"), l("<settings><host>wab</host></settings>"))).toEqual([
      `differs ${V}/settings/host`,
    ]);
  });
  it("distinguishes a present empty container from an absent one", () => {
    expect(compare(v("<settings/>"), l(""))).toEqual([`missing ${V}/settings`]);
  });
  it("ignores metadata of the device", () => {
    const found = l("<rules><entry name='r' uuid='u' admin='x' time='t'><source><member>any</member></source></entry></rules>");
    expect(compare(v("<rules><entry name='r'><source><member>any</member></source></entry></rules>"), found)).toEqual([]);
  });
});

describe("inherited nodes", () => {
  const found = l("<address><entry name='a' ptpl='T'><fqdn>a</fqdn></entry><entry name='b' loc='G'><fqdn>b</fqdn></entry></address>");
  it("are satisfied if equal, a finding if different, and never extra", () => {
    expect(compare(v("<address closed=''><entry name='a'><fqdn>a</fqdn></entry></address>"), found)).toEqual([]);
    expect(compare(v("<address><entry name='a'><fqdn>z</fqdn></entry></address>"), found)).toEqual([
      `inherited ${V}/address/entry[@name='a']/fqdn`,
    ]);
    expect(compare(v("<address><entry name='a'><fqdn>a</fqdn><description>d</description></entry></address>"), found)).toEqual([
      `inherited ${V}/address/entry[@name='a']/description`,
    ]);
  });
  it("are written with $override", () => {
    expect(compare(v("<address><entry name='a' override=''><fqdn>z</fqdn></entry></address>"), found)).toEqual([
      `differs ${V}/address/entry[@name='a']/fqdn`,
    ]);
  });
  it("keep the extra entry that contains them, and the rest is deleted", () => {
    const mixed = l("<address><entry name='x'><fqdn>a</fqdn><description ptpl='T'>d</description></entry></address>");
    expect(compare(v("<address closed=''/>"), mixed)).toEqual([`extra ${V}/address/entry[@name='x']/fqdn (closed)`]);
  });
});

describe("order", () => {
  const entries = (names: string, attributes = ""): string =>
    `<rules ${attributes}>${names
      .split(" ")
      .map((name) => `<entry name='${name}'/>`)
      .join("")}</rules>`;
  const order = (wanted: string, found: string, attributes = ""): string[] => compare(v(entries(wanted, attributes)), l(entries(found)));
  it("is not reported for a merged list whose declared entries are in order", () => {
    expect(order("a b", "x a b y")).toEqual([]);
  });
  it("moves declared entries, never unmanaged ones", () => {
    expect(order("b a", "x a b y")).toEqual([`order ${V}/rules x,a,b,y -> x,b,a,y moving a`]);
  });
  it("reports unmanaged entries between declared ones, and moves only if the block is contiguous", () => {
    expect(order("a b", "a x b")).toEqual([`interleaved ${V}/rules/entry[@name='x']`]);
    expect(order("a b", "a x b", "contiguous=''")).toEqual([`order ${V}/rules a,x,b -> a,b,x moving b`]);
  });
  it("refuses a new block without a place, and a missing anchor", () => {
    expect(order("a", "x")).toContain(`REFUSES no-place ${V}/rules/entry[@name='a']`);
    expect(order("a", "x", "position='after x'")).toEqual([`missing ${V}/rules/entry[@name='a']`]);
    expect(order("a", "x", "position='after q'")).toContain(`REFUSES anchor-missing ${V}/rules`);
  });
  it("refuses a missing anchor also if all live entries are declared and in order", () => {
    expect(order("a b", "a b", "position='after q'")).toEqual([`REFUSES anchor-missing ${V}/rules`]);
  });
  it("counts an anchor that the ledger deletes as missing", () => {
    const lines = compare(v(entries("a", "position='after x'")), l(entries("x a")), { ledger: [`${V}/rules/entry[@name='x']`] });
    expect(lines).toContain(`REFUSES anchor-missing ${V}/rules`);
  });
  it("warns of an unmanaged entry above that matches everything", () => {
    const any = "<entry name='x'><source><member>any</member></source><destination><member>any</member></destination></entry>";
    expect(compare(v(entries("a")), l(`<rules>${any}<entry name='a'/></rules>`))).toEqual([`shadowed ${V}/rules/entry[@name='x']`]);
    expect(compare(v(entries("a")), l(`<rules><entry name='a'/>${any}</rules>`))).toEqual([]);
    expect(compare(v(entries("a")), l(`<rules>${any}<entry name='a'/></rules>`), { shadows: () => false })).toEqual([]);
  });
  it("moves a declared block to the top of a list", () => {
    expect(order("a b", "x a b", "position='top'")[0]).toMatch(/^order .* -> a,/);
  });
});

describe("renames", () => {
  it("are declared with $was, and other changes of the entry are separate", () => {
    const found = l("<address><entry name='old'><fqdn>a</fqdn></entry></address>");
    expect(compare(v("<address><entry name='new' was='old'><fqdn>b</fqdn></entry></address>"), found)).toEqual([
      `renamed ${V}/address/entry[@name='new'] from old`,
      `differs ${V}/address/entry[@name='new']/fqdn`,
    ]);
  });
  it("are finished if the new name exists, and are not taken from a declared entry", () => {
    const both = l("<address><entry name='new'><fqdn>a</fqdn></entry><entry name='old'><fqdn>o</fqdn></entry></address>");
    expect(compare(v("<address><entry name='new' was='old'><fqdn>a</fqdn></entry></address>"), both)).toEqual([]);
    const old = l("<address><entry name='old'><fqdn>o</fqdn></entry></address>");
    const wanted = v("<address><entry name='new' was='old'><fqdn>a</fqdn></entry><entry name='old'><fqdn>o</fqdn></entry></address>");
    expect(compare(wanted, old)).toEqual([`missing ${V}/address/entry[@name='new']`]);
  });
  it("are not reverted by the ledger's row of the old name", () => {
    const found = l("<address><entry name='old'><fqdn>a</fqdn></entry></address>");
    const wanted = v("<address><entry name='new' was='old'><fqdn>a</fqdn></entry></address>");
    expect(compare(wanted, found, { ledger: [`${V}/address/entry[@name='old']`] })).toEqual([
      `renamed ${V}/address/entry[@name='new'] from old`,
    ]);
  });
  it("are suspected if content moves to a new name", () => {
    const found = l("<address><entry name='old'><fqdn>a</fqdn></entry></address>");
    expect(compare(v("<address closed=''><entry name='new'><fqdn>a</fqdn></entry></address>"), found)).toContain(
      `looks-like-rename ${V}/address/entry[@name='new']`,
    );
  });
  it("are not suspected for entries without content", () => {
    const found = l("<address><entry name='old'/></address>");
    expect(compare(v("<address closed=''><entry name='new'/></address>"), found).join()).not.toContain("looks-like-rename");
    const hollow = (name: string) => `<entry name='${name}'><dynamic/></entry>`;
    const changes = compare(
      v(`<address-group closed=''>${hollow("new")}</address-group>`),
      l(`<address-group>${hollow("old")}</address-group>`),
    );
    expect(changes.join()).not.toContain("looks-like-rename");
  });
});

describe("deletion by ledger", () => {
  const found = l(
    "<display-name>x</display-name><address><entry name='a'><fqdn>a</fqdn></entry><entry name='b'><fqdn>b</fqdn></entry></address>",
  );
  const wanted = v("<address><entry name='a'><fqdn>a</fqdn></entry></address>");
  it("deletes rows that are live and not declared, and nothing else", () => {
    const ledger = [
      `${V}/address/entry[@name='a']`,
      `${V}/address/entry[@name='b']`,
      `${V}/address/entry[@name='gone']`,
      `${V}/display-name`,
    ];
    expect(compare(wanted, found, { ledger })).toEqual([
      `extra ${V}/address/entry[@name='b'] (ledger)`,
      `extra ${V}/display-name (ledger)`,
    ]);
    expect(compare(wanted, found)).toEqual([]);
  });
  it("reports the highest row once, and handles names with quotes", () => {
    const quoted = l(`<address><entry name="it's"><fqdn>b</fqdn></entry></address>`);
    const ledger = [`${V}/address/entry[@name="it's"]`, `${V}/address/entry[@name="it's"]/fqdn`];
    expect(compare(v("<address/>"), quoted, { ledger })).toEqual([`extra ${V}/address/entry[@name="it's"] (ledger)`]);
  });
  it("never deletes structural or inherited entries", () => {
    expect(compare("<config place=''><vsys place=''/></config>", found, { ledger: [V] })).toEqual([]);
    const inherited = l("<address><entry name='b' ptpl='T'><fqdn>b</fqdn></entry></address>");
    expect(compare(wanted, inherited, { ledger: [`${V}/address/entry[@name='b']`] })).toEqual([`missing ${V}/address/entry[@name='a']`]);
  });
});

describe("secrets", () => {
  const withSecret = (): ReturnType<typeof live> => {
    const root = live(l("<address><entry name='a'><fqdn>a</fqdn></entry></address>"));
    const entry = find(root, parsePath(`${V}/address/entry[@name='a']`));
    if (entry !== undefined) insertChild(entry, new SecretLeaf("password", new SecretValue("-AQ==", "«stored»")), 1, new UndoLog());
    return root;
  };
  const wanted = v("<address><entry name='a'><fqdn>a</fqdn><password secret='s'>${env:S}</password></entry></address>");
  const path = `${V}/address/entry[@name='a']/password`;
  it("differ only if their fingerprints differ", () => {
    expect(compare(wanted, "<config/>", { live: withSecret(), secretState: () => "equal" })).toEqual([]);
    expect(compare(wanted, "<config/>", { live: withSecret(), secretState: () => "changed" })).toEqual([`differs ${path}`]);
    expect(compare(wanted, "<config/>", { live: withSecret() })).toEqual([`unknown-secret ${path}`]);
    expect(compare(wanted, "<config/>", { live: withSecret(), rotateSecrets: true })).toEqual([`differs ${path}`]);
  });
  it("are kept in place, and refused if there is nothing to keep", () => {
    const keep = v("<address><entry name='a'><fqdn>a</fqdn><password keep=''>x</password></entry></address>");
    expect(compare(keep, "<config/>", { live: withSecret() })).toEqual([]);
    expect(compare(keep, l("<address><entry name='a'><fqdn>a</fqdn></entry></address>"))).toEqual([`REFUSES kept-missing ${path}`]);
    expect(compare(keep, l("<address/>"))).toEqual([`missing ${V}/address/entry[@name='a']`, `REFUSES kept-missing ${path}`]);
  });
});

describe("content that cannot be written", () => {
  it("has another form than the live one", () => {
    const clash = `REFUSES shape-mismatch ${V}/strange`;
    expect(compare(v("<strange><member>a</member></strange>"), l("<strange>text</strange>"))).toEqual([clash]);
    expect(compare(v("<strange>text</strange>"), l("<strange><member>a</member></strange>"))).toEqual([clash]);
    expect(compare(v("<strange><entry name='a'/></strange>"), l("<strange><member>a</member></strange>"))).toEqual([clash]);
  });
  it("has two objects with one key, or repeated elements", () => {
    const twins = l("<address><entry name='a'><fqdn>1</fqdn></entry><entry name='a'><fqdn>2</fqdn></entry></address>");
    expect(compare(v("<address><entry name='a'><fqdn>1</fqdn></entry></address>"), twins)).toEqual([
      `REFUSES duplicate ${V}/address/entry[@name='a']`,
    ]);
    const lines = l("<text><line>1</line><line>2</line></text>");
    expect(compare(v("<text><line>1</line><line>2</line></text>"), lines)).toEqual([]);
    expect(compare(v("<text><line>1</line><line>3</line></text>"), lines)).toEqual([`REFUSES duplicate ${V}/text/line`]);
  });
});

describe("an empty duplicate", () => {
  it("does not replace the element with content", () => {
    expect(compare(v("<address><entry name='a'/></address>"), l("<address/><address><entry name='a'/></address>"))).toEqual([]);
  });
});

describe("--path", () => {
  const wanted = v(
    "<address><entry name='a'><fqdn>a</fqdn></entry><entry name='b'><fqdn>b</fqdn></entry></address><display-name>d</display-name>",
  );
  it("keeps everything below it, and narrows a missing container", () => {
    const only = parsePath(`${V}/address/entry[@name='b']`);
    expect(compare(wanted, l("<address/>"), { only })).toEqual([`missing ${only}`]);
    expect(compare(wanted, l(""), { only })).toEqual([`missing ${only}`]);
  });
  it("refuses a part of an entry that must be created completely", () => {
    const only = parsePath(`${V}/address/entry[@name='b']/fqdn`);
    expect(compare(wanted, l("<address/>"), { only })).toEqual([`REFUSES place-missing ${only}`]);
  });
});
