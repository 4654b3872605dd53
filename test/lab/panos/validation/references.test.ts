import { describe, expect, it } from "vitest";
import { ADDRESS, admin, DEVICE, RULES, VSYS } from "../support.js";

const RULE = `${RULES}/entry[@name='allow-web']`;

describe("references", () => {
  it("protect their object: code 10 with the path of each referrer", async () => {
    const { client } = await admin();
    await client.config("set", RULE, "<source><member>web-1</member></source>");
    const reply = await client.config("delete", `${ADDRESS}/entry[@name='web-1']`);
    expect(reply.code).toBe("10");
    expect(reply.lines).toEqual([
      "web-1 cannot be deleted because of references from:",
      "address-group -> web -> static -> web-1",
      "rulebase -> security -> rules -> allow-web -> source -> web-1",
    ]);
    for (const xpath of [ADDRESS, VSYS]) expect((await client.config("delete", xpath)).code).toBe(xpath === ADDRESS ? "10" : "20");
  });

  it("protect their object from an edit that would delete it", async () => {
    const { client } = await admin();
    const reply = await client.config("edit", ADDRESS, "<address><entry name='web-2'><ip-netmask>1.1.1.1</ip-netmask></entry></address>");
    expect([reply.code, reply.lines[0]]).toEqual(["10", "web-1 cannot be deleted because of references from:"]);
  });

  it("may fall back to a shared object of the same name", async () => {
    const { client } = await admin();
    await client.config("set", "/config/shared/address", "<entry name='web-1'><ip-netmask>1.1.1.1</ip-netmask></entry>");
    expect((await client.config("delete", `${ADDRESS}/entry[@name='web-1']`)).code).toBe("20");
    expect((await client.config("delete", "/config/shared/address/entry[@name='web-1']")).code).toBe("10");
  });

  it.each([
    [RULE, "<source><member>nowhere</member></source>", "'nowhere' is not a valid reference"],
    [RULE, "<from><member>nozone</member></from>", "'nozone' is not a valid reference"],
    [RULES, "<entry name='new'><service><member>tcp-1</member></service></entry>", "'tcp-1' is not a valid reference"],
    [
      `${VSYS}/zone`,
      "<entry name='z'><network><layer3><member>ethernet9/9</member></layer3></network></entry>",
      "'ethernet9/9' is not a valid reference",
    ],
    [`${VSYS}/address-group`, "<entry name='g'><static><member>none</member></static></entry>", "'none' is not a valid reference"],
  ])("must lead somewhere: %s %s", async (xpath, element, text) => {
    const { client } = await admin();
    const reply = await client.config("set", xpath, element);
    expect([reply.code, reply.lines.join(" ")]).toEqual(["12", expect.stringContaining(text)]);
  });

  it("of a zone need an interface that its vsys imported", async () => {
    const { client } = await admin();
    const ethernet = `${DEVICE}/network/interface/ethernet`;
    await client.config("set", ethernet, "<entry name='ethernet1/3'><layer3/></entry>");
    const zone = "<entry name='z'><network><layer3><member>ethernet1/3</member></layer3></network></entry>";
    expect((await client.config("set", `${VSYS}/zone`, zone)).lines.join()).toContain("'ethernet1/3' is not a valid reference");
    await client.config("set", `${VSYS}/import/network/interface`, "<member>ethernet1/3</member>");
    expect((await client.config("set", `${VSYS}/zone`, zone)).code).toBe("20");
  });

  it("may name predefined objects and literal addresses", async () => {
    const { client } = await admin();
    const rule = [
      "<source><member>192.0.2.0/24</member><member>10.0.0.1-10.0.0.9</member><member>DE</member></source>",
      "<service><member>service-https</member></service>",
      "<application><member>ssl</member></application>",
      "<source-user><member>corp\\eva</member></source-user>",
    ];
    expect((await client.config("set", `${RULES}/entry[@name='new']`, rule.join(""))).lines).toEqual(["command succeeded"]);
  });

  it("share one namespace for addresses and groups", async () => {
    const { client } = await admin();
    const reply = await client.config(
      "set",
      `${VSYS}/address-group`,
      "<entry name='web-1'><static><member>web-2</member></static></entry>",
    );
    expect([reply.code, reply.lines[0]]).toEqual(["12", "web-1 is already in use"]);
  });

  it("that were dangling from the start may be written again, but not newly added", async () => {
    const rule = (source: string): string => `<entry name="r"><source><member>${source}</member></source></entry>`;
    const rules = (inner: string): string => `<rulebase><security><rules>${inner}</rules></security></rulebase>`;
    const config = `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1">${rules(rule("lost"))}</entry></vsys></entry></devices></config>`;
    const { client } = await admin({ config });
    expect((await client.config("edit", `${RULES}/entry[@name='r']`, rule("lost"))).code).toBe("20");
    expect((await client.config("edit", `${RULES}/entry[@name='r']`, rule("other"))).code).toBe("12");
  });

  it("stay countable through long sequences of edits", async () => {
    const { client } = await admin();
    const run = async (action: string, xpath: string, element = ""): Promise<string | undefined> =>
      (await client.config(action, xpath, element)).code;
    const at = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;
    for (let round = 0; round < 5; round++) {
      expect(await run("set", at("t"), "<ip-netmask>1.1.1.1</ip-netmask>")).toBe("20");
      expect(await run("set", `${RULE}/source`, "<member>t</member>")).toBe("20");
      expect(await run("delete", at("t"))).toBe("10");
      expect(await run("delete", `${RULE}/source/member[text()='t']`)).toBe("20");
      expect(await run("delete", at("t"))).toBe("20");
    }
  });
});

describe("strict watching", () => {
  it("records a match list that an operation empties or deletes, also inside a batch that ends well", async () => {
    const { client } = await admin({ strict: true });
    const operations = `<m><delete xpath="${RULE}/source/member[text()='any']"/><set xpath="${RULE}"><source><member>web-1</member></source></set></m>`;
    expect((await client.send({ type: "config", action: "multi-config", element: operations })).status).toBe("success");
    await client.config("delete", `${RULE}/destination`);
    expect(client.state.violations.map(({ action, problem }) => [action, problem])).toEqual([
      ["delete", "rulebase -> security -> rules -> allow-web -> source is empty"],
      ["delete", "rulebase -> security -> rules -> allow-web -> destination is gone"],
    ]);
  });

  it("ignores edits that leave a match criterion, and complete deletions of rules", async () => {
    const { client } = await admin({ strict: true });
    await client.config("edit", `${RULE}/source`, "<source><member>web-1</member></source>");
    await client.config("edit", `${RULE}/source/member[text()='web-1']`, "<member>web-2</member>");
    await client.config("delete", RULE);
    expect(client.state.violations).toEqual([]);
  });

  it("records a reference without its object, which the device refuses as well", async () => {
    const { client } = await admin({ strict: true });
    await client.config("delete", `${ADDRESS}/entry[@name='web-1']`);
    expect(client.state.violations[0]?.problem).toContain("cannot be deleted because of references from:");
  });
});
