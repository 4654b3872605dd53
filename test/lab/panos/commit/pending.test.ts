import { describe, expect, it } from "vitest";
import { ADDRESS, type Answer, admin, type Client, find, finishJobs, login, VSYS } from "../support.js";

const EVA = { administrators: [{ name: "eva", password: "eva", role: { kind: "superuser" as const } }] };
const address = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;
const add = (client: Client, name: string): Promise<Answer> => client.config("set", address(name), "<ip-netmask>1.1.1.1</ip-netmask>");
const CHANGES = "<show><config><list><changes/></list></config></show>";
const rows = (reply: Answer): Record<string, string>[] =>
  (find(reply.root, "result", "journal")?.children ?? []).map((entry) =>
    Object.fromEntries(entry.children.map((child) => [child.tag, child.text])),
  );
const pending = async (client: Client): Promise<string | undefined> =>
  find((await client.op("<check><pending-changes/></check>")).root, "result")?.text;
const there = async (client: Client, name: string): Promise<boolean> => (await client.config("get", address(name))).code === "19";

describe("list of changes", () => {
  it("names the container, its owner and the action; empty without pending changes", async () => {
    const { client, lab } = await admin(EVA);
    expect((await client.op(CHANGES)).text).toContain("<result><journal/></result>");
    expect(await pending(client)).toBe("no");
    const eva = await login(lab.device, "eva");
    await add(client, "a");
    await eva.config("delete", address("a"));
    expect(rows(await client.op(CHANGES))).toEqual([
      { xpath: ADDRESS, owner: "admin", action: "SET", "admin-history": "admin,eva", "component-type": "policy-and-objects" },
      { xpath: ADDRESS, owner: "eva", action: "DELETE", "admin-history": "admin,eva", "component-type": "policy-and-objects" },
    ]);
    expect(await pending(client)).toBe("yes");
    const hers = "<show><config><list><changes><partial><admin><member>eva</member></admin></partial></changes></list></config></show>";
    expect(rows(await client.op(hers)).map((row) => row.owner)).toEqual(["eva"]);
    const summary = await client.op("<show><config><list><change-summary/></list></config></show>");
    expect(summary.text).toContain("<policy-and-objects><member>admin</member><member>eva</member></policy-and-objects>");
    expect((await client.op("<show><config><list><admins/></list></config></show>")).text).toContain('<entry name="eva"/>');
  });
});

describe("revert", () => {
  it("of one administrator keeps the others' edits", async () => {
    const { client, lab } = await admin(EVA);
    const eva = await login(lab.device, "eva");
    await add(client, "mine");
    await add(eva, "hers");
    await client.op("<revert><config><partial><admin><member>admin</member></admin></partial></config></revert>");
    expect([await there(client, "mine"), await there(client, "hers")]).toEqual([false, true]);
    expect(rows(await client.op(CHANGES)).map((row) => row.owner)).toEqual(["eva"]);
    await client.op("<revert><config/></revert>");
    expect([await there(client, "hers"), await pending(client)]).toEqual([false, "no"]);
  });

  it("restores names: reverted ones are free again, restored ones can be referenced", async () => {
    const { client } = await admin();
    await client.config("delete", `${VSYS}/address-group/entry[@name='web']`);
    await client.op("<revert><config/></revert>");
    expect((await client.config("delete", address("web-1"))).code).toBe("10");
  });
});

describe("saved configurations", () => {
  it("are saved, shown, loaded and deleted; the running one always exists", async () => {
    const { client, clock } = await admin();
    await add(client, "a");
    const said = async (cmd: string): Promise<string | undefined> => (await client.op(cmd)).lines[0];
    expect(await said("<save><config><to>before</to></config></save>")).toBe("Config saved to before");
    expect(await said("<load><config><from>running-config.xml</from></config></load>")).toBe("Config loaded from running-config.xml");
    expect([await there(client, "a"), await pending(client)]).toEqual([false, "yes"]);
    await client.op("<load><config><from>before</from></config></load>");
    expect(await there(client, "a")).toBe(true);
    await client.commit();
    finishJobs(client.state, clock);
    expect((await client.config("show", address("a"))).status).toBe("success");
    expect((await client.op("<show><config><saved>before</saved></config></show>")).text).toContain('<entry name="a">');
    await client.op("<delete><config><saved>before</saved></config></delete>");
    expect(await said("<load><config><from>before</from></config></load>")).toBe("before does not exist");
    const long = "n".repeat(33);
    const refused = await client.op(`<save><config><to>${long}</to></config></save>`);
    expect([refused.code, refused.lines[0]]).toEqual(["17", "save -> config -> to can be at most 32 characters, but current length: 33"]);
  });

  it("of every commit are kept as versions", async () => {
    const { client, clock } = await admin();
    await add(client, "a");
    await client.commit("<commit><description>first</description></commit>");
    finishJobs(client.state, clock);
    const info = find((await client.op("<show><config><audit><info/></audit></config></show>")).root, "result", "audit");
    expect(info?.children.map((entry) => [find(entry, "version")?.text, find(entry, "description")?.text])).toEqual([
      ["1", ""],
      ["2", "first"],
    ]);
    const version = (number: number): Promise<Answer> =>
      client.op(`<show><config><audit><version>${number}</version></audit></config></show>`);
    expect([(await version(1)).text.includes('name="a"'), (await version(2)).text.includes('name="a"')]).toEqual([false, true]);
    expect((await version(9)).lines).toEqual(["No such node"]);
    await client.op("<load><config><version>1</version></config></load>");
    expect(await there(client, "a")).toBe(false);
  });
});
