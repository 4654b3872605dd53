import { describe, expect, it } from "vitest";
import { admin, base, find, get, lab, login, post } from "../support.js";

const INFO = { type: "op", cmd: "<show><system><info/></system></show>" };

describe("keygen", () => {
  it("returns a key with single quotes, without a code", async () => {
    const { lab: running } = await lab();
    const reply = await get(running.device, { type: "keygen", user: "admin", password: "admin" });
    expect(reply.text).toMatch(/^<response status = 'success'><result><key>[\w-]+<\/key><\/result><\/response>$/);
    expect(reply.contentType).toContain("application/xml");
  });

  it("refuses a wrong password and an unknown user with HTTP 403", async () => {
    const { lab: running } = await lab();
    for (const user of ["admin", "nobody"]) {
      const reply = await post(running.device, { type: "keygen", user, password: "wrong" });
      expect(reply.http).toBe(403);
      expect(reply.text).toBe("<response status = 'error' code = '403'><result><msg>Invalid Credential</msg></result></response>");
    }
  });

  it.each(["user", "password"])("names the missing parameter %s", async (missing) => {
    const { lab: running } = await lab();
    const params: Record<string, string> = { type: "keygen", user: "admin", password: "admin" };
    delete params[missing];
    const reply = await post(running.device, params);
    expect([reply.http, reply.code]).toEqual([400, "400"]);
    expect(reply.lines[0]).toContain(`"${missing}"`);
  });
});

describe("keys", () => {
  it("are accepted as parameter, as header, and not needed with HTTP Basic; by GET and POST, with and without slash", async () => {
    const { client, lab: running } = await admin();
    const { device, key } = client;
    const basic = { authorization: `Basic ${Buffer.from("admin:admin").toString("base64")}` };
    const replies = await Promise.all([
      post(device, { ...INFO, key }),
      post(device, INFO, { "x-pan-key": key }),
      post(device, INFO, basic),
      get(device, { ...INFO, key }),
      get(device, { ...INFO, key }, "/api"),
    ]);
    for (const reply of replies) expect(reply.status).toBe("success");
    expect(running.device.state.journal.slice(-5).map((entry) => entry.admin)).toEqual(Array(5).fill("admin"));
  });

  it("are required", async () => {
    const { lab: running } = await lab();
    expect((await post(running.device, INFO)).lines).toEqual(["Invalid Credential"]);
    expect((await post(running.device, { ...INFO, key: "wrong" })).http).toBe(403);
    expect((await post(running.device, INFO, { authorization: `Basic ${Buffer.from("admin:no").toString("base64")}` })).http).toBe(403);
  });

  it("end with their lifetime, when they are revoked, and when the account changes", async () => {
    const { client, clock, lab: running } = await admin({ behavior: { keyLifetime: 60_000 } });
    const { administrators, keys } = running.device.state;
    const works = async (key: string): Promise<boolean> => (await post(running.device, { ...INFO, key })).http === 200;
    expect(await works(client.key)).toBe(true);
    clock.advance(60_000);
    expect(await works(client.key)).toBe(false);
    const second = await login(running.device);
    keys.revoke(second.key);
    expect(await works(second.key)).toBe(false);
    const third = await login(running.device);
    administrators.add({ name: "admin", password: "changed", role: { kind: "superuser" } });
    expect(await works(third.key)).toBe(false);
    const fourth = await login(running.device, "admin", "changed");
    expect(await works(fourth.key)).toBe(true);
    administrators.remove("admin");
    expect(await works(fourth.key)).toBe(false);
  });

  it("replace the former one if the device allows one at a time", async () => {
    const { client } = await admin({ behavior: { oneKeyAtATime: true } });
    await login(client.device);
    expect((await client.send(INFO)).http).toBe(403);
  });

  it("contain only characters that no form encodes, and are not in the journal, like the password", async () => {
    const { client } = await admin();
    await client.send(INFO);
    expect(encodeURIComponent(client.key)).toBe(client.key);
    const journal = JSON.stringify(client.state.journal);
    expect(journal).not.toContain(client.key);
    expect(client.state.journal[0]?.params).toEqual({ type: "keygen", user: "admin" });
  });
});

describe("administrators", () => {
  it("of the configuration log in with their own name", async () => {
    const config = "<config><mgt-config><users><entry name='eva'/></users></mgt-config></config>";
    const { lab: running } = await lab({ config });
    expect((await (await login(running.device, "eva")).send(INFO)).status).toBe("success");
  });

  it("are limited to their role", async () => {
    const { lab: running } = await lab({
      administrators: [
        { name: "reader", password: "reader", role: { kind: "superreader", deniedTypes: ["commit"] } },
        { name: "blind", password: "blind", role: { kind: "custom", hidden: ["/config/shared"] } },
      ],
    });
    const reader = await login(running.device, "reader");
    const commit = await reader.commit();
    expect([commit.http, commit.code, commit.lines[0]]).toEqual([403, "403", "Type [commit] not authorized for user role"]);
    const write = await reader.config("set", "/config/shared/tag", "<entry name='t'/>");
    expect(write.lines).toEqual(["Type [config] not authorized for user role"]);
    const blind = await login(running.device, "blind");
    const hidden = await blind.config("get", "/config/shared");
    expect([hidden.status, hidden.code]).toEqual(["success", "7"]);
    expect((await blind.config("get", "/config/devices")).code).toBe("19");
  });
});

describe("requests", () => {
  it("without their parameters answer 400 before the key is checked, like a URL that a shell truncated", async () => {
    const { lab: running } = await lab();
    for (const type of ["op", "config", "commit"]) expect((await get(running.device, { type })).http).toBe(400);
    expect((await get(running.device, {})).lines[0]).toContain('"type"');
    const reply = await get(running.device, { type: "commit", key: "any" });
    expect(reply.text).toContain("Parameter &quot;cmd&quot; is required");
  });

  it("of an unknown type, path or method are refused", async () => {
    const { client, lab: running } = await admin();
    expect((await client.send({ type: "nothing" })).http).toBe(400);
    expect((await fetch(`${base(running.device)}/other`)).status).toBe(404);
    expect((await fetch(`${base(running.device)}/api/`, { method: "PUT" })).status).toBe(405);
    expect(find((await client.send(INFO)).root, "result", "system")).toBeDefined();
  });
});
