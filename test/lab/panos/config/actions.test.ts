import { describe, expect, it } from "vitest";
import type { TreeNode } from "../../../../src/core/tree/node.js";
import { ADDRESS, type Answer, admin, DEVICE, find, lab, login, RULES, VSYS } from "../support.js";

const WEB = `${ADDRESS}/entry[@name='web-1']`;
const RULE = `${RULES}/entry[@name='allow-web']`;

const results = (reply: Answer): readonly TreeNode[] => find(reply.root, "result")?.children ?? [];
const members = (reply: Answer): string[] => (results(reply)[0]?.children ?? []).map((member) => member.text);

describe("get", () => {
  it("returns every match with its count and code 19", async () => {
    const { client } = await admin();
    const reply = await client.config("get", `${ADDRESS}/entry[@name='web-1' or @name='web-2']`);
    expect(reply.code).toBe("19");
    expect(Object.fromEntries(find(reply.root, "result")?.attributes ?? [])).toEqual({ "total-count": "2", count: "2" });
    expect(results(reply).map((entry) => entry.name)).toEqual(["web-1", "web-2"]);
  });

  it.each([`${ADDRESS}/entry[@name='none']`, "/config/[[", "not a path", ""])(
    "answers success, code 7 and nothing for %j",
    async (xpath) => {
      const { client } = await admin();
      const reply = await client.config("get", xpath);
      expect(reply.text).toBe('<response status="success" code="7"><result/></response>');
    },
  );

  it("marks changes with administrator, time and number, also after the commit; show does not", async () => {
    const { client } = await admin();
    await client.config("set", WEB, "<ip-netmask>10.0.0.99</ip-netmask>");
    const [entry] = results(await client.config("get", WEB));
    const marks = { admin: "admin", dirtyId: "1", time: "2026/01/05 08:00:00" };
    expect(Object.fromEntries(entry?.attributes ?? [])).toEqual(marks);
    expect(Object.fromEntries(entry?.children[0]?.attributes ?? [])).toEqual(marks);
    const untouched = results(await client.config("get", `${ADDRESS}/entry[@name='web-2']`))[0];
    expect(untouched?.attributes).toBeUndefined();
    await client.commit();
    expect((await client.config("show", WEB)).text).not.toContain("dirtyId");
  });

  it("streams a configuration larger than the buffer, unaffected by edits in the meantime", async () => {
    const entries = Array.from({ length: 40_000 }, (_, index) => `<entry name="a${index}"><ip-netmask>10.0.0.1</ip-netmask></entry>`);
    const { client } = await admin({ config: `<config><shared><address>${entries.join("")}</address></shared></config>` });
    const reading = client.config("get", "/config/shared");
    const writing = Array.from({ length: 20 }, (_, index) =>
      client.config("delete", `/config/shared/address/entry[@name='a${index * 1000}']`),
    );
    const reply = await reading;
    await Promise.all(writing);
    const read = results(reply)[0]?.children[0]?.children.length ?? 0;
    expect(read).toBeGreaterThanOrEqual(40_000 - 20);
    expect(results(await client.config("get", "/config/shared"))[0]?.children[0]?.children).toHaveLength(40_000 - 20);
  });
});

describe("show", () => {
  it("reads running, and needs exactly one match", async () => {
    const { client } = await admin();
    await client.config("delete", `${ADDRESS}/entry[@name='none']`);
    await client.config("set", ADDRESS, "<entry name='new'><ip-netmask>1.1.1.1</ip-netmask></entry>");
    for (const xpath of [`${ADDRESS}/entry[@name='new']`, `${ADDRESS}/entry`, "["]) {
      const reply = await client.config("show", xpath);
      expect(reply.text).toBe('<response status="error"><msg><line>No such node</line></msg></response>');
    }
    expect(results(await client.config("show", WEB))[0]?.name).toBe("web-1");
    expect(results(await client.send({ type: "config", action: "show" }))[0]?.tag).toBe("config");
  });
});

