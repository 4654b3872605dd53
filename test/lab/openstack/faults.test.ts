import { request } from "node:https";
import { describe, expect, it } from "vitest";
import { USUAL_PORTS } from "../../../src/lab/openstack/options.js";
import { startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { call, lab, login, passwordAuth, projectScope } from "./support.js";

describe("faults", () => {
  it("drop a request before the service executes it, or only the reply", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const make = (name: string): Promise<unknown> => demo.network("POST", "/networks", { network: { name } });
    cloud.fault({ match: { method: "POST", body: '"lost"' }, effect: { kind: "drop" } });
    cloud.fault({ match: { method: "POST", body: '"made"' }, effect: { kind: "drop-reply" } });
    await expect(make("lost")).rejects.toThrow();
    await expect(make("made")).rejects.toThrow();
    const names = (await demo.network("GET", "/networks?fields=name")).json.networks.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["public", "private", "made"]);
    const posts = cloud.journal.filter(({ path, method }) => path === "/v2.0/networks" && method === "POST");
    expect(posts.map(({ executed, reply, faults }) => [executed, reply, faults])).toEqual([
      [false, "none", ["drop"]],
      [true, "none", ["drop-reply"]],
    ]);
  });

  it("truncate replies, with the length of the part or of the complete reply", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const ask = (): Promise<Response> => fetch(`${cloud.urls.network}/v2.0/networks`, { headers: { "x-auth-token": demo.token } });
    const whole = (await (await ask()).text()).length;
    cloud.fault({ match: { service: "network" }, effect: { kind: "cut" } });
    expect((await (await ask()).text()).length).toBe(Math.floor(whole / 2));
    cloud.fault({ match: { service: "network" }, effect: { kind: "cut", share: 0.9, announced: "whole" } });
    await expect(ask().then((reply) => reply.text())).rejects.toThrow();
  });

  it("answer with HTML pages, statuses, refusals, other content types", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    cloud.fault({ effect: { kind: "html", status: 502 } });
    const page = await demo.network("GET", "/networks");
    expect([page.status, page.headers.get("content-type"), page.text.startsWith("<html>")]).toEqual([502, "text/html", true]);
    cloud.fault({ effect: { kind: "status", status: 503 } });
    expect((await demo.compute("GET", "/v2.1/servers")).status).toBe(503);
    const refuse = { kind: "refuse", status: 409, type: "conflictingRequest", message: "busy" } as const;
    cloud.fault({ effect: refuse, count: 3 });
    expect((await demo.compute("GET", "/v2.1/servers")).json).toEqual({ conflictingRequest: { code: 409, message: "busy" } });
    expect((await demo.identity("GET", "/v3/auth/projects")).json.error).toEqual({
      code: 409,
      message: "busy",
      title: "conflictingRequest",
    });
    expect((await demo.image("GET", "/v2/images")).text).toBe("409 conflictingRequest\n\nbusy\n\n   ");
    cloud.fault({ effect: { kind: "content-type", value: "text/plain" } });
    expect((await demo.network("GET", "/networks")).headers.get("content-type")).toBe("text/plain");
  });

  it("fail one page of a list, and end a token during a run", async () => {
    const { lab: cloud } = await lab({ network: { pageMaximum: 1 } });
    const demo = await login(cloud);
    cloud.fault({ match: { path: "/v2.0/networks", query: "marker=" }, effect: { kind: "status", status: 500 } });
    const first = await demo.network("GET", "/networks");
    const next = new URL(first.json.networks_links[0].href);
    expect((await demo.network("GET", `/networks${next.search}`)).status).toBe(500);
    expect((await demo.network("GET", `/networks${next.search}`)).status).toBe(200);
    cloud.fault({ match: { user: "demo", service: "network", nth: 2 }, effect: { kind: "expire-token" } });
    const statuses = [];
    for (let turn = 0; turn < 3; turn++) statuses.push((await demo.network("GET", "/networks")).status);
    expect(statuses).toEqual([200, 401, 401]);
  });

  it("wait by the clock, fail a server, let another user write first, hold and call", async () => {
    const { lab: cloud, clock } = await lab();
    const demo = await login(cloud);
    const before = clock.now();
    cloud.fault({ effect: { kind: "delay", milliseconds: 5000 } });
    await demo.network("GET", "/networks");
    expect(clock.now() - before).toBe(5000);
    const [image] = (await demo.image("GET", "/v2/images")).json.images;
    cloud.fault({ match: { method: "POST", path: "/servers" }, effect: { kind: "server-fails", message: "No valid host was found." } });
    const { id } = (await demo.compute("POST", "/v2.1/servers", { server: { name: "s", imageRef: image.id, flavorRef: "1" } })).json.server;
    clock.advance(2000);
    const { status, fault } = (await demo.compute("GET", `/v2.1/servers/${id}`)).json.server;
    expect([status, fault.message]).toEqual(["ERROR", "No valid host was found."]);
    const act = {
      service: "network",
      method: "POST",
      path: "/v2.0/networks",
      body: { network: { name: "theirs" } },
      user: "demo",
    } as const;
    cloud.fault({ effect: { kind: "act", act } });
    expect((await demo.network("GET", "/networks?name=theirs")).json.networks).toHaveLength(1);
    const seen: string[] = [];
    cloud.fault({ effect: { kind: "call", run: () => void seen.push("before") } });
    cloud.fault({ effect: { kind: "call", when: "after", run: () => void seen.push("after") } });
    await demo.network("GET", "/networks");
    expect(seen).toEqual(["before", "after"]);
    cloud.fault({ match: { method: "DELETE" }, effect: { kind: "hold" } });
    const held = demo.compute("DELETE", `/v2.1/servers/${id}`);
    const waiting = async (): Promise<number> => (await call(cloud, "image", "GET", "/lab/held")).json.length;
    while ((await waiting()) === 0);
    await call(cloud, "image", "POST", "/lab/release");
    expect((await held).status).toBe(204);
  });

  it("are set, listed and cleared from another process too", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const control = (method: string, path: string, body?: unknown): ReturnType<typeof call> =>
      call(cloud, "compute", method, `/lab/${path}`, body);
    await control("POST", "faults", [{ match: { service: "network" }, effect: { kind: "status", status: 500 }, count: 2 }]);
    expect((await demo.network("GET", "/networks")).status).toBe(500);
    expect((await control("GET", "faults")).json).toHaveLength(1);
    await control("DELETE", "faults");
    expect((await demo.network("GET", "/networks")).status).toBe(200);
    expect((await control("POST", "act", { service: "network", method: "GET", path: "/v2.0/networks" })).json.status).toBe(200);
    await control("POST", "settings", { tokenLifetime: 6000, networkPageMaximum: 1, computePageMaximum: 1, buildDuration: 1 });
    expect((await demo.network("GET", "/networks")).json.networks).toHaveLength(1);
    expect(cloud.world.identity.tokenLifetime).toBe(6000);
    await control("POST", "revoke", { user: "demo" });
    expect((await demo.network("GET", "/networks")).status).toBe(401);
    expect((await control("GET", "journal")).json.length).toBeGreaterThan(3);
    expect((await control("POST", "bogus")).status).toBe(404);
    expect((await control("POST", "act", { service: "network", method: "GET", path: "/", user: "nobody" })).status).toBe(400);
  });
});

