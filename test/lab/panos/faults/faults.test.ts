import { describe, expect, it } from "vitest";
import { ADDRESS, type Answer, admin, base, type Client, find, finishJobs, post } from "../support.js";

const A = `${ADDRESS}/entry[@name='a']`;
const set = (client: Client): Promise<Answer> => client.config("set", A, "<ip-netmask>1.1.1.1</ip-netmask>");
const isThere = (client: Client): boolean => client.device.act("admin", { type: "config", action: "get", xpath: A }).code === "19";
const fate = (client: Client) => client.state.journal.filter((entry) => entry.action === "set").at(-1);
const raw = (client: Client, params: Record<string, string>): Promise<Response> =>
  fetch(`${base(client.device)}/api/`, { method: "POST", body: new URLSearchParams({ key: client.key, ...params }) });

describe("connection faults", () => {
  it("drop: the connection breaks and nothing was done", async () => {
    const { client, lab } = await admin();
    lab.fault({ match: { action: "set" }, effect: { kind: "drop" } });
    await expect(set(client)).rejects.toThrow();
    expect(isThere(client)).toBe(false);
    expect(fate(client)).toMatchObject({ executed: false, reply: "none", faults: ["drop"], outcome: undefined });
    expect((await set(client)).code).toBe("20");
  });

  it("drop-reply: the connection breaks and it was done", async () => {
    const { client, lab } = await admin();
    lab.fault({ match: { action: "set" }, effect: { kind: "drop-reply" } });
    await expect(set(client)).rejects.toThrow();
    expect(isThere(client)).toBe(true);
    expect(fate(client)).toMatchObject({ executed: true, reply: "none", outcome: { code: "20" } });
  });

  it("cut: half a reply, with the length of the part or of the complete reply", async () => {
    const { client, lab } = await admin();
    const whole = await (await raw(client, { type: "config", action: "get", xpath: ADDRESS })).text();
    lab.fault({ effect: { kind: "cut", share: 0.5 } });
    const half = await (await raw(client, { type: "config", action: "get", xpath: ADDRESS })).text();
    expect(half).toBe(whole.slice(0, Math.floor(whole.length / 2)));
    lab.fault({ effect: { kind: "cut", announced: "whole" } });
    await expect(raw(client, { type: "config", action: "get", xpath: ADDRESS }).then((reply) => reply.text())).rejects.toThrow();
  });

  it("html, status, content-type and huge: another body than the device's reply", async () => {
    const { client, lab } = await admin();
    const next = (): Promise<Response> => raw(client, { type: "config", action: "get", xpath: ADDRESS });
    for (const status of [200, 414]) {
      lab.fault({ effect: { kind: "html", status } });
      const reply = await next();
      expect([reply.status, reply.headers.get("content-type"), (await reply.text()).startsWith("<html>")]).toEqual([
        status,
        "text/html",
        true,
      ]);
    }
    lab.fault({ effect: { kind: "status", status: 503 } });
    expect((await next()).status).toBe(503);
    lab.fault({ effect: { kind: "content-type", value: "text/plain" } });
    const plain = await next();
    expect([plain.headers.get("content-type"), (await plain.text()).startsWith("<response")]).toEqual(["text/plain", true]);
    lab.fault({ effect: { kind: "huge", bytes: 3_000_000 } });
    expect((await (await next()).text()).length).toBeGreaterThan(3_000_000);
    expect(client.state.journal.slice(-4).map((entry) => entry.reply)).toEqual(Array(4).fill("spoilt"));
  });

  it("delay: waits by the lab's clock first", async () => {
    const { client, lab, clock } = await admin();
    const before = clock.now();
    lab.fault({ effect: { kind: "delay", milliseconds: 5000 } });
    await set(client);
    expect(clock.now() - before).toBe(5000);
  });
});