describe("set", () => {
  it("merges: writes leaves, appends members, adds entries, removes nothing", async () => {
    const { client } = await admin();
    const done = await client.config("set", RULE, "<description>x</description><source-user><member>corp\\eva</member></source-user>");
    expect([done.code, done.lines[0]]).toEqual(["20", "command succeeded"]);
    expect(members(await client.config("get", `${RULE}/source-user`))).toEqual(["any", "corp\\eva"]);
    await client.config("set", `${RULE}/source-user`, "<member>any</member>");
    expect(members(await client.config("get", `${RULE}/source-user`))).toEqual(["any", "corp\\eva"]);
    expect(results(await client.config("get", `${RULE}/action`))[0]?.text).toBe("allow");
  });

  it("means the same on the container with the entry, and on the entry with its contents", async () => {
    const { client } = await admin();
    await client.config("set", ADDRESS, "<entry name='a'><ip-netmask>1.1.1.1</ip-netmask></entry>");
    await client.config("set", `${ADDRESS}/entry[@name='b']`, "<ip-netmask>1.1.1.1</ip-netmask>");
    const [a, b] = await Promise.all(["a", "b"].map((name) => client.config("get", `${ADDRESS}/entry[@name='${name}']/ip-netmask`)));
    expect(results(a as Answer)[0]?.text).toBe(results(b as Answer)[0]?.text);
  });

  it("creates missing steps, and refuses unnamed ones", async () => {
    const { client } = await admin();
    const path = "/config/shared/log-settings/syslog/entry[@name='s']/server/entry[@name='one']";
    expect((await client.config("set", path, "<server>192.0.2.9</server>")).code).toBe("20");
    expect((await client.config("set", "/config/shared/tag/entry[2]", "<color>color1</color>")).code).toBe("6");
    expect((await client.config("set", "relative/path", "<a/>")).code).toBe("6");
  });

  it("adds a sub-interface in the form of the specification", async () => {
    const { client } = await admin();
    const ethernet = "/config/devices/entry/network/interface/ethernet";
    const unit = "<entry name='ethernet1/2.7'><tag>7</tag><ip><entry name='10.7.0.1/24'/></ip></entry>";
    const reply = await client.config("set", ethernet, `<entry name='ethernet1/2'><layer3><units>${unit}</units></layer3></entry>`);
    expect(reply.code).toBe("20");
    expect(
      results(await client.config("get", `${ethernet}/entry[@name='ethernet1/2']/layer3/units/entry`)).map((entry) => entry.name),
    ).toEqual(["ethernet1/2.7"]);
  });

  it.each(["<a>", "text", "", "<a/>text"])("refuses the element %j", async (element) => {
    const { client } = await admin();
    const reply = await client.config("set", ADDRESS, element);
    expect(["18", "400"]).toContain(reply.code);
  });
});

describe("edit", () => {
  it("replaces the node, keeps its place and uuid, and removes the marks of clients", async () => {
    const { client } = await admin();
    await client.config("clone", RULES, { from: RULE, newname: "second" });
    const before = results(await client.config("get", RULE))[0]?.attributes?.get("uuid");
    const rule =
      "<entry name='allow-web' admin='mallory'><from><member>any</member></from><to><member>any</member></to><action>deny</action></entry>";
    await client.config("edit", RULE, rule);
    const rules = results(await client.config("get", RULES))[0]?.children ?? [];
    expect(rules.map((entry) => entry.name)).toEqual(["allow-web", "second"]);
    expect(rules[0]?.attributes?.get("uuid")).toBe(before);
    expect(rules[0]?.attributes?.get("admin")).toBe("admin");
    expect(rules[0]?.children.map((child) => child.tag)).toEqual(["from", "to", "action"]);
  });

  it("changes one value that is named by its text, which must exist", async () => {
    const { client } = await admin();
    const path = (text: string): string => `${RULE}/source-user/member[text()='${text}']`;
    expect((await client.config("edit", path("any"), "<member>corp\\eva</member>")).code).toBe("20");
    expect(members(await client.config("get", `${RULE}/source-user`))).toEqual(["corp\\eva"]);
    expect((await client.config("edit", path("any"), "<member>x</member>")).code).toBe("7");
  });

  it("creates a missing node", async () => {
    const { client } = await admin();
    await client.config("edit", `${ADDRESS}/entry[@name='n']`, "<entry name='n'><fqdn>a.example.net</fqdn></entry>");
    expect(results(await client.config("get", `${ADDRESS}/entry[@name='n']/fqdn`))[0]?.text).toBe("a.example.net");
  });

  it.each([
    [WEB, "<entry name='other'><fqdn>a</fqdn></entry>"],
    [`${WEB}/ip-netmask`, "<fqdn>a</fqdn>"],
  ])("refuses another tag or name than the last step's: %s", async (xpath, element) => {
    const { client } = await admin();
    const reply = await client.config("edit", xpath, element);
    expect([reply.code, reply.lines[0]]).toEqual(["12", "Edit breaks config validity"]);
  });
});

