import { describe, expect, it } from "vitest";
import { ADDRESS, type Answer, admin, find, finishJobs, login, RULES, VSYS } from "../support.js";

const address = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;
const set = (name: string, value = "1.1.1.1", id = ""): string =>
  `<set ${id} xpath="${address(name)}"><ip-netmask>${value}</ip-netmask></set>`;
const batch = (...operations: string[]): string => `<multi-config>${operations.join("")}</multi-config>`;
const codes = (reply: Answer): (string | undefined)[] => reply.root.children.map((child) => child.attributes?.get("code"));

describe("multi-config", () => {
  it("does all operations, and answers each with its id", async () => {
    const { client } = await admin();
    const group = `${VSYS}/address-group/entry[@name='web']`;
    const operations = batch(
      set("a", "1.1.1.1", 'id="1"'),
      `<edit id="2" xpath="${group}"><entry name="web"><static><member>a</member></static></entry></edit>`,
      `<delete id="3" xpath="${address("web-1")}"/>`,
      `<rename xpath="${address("web-2")}" newname="b"/>`,
      `<clone xpath="${RULES}" from="${RULES}/entry[@name='allow-web']" newname="second"/>`,
      `<move xpath="${RULES}/entry[@name='second']" where="before" dst="allow-web"/>`,
    );
    const reply = await client.send({ type: "config", action: "multi-config", element: operations });
    expect([reply.status, reply.code]).toEqual(["success", "20"]);
    expect(codes(reply)).toEqual(Array(6).fill("20"));
    expect(reply.root.children.map((child) => child.attributes?.get("id"))).toEqual(["1", "2", "3", undefined, undefined, undefined]);
    const names = find((await client.config("get", ADDRESS)).root, "result", "address")?.children.map((entry) => entry.name);
    expect(names).toEqual(["b", "a"]);
  });

  it("does nothing when one fails, and the last inner reply has the reason", async () => {
    const { client } = await admin();
    const long = "x".repeat(64);
    const reply = await client.send({
      type: "config",
      action: "multi-config",
      element: batch(set("a"), set(long, "1.1.1.1", 'id="LEN-ERROR"'), set("c")),
    });
    expect([reply.status, codes(reply)]).toEqual(["error", ["20", "12"]]);
    expect(reply.text).toContain(
      `code="12" id="LEN-ERROR"><msg><line><![CDATA[ ${long} can be at most 63 characters, but current length: 64]]>`,
    );
    expect((await client.config("get", address("a"))).code).toBe("7");
    expect(client.state.candidate.pending).toHaveLength(0);
    expect(client.state.configLog.records).toHaveLength(1);
  });

  it("does the rest if an object is deleted twice, and reports it in the reply to the second", async () => {
    const { client } = await admin();
    await client.config("set", address("spare"), "<ip-netmask>1.1.1.1</ip-netmask>");
    const gone = `<delete xpath="${address("spare")}"/>`;
    const reply = await client.send({ type: "config", action: "multi-config", element: batch(gone, gone, set("b", "1.1.1.1", 'id="3"')) });
    expect([reply.status, reply.code, codes(reply)]).toEqual(["success", "20", ["20", "7", "20"]]);
    expect(reply.text).toContain(`<response status="success" code="7"><msg>Object doesn't exist</msg></response>`);
    expect((await client.config("get", address("b"))).code).toBe("19");
    expect((await client.config("get", address("spare"))).code).toBe("7");
  });

  it("checks references in the order of its operations", async () => {
    const { client } = await admin();
    const free = `<edit xpath="${VSYS}/address-group/entry[@name='web']/static"><static><member>web-2</member></static></edit>`;
    const gone = `<delete xpath="${address("web-1")}"/>`;
    const wrong = await client.send({ type: "config", action: "multi-config", element: batch(gone, free) });
    expect(codes(wrong)).toEqual(["10"]);
    const right = await client.send({ type: "config", action: "multi-config", element: batch(free, gone) });
    expect(right.status).toBe("success");
  });

  it("strict reverts the administrator's own uncommitted edits first, and no others", async () => {
    const { client, lab } = await admin({ administrators: [{ name: "eva", password: "eva", role: { kind: "superuser" } }] });
    const eva = await login(lab.device, "eva");
    await client.config("set", address("mine"), "<ip-netmask>1.1.1.1</ip-netmask>");
    await eva.config("set", address("hers"), "<ip-netmask>1.1.1.1</ip-netmask>");
    const strict = { type: "config", action: "multi-config", "strict-transactional": "yes" };
    const failed = await client.send({ ...strict, element: batch(set("a"), set("b", "wrong")) });
    expect(failed.status).toBe("error");
    const there = async (name: string): Promise<boolean> => (await client.config("get", address(name))).code === "19";
    expect(await Promise.all(["mine", "hers", "a"].map(there))).toEqual([false, true, false]);
  });

  it("strict fails while a commit is open", async () => {
    const { client, clock } = await admin();
    await client.config("set", address("a"), "<ip-netmask>1.1.1.1</ip-netmask>");
    await client.commit();
    const strict = { type: "config", action: "multi-config", "strict-transactional": "yes", element: batch(set("b")) };
    expect((await client.send(strict)).lines).toEqual(["A commit is in progress."]);
    finishJobs(client.state, clock);
    expect((await client.send(strict)).status).toBe("success");
  });

  it("refuses unknown operations, and invalid XML", async () => {
    const { client } = await admin();
    const send = (element: string): Promise<Answer> => client.send({ type: "config", action: "multi-config", element });
    expect(codes(await send(batch(`<complete xpath="${ADDRESS}"/>`)))).toEqual(["17"]);
    expect((await send("<multi-config><set>")).code).toBe("18");
    expect((await send("<a/><b/>")).code).toBe("18");
  });

  it("is unknown before 10.1", async () => {
    const { client } = await admin({ system: { version: "10.0.8" } });
    const reply = await client.send({ type: "config", action: "multi-config", element: batch(set("a")) });
    expect(reply.lines[0]).toBe("action 'multi-config' is not an allowed keyword");
  });

  it("counts its operations against the limit of uncommitted changes", async () => {
    const { client, clock } = await admin({ limits: { pendingChanges: 3 } });
    const reply = await client.send({ type: "config", action: "multi-config", element: batch(set("a"), set("b"), set("c"), set("d")) });
    expect(reply.text).toContain("the number of uncommitted changes must not exceed 3");
    for (const name of ["a", "b", "c"])
      expect((await client.config("set", address(name), "<ip-netmask>1.1.1.1</ip-netmask>")).code).toBe("20");
    expect((await client.config("set", address("d"), "<ip-netmask>1.1.1.1</ip-netmask>")).status).toBe("error");
    await client.commit();
    finishJobs(client.state, clock);
    expect((await client.config("set", address("d"), "<ip-netmask>1.1.1.1</ip-netmask>")).code).toBe("20");
  });
});
