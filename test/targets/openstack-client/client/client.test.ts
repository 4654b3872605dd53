import { describe, expect, it } from "vitest";
import { type JsonObject, texts } from "../../../../src/core/json/value.js";
import { SecretValue } from "../../../../src/core/secret.js";
import { OpenstackClient } from "../../../../src/targets/openstack-client/client/client.js";
import { isNotFound, isOutcomeUnknown, type OpenstackError } from "../../../../src/targets/openstack-client/client/openstack-error.js";
import { bench, closing, configuration, dependencies, PASSWORD, requestsOf } from "../../openstack/fixtures.js";
import { scriptedService } from "../../openstack/scripted-service.js";

const NETWORKS = { service: "network", path: ["networks"], collection: "networks" } as const;
const names = (items: readonly JsonObject[]): unknown[] => items.map(({ name }) => name).sort();
const make = (client: OpenstackClient, name: string) =>
  client.request({ service: "network", method: "POST", path: ["networks"], body: { network: { name } } });

describe("calls of the specification", () => {
  it("list networks, and read single subnets", async () => {
    const { client } = await bench();
    const networks = await client.list(NETWORKS);
    expect(names(networks)).toEqual(["private", "public"]);
    const [id = ""] = texts(networks.find(({ name }) => name === "private")?.subnets) ?? [];
    const { body } = await client.request({ service: "network", method: "GET", path: ["subnets", id] });
    expect(body.subnet).toMatchObject({ id, cidr: "10.0.0.0/24" });
  });

  it("list images, flavors, servers and key pairs, with detail", async () => {
    const { client } = await bench();
    const compute = (path: readonly string[], collection: string) => client.list({ service: "compute", path, collection });
    expect(await compute(["images", "detail"], "images")).toMatchObject([{ name: "cirros", status: "ACTIVE" }]);
    expect(names(await compute(["flavors", "detail"], "flavors"))).toEqual(["m1.large", "m1.medium", "m1.small", "m1.tiny"]);
    expect(await compute(["servers", "detail"], "servers")).toEqual([]);
    const key = (item: JsonObject) => (item.keypair as JsonObject).name as string;
    const keys = await client.list({ service: "compute", path: ["os-keypairs"], collection: "keypairs", key });
    expect(keys.map(key)).toEqual(["demo-key"]);
    expect(names(await client.list({ service: "image", path: ["images"], collection: "images" }))).toEqual(["cirros"]);
  });

  it("have the project in the path if the address has it, and in a header", async () => {
    const service = await scriptedService(() => ({ body: { servers: [] } }));
    const { lab } = await bench();
    const access = { authUrl: lab.authUrl, username: "demo", password: new SecretValue(PASSWORD, "p"), projectName: "demo" };
    const endpoints = new Map([["compute", `${service.url}/v2/abc`]]);
    const client = closing(new OpenstackClient(configuration({ ...access, endpoints }), dependencies()));
    await client.list({ service: "compute", path: ["servers"], collection: "servers" });
    const { project } = await client.session();
    expect(service.asked[0]).toMatchObject({ path: "/v2/abc/servers", headers: { "x-auth-project-id": project?.id } });
    expect(service.asked[0]?.headers["x-auth-token"]).toHaveLength(183);
  });

  it("create servers and return the password of the reply only as a secret", async () => {
    const { client, injected } = await bench();
    const [network] = await client.list({ ...NETWORKS, query: [["name", "private"]] });
    const [image] = await client.list({ service: "image", path: ["images"], collection: "images" });
    const server = {
      name: "s",
      imageRef: image?.id ?? "",
      flavorRef: "1",
      min_count: 1,
      max_count: 1,
      networks: [{ uuid: network?.id ?? "" }],
    };
    const reply = await client.request({ service: "compute", method: "POST", path: ["servers"], body: { server } });
    const password = reply.secrets.get("adminPass")?.reveal() ?? "";
    expect(reply.status).toBe(202);
    expect(password).toHaveLength(12);
    expect(reply.body.server).toMatchObject({ adminPass: "«adminPass»" });
    expect(JSON.stringify(reply) + injected.logged.join()).not.toContain(password);
  });

  it("list the projects of the account, in both versions", async () => {
    for (const identityVersion of ["3", "2.0"] as const) {
      const { client, lab } = await bench({}, { access: { identityVersion } });
      expect((await client.projects()).map(({ name, enabled }) => [name, enabled])).toEqual([["demo", true]]);
      expect(requestsOf(lab).at(-1)).toBe(identityVersion === "3" ? "identity GET /v3/auth/projects" : "identity GET /v2.0/tenants/");
    }
  });

  it("update only objects with the expected revision", async () => {
    const { client } = await bench();
    const { body } = await make(client, "mine");
    const { id, revision_number } = body.network as JsonObject;
    const update = (name: string, ifRevision: number) =>
      client.request({ service: "network", method: "PUT", path: ["networks", String(id)], body: { network: { name } }, ifRevision });
    await update("ours", Number(revision_number));
    await expect(update("theirs", Number(revision_number))).rejects.toMatchObject({
      code: "cloud-changed-meanwhile",
      refusal: "changed",
      status: 412,
      type: "RevisionNumberConstraintFailed",
    });
  });
});