describe("delete", () => {
  it("deletes everything that the xpath selects", async () => {
    const { client } = await admin();
    const names = ["a", "b", "c"];
    await client.config("set", ADDRESS, names.map((name) => `<entry name='${name}'><ip-netmask>1.1.1.1</ip-netmask></entry>`).join(""));
    expect((await client.config("delete", `${ADDRESS}/entry[@name='a' or @name='c']`)).code).toBe("20");
    const left = results(await client.config("get", `${ADDRESS}/entry`)).map((entry) => entry.name);
    expect(left).toEqual(["web-1", "web-2", "b"]);
    await client.config("set", `${RULE}/source-user`, "<member>x</member><member>y</member><member>z</member>");
    await client.config("delete", `${RULE}/source-user/member[position()<4]`);
    expect(members(await client.config("get", `${RULE}/source-user`))).toEqual(["z"]);
  });

  it("of a missing node answers code 7 with status success, or succeeds if the device does so", async () => {
    const { client } = await admin();
    const reply = await client.config("delete", `${ADDRESS}/entry[@name='none']`);
    expect(reply.text).toBe(`<response status="success" code="7"><msg>Object doesn't exist</msg></response>`);
    const silent = await admin({ behavior: { deleteMissing: "silent" } });
    expect((await silent.client.config("delete", `${ADDRESS}/entry[@name='none']`)).code).toBe("20");
    expect(silent.client.state.candidate.pending).toHaveLength(1);
  });
});

describe("move, rename, clone", () => {
  const order = async (client: Awaited<ReturnType<typeof admin>>["client"]): Promise<string[]> =>
    (results(await client.config("get", RULES))[0]?.children ?? []).map((entry) => entry.name ?? "");

  it("place entries as requested, and give a copy its own uuid", async () => {
    const { client } = await admin();
    for (const newname of ["b", "c", "d"]) await client.config("clone", RULES, { from: RULE, newname });
    const at = (name: string): string => `${RULES}/entry[@name='${name}']`;
    await client.config("move", at("d"), { where: "top" });
    expect(await order(client)).toEqual(["d", "allow-web", "b", "c"]);
    await client.config("move", at("allow-web"), { where: "after", dst: "b" });
    expect(await order(client)).toEqual(["d", "b", "allow-web", "c"]);
    await client.config("move", at("c"), { where: "before", dst: "b" });
    expect(await order(client)).toEqual(["d", "c", "b", "allow-web"]);
    await client.config("move", at("d"), { where: "bottom" });
    await client.config("move", at("d"), { where: "up" });
    expect(await order(client)).toEqual(["c", "b", "d", "allow-web"]);
    const uuids = (results(await client.config("get", RULES))[0]?.children ?? []).map((entry) => entry.attributes?.get("uuid"));
    expect(new Set(uuids).size).toBe(4);
  });

  it("refuse invalid requests", async () => {
    const { client } = await admin();
    await client.config("clone", RULES, { from: RULE, newname: "b" });
    const code = async (reply: Promise<Answer>): Promise<string | undefined> => (await reply).code;
    expect(await code(client.config("move", RULE, { where: "up" }))).toBe("14");
    expect((await client.config("move", RULE, { where: "after", dst: "allow-web" })).lines[0]).toBe("Invalid sequence");
    expect(await code(client.config("move", RULE, { where: "after", dst: "none" }))).toBe("7");
    expect(await code(client.config("move", `${RULES}/entry[@name='none']`, { where: "top" }))).toBe("7");
    expect(await code(client.config("move", RULE))).toBe("400");
    expect(await code(client.config("rename", RULE, { newname: "b" }))).toBe("8");
    expect(await code(client.config("clone", RULES, { from: RULE, newname: "b" }))).toBe("8");
    expect(await code(client.config("rename", `${RULES}/entry[@name='none']`, { newname: "x" }))).toBe("7");
  });

  it("rename keeps uuid and place, and rewrites references if the device does", async () => {
    const { client } = await admin();
    await client.config("rename", WEB, { newname: "web-9" });
    expect(members(await client.config("get", `${VSYS}/address-group/entry[@name='web']/static`))).toEqual(["web-9", "web-2"]);
    expect(results(await client.config("get", `${ADDRESS}/entry`)).map((entry) => entry.name)).toEqual(["web-9", "web-2"]);
    const strict = await admin({ behavior: { renameRewrites: false } });
    expect((await strict.client.config("rename", WEB, { newname: "web-9" })).code).toBe("10");
  });
});