describe("device faults", () => {
  it("revoke-key: the key is refused from then on", async () => {
    const { client, lab } = await admin();
    lab.fault({ match: { type: "config" }, effect: { kind: "revoke-key" } });
    expect((await set(client)).lines).toEqual(["Invalid Credential"]);
    expect((await set(client)).http).toBe(403);
  });

  it("busy: another commit is in progress, once", async () => {
    const { client, lab } = await admin();
    await set(client);
    lab.fault({ match: { type: "commit" }, effect: { kind: "busy" } });
    expect((await client.commit()).lines).toEqual(["A commit is in progress."]);
    expect((await client.commit()).code).toBe("19");
  });

  it("job-never-ends, job-fails and job-does-nothing: results of the commit", async () => {
    const { client, lab, clock } = await admin();
    const state = async (id: string): Promise<(string | undefined)[]> => {
      const job = find((await client.op(`<show><jobs><id>${id}</id></jobs></show>`)).root, "result", "job");
      return ["status", "result", "progress"].map((tag) => job?.children.find((child) => child.tag === tag)?.text);
    };
    await set(client);
    lab.fault({ match: { type: "commit" }, effect: { kind: "job-fails", lines: ["no licence"] } });
    await client.commit();
    finishJobs(client.state, clock);
    expect(await state("2")).toEqual(["FIN", "FAIL", "100"]);
    expect(client.state.commits[0]?.lines).toEqual(["no licence"]);
    lab.fault({ match: { type: "commit" }, effect: { kind: "job-does-nothing" } });
    await client.commit();
    finishJobs(client.state, clock);
    expect(await state("3")).toEqual(["FIN", "OK", "100"]);
    expect(client.state.candidate.pending).toHaveLength(1);
    lab.fault({ match: { type: "commit" }, effect: { kind: "job-never-ends" } });
    await client.commit();
    clock.advance(1e12);
    expect(await state("4")).toEqual(["ACT", "PEND", "0"]);
  });

  it("lock and act: another administrator is first", async () => {
    const { client, lab } = await admin();
    lab.fault({ match: { action: "set" }, effect: { kind: "lock", lock: "config", admin: "eva", comment: "mine" } });
    expect((await set(client)).lines).toEqual(["Configuration is locked by eva"]);
    const { client: second, lab: other } = await admin();
    const params = { type: "config", action: "delete", xpath: `${ADDRESS}/entry[@name='web-1']` };
    other.fault({
      match: { action: "set" },
      effect: { kind: "act", admin: "eva", params: { ...params, action: "set", xpath: A, element: "<fqdn>x</fqdn>" } },
    });
    await set(second);
    expect(second.state.candidate.pending.map(({ stamp }) => stamp.admin)).toEqual(["eva", "admin"]);
    expect(second.state.journal.at(-1)).toMatchObject({ method: "LAB", admin: "eva", executed: true });
  });

  it("hold and call: a test runs between request and device, or between device and reply", async () => {
    const { client, lab } = await admin();
    const seen: boolean[] = [];
    lab.fault({ effect: { kind: "call", when: "before", run: () => void seen.push(isThere(client)) } });
    lab.fault({ effect: { kind: "call", when: "after", run: () => void seen.push(isThere(client)) } });
    await set(client);
    expect(seen).toEqual([false, true]);
    await client.config("delete", A);
    lab.fault({ effect: { kind: "hold" } });
    const held = set(client);
    const control = `${base(client.device)}/lab`;
    const waiting = async (): Promise<number> => ((await (await fetch(`${control}/held`)).json()) as unknown[]).length;
    while ((await waiting()) === 0);
    expect(isThere(client)).toBe(false);
    await fetch(`${control}/release`, { method: "POST" });
    expect((await held).code).toBe("20");
  });
});

describe("matching", () => {
  it("uses all parts, the nth match, and a count", async () => {
    const { client, lab } = await admin();
    lab.fault({
      match: { type: "config", action: "get", xpath: "address", admin: "admin", device: "fw1", nth: 2 },
      effect: { kind: "status", status: 500 },
    });
    lab.fault({ match: { cmd: "clock" }, effect: { kind: "status", status: 502 }, count: 2 });
    const statuses: number[] = [];
    for (const xpath of [ADDRESS, "/config/shared", ADDRESS, ADDRESS])
      statuses.push((await raw(client, { type: "config", action: "get", xpath })).status);
    expect(statuses).toEqual([200, 200, 500, 200]);
    const clock: number[] = [];
    for (let turn = 0; turn < 3; turn++) clock.push((await raw(client, { type: "op", cmd: "<show><clock/></show>" })).status);
    expect(clock).toEqual([502, 502, 200]);
    lab.fault({ effect: { kind: "drop" } });
    lab.clearFaults();
    expect((await set(client)).code).toBe("20");
  });
});

describe("the control endpoint", () => {
  const ask = async (client: Client, method: string, path: string, body?: unknown): Promise<unknown> => {
    const reply = await fetch(`${base(client.device)}/lab/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return reply.headers.get("content-type")?.includes("json") === true ? reply.json() : reply.text();
  };

  it("sets faults, acts as an administrator, and returns the log", async () => {
    const { client } = await admin();
    await ask(client, "POST", "faults", { match: { action: "set" }, effect: { kind: "status", status: 500 } });
    expect(await ask(client, "GET", "faults")).toHaveLength(1);
    expect((await raw(client, { type: "config", action: "set", xpath: A, element: "<fqdn>a</fqdn>" })).status).toBe(500);
    expect(await ask(client, "GET", "faults")).toEqual([]);
    const acted = await ask(client, "POST", "act", {
      admin: "eva",
      params: { type: "config", action: "set", xpath: A, element: "<fqdn>a.b</fqdn>" },
    });
    expect(acted).toMatchObject({ status: "success", code: "20" });
    expect(await ask(client, "GET", "candidate")).toContain('admin="eva"');
    expect(await ask(client, "GET", "running")).not.toContain("a.b");
    expect(((await ask(client, "GET", "journal")) as { admin: string }[]).at(-1)?.admin).toBe("eva");
    expect(await ask(client, "GET", "devices")).toEqual([{ name: "fw1", serial: client.state.serial }]);
    expect(await ask(client, "GET", "commits")).toEqual([]);
    expect(await ask(client, "GET", "violations")).toEqual([]);
  });

  it("manages accounts, keys and jobs", async () => {
    const { client } = await admin({ jobDuration: 60_000 });
    await ask(client, "POST", "administrators", { name: "new", password: "pw", role: { kind: "superuser" } });
    expect((await post(client.device, { type: "keygen", user: "new", password: "pw" })).status).toBe("success");
    await set(client);
    await client.commit();
    expect(await ask(client, "POST", "finish-job", { id: 2, ok: false, lines: ["stopped"] })).toEqual({ found: true });
    expect(client.state.jobs.get(2)?.outcome).toEqual({ ok: false, lines: ["stopped"] });
    await ask(client, "POST", "revoke", { admin: "admin" });
    expect((await set(client)).http).toBe(403);
    await ask(client, "DELETE", "faults");
    expect(await ask(client, "POST", "bogus")).toMatchObject({ error: "unknown" });
    expect((await fetch(`${base(client.device)}/lab/faults`, { method: "POST", body: "{" })).status).toBe(400);
  });
});
