import { describe, expect, it } from "vitest";
import type { TreeNode } from "../../../../src/core/tree/node.js";
import { ADDRESS, admin, type Client, find, type Params } from "../support.js";

const fields = (entry: TreeNode): Record<string, string> => Object.fromEntries(entry.children.map((child) => [child.tag, child.text]));

async function query(client: Client, params: Params, advance: () => void): Promise<Record<string, string>[]> {
  const created = await client.send({ type: "log", ...params });
  const id = find(created.root, "result", "job")?.text ?? "";
  expect([created.code, created.lines[0]]).toEqual(["19", `query job enqueued with jobid ${id}`]);
  advance();
  const reply = await client.send({ type: "log", action: "get", "job-id": id });
  return (find(reply.root, "result", "log", "logs")?.children ?? []).map(fields);
}

describe("log queries", () => {
  it("are a job that is fetched once, by either spelling of its number", async () => {
    const { client, clock } = await admin();
    const created = await client.send({ type: "log", "log-type": "threat" });
    const id = find(created.root, "result", "job")?.text ?? "";
    const waiting = await client.send({ type: "log", action: "get", jobid: id });
    expect(find(waiting.root, "result", "job", "status")?.text).toBe("ACT");
    expect(find(waiting.root, "result", "log")).toBeUndefined();
    clock.advance(1000);
    const done = await client.send({ type: "log", action: "get", jobid: id });
    expect(done.code).toBeUndefined();
    expect(find(done.root, "result")?.children.map((child) => child.tag)).toEqual(["job", "log", "meta"]);
    expect(find(done.root, "result", "job")?.children.map((child) => child.tag)).toEqual([
      "tenq",
      "tdeq",
      "tlast",
      "status",
      "id",
      "cached-logs",
    ]);
    expect(find(done.root, "result", "job", "tenq")?.text).toBe("08:00:00");
    expect(find(done.root, "result", "meta", "devices", "entry", "hostname")?.text).toBe("lab-fw");
    expect(find(done.root, "result", "meta", "devices", "entry", "vsys", "entry", "display-name")?.text).toBe("vsys1");
    expect((await client.send({ type: "log", action: "get", "job-id": id })).lines).toEqual([`job ${id} not found`]);
  });

  it("of the configuration contain author, action, path, and values before and after", async () => {
    const { client, clock } = await admin();
    const web = `${ADDRESS}/entry[@name='web-1']`;
    await client.config("set", web, "<ip-netmask>10.9.9.9</ip-netmask>");
    await client.commit();
    const [commit, set] = await query(client, { "log-type": "config", nlogs: "2" }, () => clock.advance(1000));
    expect(commit).toMatchObject({ type: "CONFIG", cmd: "commit", admin: "admin" });
    expect(set).toMatchObject({
      cmd: "set",
      admin: "admin",
      result: "Succeeded",
      "full-path": `${web}/ip-netmask`,
      path: "config devices entry localhost.localdomain vsys entry vsys1 address entry web-1 ip-netmask",
      "before-change-preview": "<ip-netmask>10.0.0.10</ip-netmask>",
      "after-change-preview": "<ip-netmask>10.9.9.9</ip-netmask>",
      receive_time: "2026/01/05 08:00:00",
    });
  });

  it("are filtered, reversed and limited", async () => {
    const { client, clock } = await admin();
    const go = (params: Params): Promise<Record<string, string>[]> =>
      query(client, { "log-type": "config", ...params }, () => clock.advance(1000));
    for (const name of ["a", "b", "c"])
      await client.config("set", ADDRESS, `<entry name='${name}'><ip-netmask>1.1.1.1</ip-netmask></entry>`);
    await client.config("delete", `${ADDRESS}/entry[@name='b']`);
    const commands = async (params: Params): Promise<(string | undefined)[]> => (await go(params)).map((each) => each.cmd);
    expect(await commands({})).toEqual(["delete", "set", "set", "set", "commit"]);
    expect(await commands({ query: "( cmd eq delete )" })).toEqual(["delete"]);
    expect(await commands({ query: "(cmd neq set) and (admin eq 'admin')" })).toEqual(["delete", "commit"]);
    expect(await commands({ query: "( cmd eq delete ) or ( cmd eq commit )" })).toEqual(["delete", "commit"]);
    expect(await commands({ query: "( receive_time geq '2026/01/05 08:00:00' ) and ( full-path contains \"'b'\" )" })).toEqual([
      "delete",
      "set",
    ]);
    expect(await commands({ nlogs: "1", skip: "1" })).toEqual(["set"]);
    expect(await commands({ dir: "forward", nlogs: "1" })).toEqual(["commit"]);
    expect(await commands({ query: "( admin eq admin ) and ( ( cmd eq delete ) or ( cmd eq commit ) )" })).toEqual(["delete", "commit"]);
    expect(await commands({ query: "( cmd eq commit ) or ( cmd eq set ) and ( full-path contains \"'b'\" )" })).toEqual(["set", "commit"]);
    expect(await commands({ query: "cmd eq 'de(l)'" })).toEqual([]);
    for (const wrong of ["nonsense", "( cmd eq set", "( cmd eq set ) )", "( cmd eq set ) ( cmd eq set )", "()", "( cmd is set )", "'"])
      expect((await client.send({ type: "log", "log-type": "config", query: wrong })).code).toBe("17");
  });

  it("of traffic and threats have a record for each rule, of the system for each commit", async () => {
    const { client, clock } = await admin();
    const go = (type: string): Promise<Record<string, string>[]> => query(client, { "log-type": type }, () => clock.advance(1000));
    expect((await go("traffic"))[0]).toMatchObject({
      type: "TRAFFIC",
      rule: "allow-web",
      from: "untrust",
      to: "trust",
      app: "web-browsing",
      action: "allow",
      vsys: "vsys1",
    });
    expect((await go("threat"))[0]).toMatchObject({ type: "THREAT", severity: "informational" });
    await client.commit("<commit><force/></commit>");
    clock.advance(1000);
    expect((await go("system")).map((each) => each.opaque)).toEqual(["Commit job succeeded, JobId=4", "System started"]);
    expect(await go("decryption")).toEqual([]);
  });

  it("are refused for unknown types, and stopped on request", async () => {
    const { client } = await admin();
    expect((await client.send({ type: "log", "log-type": "bogus" })).code).toBe("17");
    expect((await client.send({ type: "log" })).http).toBe(400);
    const created = await client.send({ type: "log", "log-type": "traffic" });
    const id = find(created.root, "result", "job")?.text ?? "";
    expect((await client.send({ type: "log", action: "finish", "job-id": id })).status).toBe("success");
    expect((await client.send({ type: "log", action: "get", "job-id": id })).status).toBe("error");
  });
});