describe("other actions", () => {
  it("names an unknown action", async () => {
    const { client } = await admin();
    const reply = await client.config("foobar", ADDRESS);
    expect([reply.code, reply.lines[0]]).toEqual(["17", "action 'foobar' is not an allowed keyword"]);
  });

  it("complete lists entries, or the possible children", async () => {
    const { client } = await admin();
    const values = async (xpath: string): Promise<string[]> =>
      (find((await client.config("complete", xpath)).root, "completions")?.children ?? []).map(
        (each) => each.attributes?.get("value") ?? "",
      );
    expect(await values(ADDRESS)).toEqual(["web-1", "web-2"]);
    expect(await values(WEB)).toContain("ip-netmask");
    expect((await client.config("complete", "/config/none")).code).toBe("6");
  });

  it("override replaces a template's value; until then set is refused, and show does not see it", async () => {
    const config = `<config><shared><tag><entry name="t" src="tpl" ptpl="T"><color>color1</color></entry></tag></shared></config>`;
    const { client } = await admin({ config });
    const tags = "/config/shared/tag";
    expect((await client.config("show", tags)).text).toContain("<tag></tag>");
    for (const reply of [
      await client.config("set", `${tags}/entry[@name='t']`, "<color>color2</color>"),
      await client.config("set", tags, "<entry name='t'><color>color2</color></entry>"),
    ]) {
      expect([reply.code, reply.lines[0]]).toEqual(["12", "set failed, may need to override template object t first"]);
    }
    expect((await client.config("override", tags, "<entry name='none'/>")).lines[0]).toBe("Object cannot be overridden");
    expect((await client.config("override", tags, "<entry name='t'><color>color3</color></entry>")).code).toBe("20");
  });

  it("multi-clone and multi-move act on several entries in their order", async () => {
    const { client } = await admin();
    const selected = (names: string[]): string =>
      `<selected-list><source xpath="${RULES}">${names.map((name) => `<member>${name}</member>`).join("")}</source></selected-list>`;
    await client.config("clone", RULES, { from: RULE, newname: "b" });
    await client.config("multi-clone", RULES, { element: selected(["allow-web", "b"]) });
    await client.config("multi-move", RULES, { element: selected(["b", "b-1"]), where: "top" });
    const names = (results(await client.config("get", RULES))[0]?.children ?? []).map((entry) => entry.name);
    expect(names).toEqual(["b", "b-1", "allow-web", "allow-web-1"]);
  });

  it("writes on the passive peer are denied", async () => {
    const { lab: running } = await lab({ name: "a", peer: "b" }, { name: "b", peer: "a" });
    const passive = await login(running.devices[1] ?? running.device);
    const reply = await passive.config("set", `${DEVICE}/deviceconfig/system`, "<hostname>x</hostname>");
    expect(reply.code).toBe("15");
  });
});