describe("tokens", () => {
  it("are created once for parallel requests", async () => {
    const { client, lab } = await bench();
    await Promise.all([client.list(NETWORKS), client.list(NETWORKS), client.session()]);
    expect(requestsOf(lab).filter((words) => words.endsWith("/auth/tokens"))).toHaveLength(1);
  });

  it("are renewed before they expire: two minutes, or a tenth of their life", async () => {
    for (const [tokenLifetime, early] of [
      [3_600_000, 120_000],
      [6_000, 600],
    ] as const) {
      const { client, lab, clock } = await bench({ identity: { tokenLifetime } });
      const logins = () => requestsOf(lab).filter((words) => words.endsWith("/auth/tokens")).length;
      await client.list(NETWORKS);
      clock.advance(tokenLifetime - early - 1);
      await client.list(NETWORKS);
      expect(logins()).toBe(1);
      clock.advance(1);
      await client.list(NETWORKS);
      expect(logins()).toBe(2);
      expect(lab.journal.some(({ status }) => status === 401)).toBe(false);
    }
  });

  it("are renewed once when a service refuses one, also for a write, for all waiting requests", async () => {
    const { client, lab } = await bench();
    await client.list(NETWORKS);
    lab.fault({ match: { service: "network" }, effect: { kind: "expire-token" } });
    const done = await Promise.all([make(client, "a"), make(client, "b"), client.list(NETWORKS)]);
    expect([done[0].status, done[1].status]).toEqual([201, 201]);
    expect(requestsOf(lab).filter((words) => words.endsWith("/auth/tokens"))).toHaveLength(2);
    expect(names(await client.list(NETWORKS))).toEqual(["a", "b", "private", "public"]);
  });

  it("that are refused twice end the request", async () => {
    const { client, lab } = await bench();
    lab.fault({ match: { path: "/v2.0/networks" }, effect: { kind: "expire-token" }, count: 2 });
    await expect(client.list(NETWORKS)).rejects.toMatchObject({ code: "cloud-token-refused", status: 401 });
    expect(requestsOf(lab).filter((words) => words === "network GET /v2.0/networks")).toHaveLength(2);
  });

  it("without a project are an error, never an empty cloud", async () => {
    const { client, lab } = await bench({}, { access: { projectName: undefined } });
    await expect(client.list(NETWORKS)).rejects.toMatchObject({ code: "token-not-scoped", where: { target: "cloud" } });
    expect(requestsOf(lab)).toEqual(["identity POST /v3/auth/tokens"]);
  });

  it("serve another client of the same cloud, and are renewed for it on refusal", async () => {
    const { client } = await bench();
    const first = await client.token();
    expect((await client.token()).reveal()).toBe(first.reveal());
    const second = await client.renew(first);
    expect(second.reveal()).not.toBe(first.reveal());
    expect((await client.renew(first)).reveal()).toBe(second.reveal());
  });
});