describe("the lab", () => {
  it("stores no secret in its journal", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    await call(cloud, "identity", "POST", "/v2.0/tokens", { auth: { token: { id: demo.token }, tenantName: "demo" } });
    const text = JSON.stringify(cloud.journal);
    expect([text.includes('"secret"'), text.includes(demo.token)]).toEqual([false, false]);
    expect(cloud.journal[0]).toMatchObject({
      n: 1,
      service: "identity",
      method: "POST",
      path: "/v3/auth/tokens",
      status: 201,
      reply: "sent",
    });
  });

  it("serves TLS with its own authority, in the catalog too", async () => {
    const { lab: cloud } = await lab({ tls: true });
    const body = JSON.stringify(passwordAuth("demo", projectScope("demo")));
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": body.length };
      const call = request(`${cloud.authUrl}/auth/tokens`, { method: "POST", ca: cloud.caPem, headers }, (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("end", () => resolve(Buffer.concat(chunks).toString()));
      });
      call.on("error", reject);
      call.end(body);
    });
    expect(JSON.parse(text).token.catalog[1].endpoints[0].url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    await expect(call(cloud, "identity", "GET", "/")).rejects.toThrow();
  });

  it("has the specification's ports, and reports a used one", async () => {
    expect(USUAL_PORTS).toMatchObject({ identity: 5000, network: 9696, compute: 8774 });
    const { lab: cloud } = await lab();
    const taken = Number(new URL(cloud.urls.network).port);
    await expect(startOpenstackLab({ ports: { identity: 0, network: taken, compute: 0, image: 0 } })).rejects.toThrow("EADDRINUSE");
  });

  it("starts empty if so configured", async () => {
    const { lab: cloud } = await lab({ seeded: false });
    expect([cloud.world.identity.users.size, cloud.world.network.all("network"), cloud.world.compute.flavors.size]).toEqual([0, [], 0]);
    expect(() => cloud.world.as("demo")).toThrow(/no user demo/);
  });
});