describe("failed requests", () => {
  it("are repeated if they only read", async () => {
    const { client, lab, injected } = await bench();
    await client.session();
    for (const effect of [
      { kind: "status", status: 503 },
      { kind: "drop" },
      { kind: "cut", announced: "sent" },
      { kind: "cut", announced: "whole" },
    ] as const) {
      lab.fault({ match: { path: "/v2.0/networks" }, effect });
      expect(names(await client.list(NETWORKS))).toEqual(["private", "public"]);
    }
    expect(injected.slept).toEqual([250, 250, 250, 250]);
  });

  it("end after four attempts, with growing delays", async () => {
    const { client, lab, injected } = await bench();
    lab.fault({
      match: { path: "/v2.0/networks" },
      effect: { kind: "refuse", status: 500, type: "HTTPInternalServerError", message: "Oops" },
      count: 9,
    });
    await expect(client.list(NETWORKS)).rejects.toMatchObject({
      code: "cloud-service-failed",
      refusal: "failed",
      type: "HTTPInternalServerError",
    });
    expect(injected.slept).toEqual([250, 500, 1000]);
  });

  it("are repeated once if a read times out", async () => {
    const { client, lab } = await bench({}, { target: { timeout: 0.3 } });
    await client.session();
    lab.fault({ match: { path: "/v2.0/networks" }, effect: { kind: "hold" }, count: 9 });
    await expect(client.list(NETWORKS)).rejects.toMatchObject({ code: "request-timed-out" });
    expect(requestsOf(lab).filter((words) => words === "network GET /v2.0/networks")).toHaveLength(2);
  });

  it("end after five successive writes without an answer, while reads continue", async () => {
    const { client, lab } = await bench({}, { target: { timeout: 0.3 } });
    await client.session();
    lab.fault({ match: { method: "POST", service: "network" }, effect: { kind: "hold" }, count: 5 });
    const codes: unknown[] = [];
    for (const name of "abcdefg") codes.push(await make(client, name).catch(({ code }) => code));
    expect(codes).toEqual([...Array(5).fill("reply-lost"), "service-not-answering", "service-not-answering"]);
    expect(requestsOf(lab).filter((words) => words === "network POST /v2.0/networks")).toHaveLength(5);
    expect(names(await client.list(NETWORKS))).toEqual(["private", "public"]);
  });

  it("end after five successive writes to which a proxy answers for the service", async () => {
    const { client, lab } = await bench();
    await client.session();
    lab.fault({ match: { method: "POST", service: "network" }, effect: { kind: "html", status: 504 }, count: 9 });
    const codes: unknown[] = [];
    for (const name of "abcdef") codes.push(await make(client, name).catch(({ code }) => code));
    expect(codes.at(-1)).toBe("service-not-answering");
    expect(requestsOf(lab).filter((words) => words === "network POST /v2.0/networks")).toHaveLength(5);
  });

  it("are counted again after an answer", async () => {
    const { client, lab } = await bench({}, { target: { timeout: 0.3 } });
    await client.session();
    const hang = (count: number) => lab.fault({ match: { method: "POST", service: "network" }, effect: { kind: "hold" }, count });
    const sent = async (name: string) => await make(client, name).catch(({ code }) => code);
    hang(4);
    for (const name of "abcd") await sent(name);
    expect(await sent("e")).toMatchObject({ status: 201 });
    hang(1);
    await sent("f");
    expect(await sent("g")).toMatchObject({ status: 201 });
  });

  it("are never repeated if they write and the reply is lost", async () => {
    const { client, lab } = await bench();
    await client.session();
    lab.fault({ match: { method: "POST", service: "network" }, effect: { kind: "drop-reply" } });
    const error = await make(client, "once").catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "reply-lost" });
    expect(isOutcomeUnknown(error)).toBe(true);
    expect(requestsOf(lab).filter((words) => words === "network POST /v2.0/networks")).toHaveLength(1);
    lab.fault({ match: { method: "POST", service: "network" }, effect: { kind: "status", status: 504 } });
    const gateway = await make(client, "twice").catch((caught: unknown) => caught);
    expect(gateway).toMatchObject({ code: "cloud-service-unavailable" });
    expect(isOutcomeUnknown(gateway)).toBe(true);
    lab.fault({ match: { method: "POST", service: "network" }, effect: { kind: "html", status: 200 } });
    expect(isOutcomeUnknown(await make(client, "page").catch((caught: unknown) => caught))).toBe(true);
  });

  it("wait as long as a service requests, also writes, because nothing was executed", async () => {
    const { lab } = await bench();
    let turn = 0;
    const service = await scriptedService(() =>
      turn++ === 0 ? { status: 429, headers: { "retry-after": "7" }, body: "slow down" } : { status: 201, body: { network: { id: "1" } } },
    );
    const injected = dependencies();
    const endpoints = new Map([["network", `${service.url}/v2.0`]]);
    const access = { authUrl: lab.authUrl, username: "demo", password: new SecretValue(PASSWORD, "p"), projectName: "demo", endpoints };
    const client = closing(new OpenstackClient(configuration(access), injected));
    expect((await make(client, "x")).status).toBe(201);
    expect(injected.slept).toEqual([7000]);
  });

  it("report the service's text, with its request id", async () => {
    const { client, lab } = await bench();
    const error = (await client
      .request({ service: "network", method: "DELETE", path: ["networks", "no such one"] })
      .catch((caught) => caught)) as OpenstackError;
    expect(isNotFound(error)).toBe(true);
    const id = lab.journal.at(-1)?.requestId ?? "none";
    expect(error.message).toBe(
      `the network service at ${lab.urls.network} refuses DELETE networks/no such one: Network no such one could not be found. (HTTP 404, NetworkNotFound, ${id})`,
    );
    expect(error.next).toContain("Run again");
  });

  it("never show a secret, in an error or in a log", async () => {
    const hidden = new SecretValue('p"55', "«user data»");
    const { lab } = await bench();
    const service = await scriptedService(({ body, headers }) => ({
      status: 400,
      body: { badRequest: { code: 400, message: `Invalid input: ${body} of ${headers["x-auth-token"]}` } },
    }));
    const injected = dependencies();
    const endpoints = new Map([["compute", `${service.url}/v2.1`]]);
    const access = {
      authUrl: lab.authUrl,
      username: "demo",
      password: new SecretValue(PASSWORD, "«password»"),
      projectName: "demo",
      endpoints,
    };
    const client = closing(new OpenstackClient(configuration(access), injected));
    const token = await client.token();
    const request = { service: "compute", method: "POST", path: ["servers"], body: { server: { user_data: hidden } } } as const;
    const error = (await client.request(request).catch((caught) => caught)) as OpenstackError;
    expect(service.asked[0]?.body).toBe('{"server":{"user_data":"p\\"55"}}');
    expect(error.words).toBe('Invalid input: {"server":{"user_data":"«user data»"}} of «token»');
    expect(error.stack).not.toContain(token.reveal());
    expect(injected.logged.join()).not.toMatch(/p\\*"55|secret/);
  });
});

it("a service gets at most the allowed number of parallel requests", async () => {
  const { lab } = await bench();
  let waiting: (() => void)[] = [];
  const service = await scriptedService(async () => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < 3) return;
      for (const go of waiting) go();
      waiting = [];
    });
    return { body: { networks: [] } };
  });
  const endpoints = new Map([["network", `${service.url}/v2.0`]]);
  const access = { authUrl: lab.authUrl, username: "demo", password: new SecretValue(PASSWORD, "p"), projectName: "demo", endpoints };
  const client = closing(new OpenstackClient(configuration(access, { concurrency: 3 }), dependencies()));
  await Promise.all(Array.from({ length: 39 }, () => client.list(NETWORKS)));
  expect(service.asked).toHaveLength(39);
  expect(service.busiest()).toBe(3);
});
