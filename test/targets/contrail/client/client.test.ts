import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../../src/core/secret.js";
import { get } from "../../../../src/targets/contrail/client/request.js";
import { failure } from "../../panos/fixtures.js";
import { type Answer, clientOf, dependencies, HTML, scripted, tokens } from "../fixtures.js";

const LIST = get("/virtual-networks?detail=True");
const WRITE = { method: "PUT", path: "/virtual-network/u", body: { "virtual-network": {} }, repeatable: false } as const;
const nothing: Answer = { body: '{"virtual-networks": []}' };
const page = (status: number, words: string) =>
  `\n    <!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n    <html><head><title>Error: ${status}</title></head><body><pre>${words}</pre></body></html>`;

describe("refusals in their four forms", () => {
  it.each<[string, number, string, string, string, string]>([
    ["text as HTML", 404, HTML, "Name ['a', 'b'] not found", "controller-not-found", "Name ['a', 'b'] not found"],
    ["text as HTML", 400, HTML, "Bad Request, no fq_name in POST body", "controller-bad-request", "no fq_name"],
    ["text as HTML", 409, HTML, "['d', 'p', 'n'] already exists with uuid: 1", "controller-exists", "already exists"],
    ["text as HTML", 409, HTML, "1 already exists with fq_name: ['d', 'p', 'n']", "controller-exists", "already exists"],
    ["text as HTML", 409, HTML, "Delete when resource still referred: ['http://a/b']", "controller-still-referred", "still referred"],
    ["text as HTML", 409, HTML, "Delete when children still present: ['http://a/b']", "controller-still-referred", "children"],
    ["text as HTML", 409, HTML, "Cannot Delete IP Block, IP(10.1.0.252) is in use", "controller-conflict", "10.1.0.252"],
    [
      "a page",
      412,
      HTML,
      page(412, "quota limit (1) exceeded for resource &#039;virtual_network&#039;"),
      "controller-quota",
      "resource 'virtual_network'",
    ],
    ["a page", 413, HTML, page(413, "Request too large"), "controller-too-large", "Request too large"],
    ["a page", 401, HTML, page(401, "HTTP_AUTHORIZATION header missing"), "controller-authentication", "header missing"],
    [
      "JSON",
      401,
      "application/json",
      '{"error": {"code": 401, "title": "Unauthorized", "message": "The request …"}}',
      "controller-authentication",
      "The request …",
    ],
    ["plain text", 403, "text/plain", "403 Permission Denied", "controller-permission", "403 Permission Denied"],
    ["text as HTML", 500, HTML, "Virtual-Network(a:b) has invalid subnet(10.0.0.0/24)", "controller-failed", "invalid subnet"],
    ["nothing", 500, HTML, "", "controller-failed", "no reason given"],
  ])("%s, %i", async (_, status, type, body, code, words) => {
    const { url } = await scripted(() => ({ status, type, body }));
    const error = await failure(clientOf(url).require(LIST));
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
    expect(error.where.target).toBe("fabric");
  });

  it("are not recognised in a proxy's page, which is no statement about an object", async () => {
    for (const status of [200, 403, 404, 409]) {
      const { url } = await scripted(() => ({ status, type: HTML, body: "<html><head><title>Sorry</title></head></html>" }));
      expect((await failure(clientOf(url).require(LIST))).code).toBe("controller-reply-html");
    }
    const { url } = await scripted(() => ({ status: 302, headers: { location: "https://login.example/" } }));
    expect((await failure(clientOf(url).require(LIST))).code).toBe("unexpected-http-status");
  });
});

describe("authentication", () => {
  it("uses the token of another target, HTTP Basic, or nothing", async () => {
    const { url, asked } = await scripted(() => nothing);
    await clientOf(url, { auth: { kind: "token", source: tokens() } }).require(LIST);
    await clientOf(url, { auth: { kind: "basic", username: "admin", password: new SecretValue("pä:ss", "x") } }).require(LIST);
    await clientOf(url).require(LIST);
    expect(asked.map(({ headers }) => headers["x-auth-token"] ?? headers.authorization)).toEqual([
      "token-1",
      `Basic ${Buffer.from("admin:pä:ss").toString("base64")}`,
      undefined,
    ]);
    expect(asked[0]?.headers["content-type"]).toBe("application/json; charset=UTF-8");
  });

  it("renews a token once, for all requests that were refused with it", async () => {
    const source = tokens();
    const { url, asked } = await scripted(({ headers }) =>
      headers["x-auth-token"] === "token-2" ? nothing : { status: 401, type: "application/json", body: '{"error": {"message": "no"}}' },
    );
    const client = clientOf(url, { auth: { kind: "token", source } });
    await Promise.all([1, 2, 3, 4].map(() => client.require(LIST)));
    await client.require(LIST);
    expect(source.renewals).toBe(1);
    expect(asked.length).toBe(9);
  });

  it("gives up if the new token is refused too, and shows neither", async () => {
    const source = tokens();
    const injected = dependencies();
    const { url, asked } = await scripted(() => ({ status: 401, type: "application/json", body: '{"error": {"message": "no"}}' }));
    const error = await failure(clientOf(url, { auth: { kind: "token", source } }, injected).require(LIST));
    expect(error.code).toBe("controller-authentication");
    expect(asked.length).toBe(2);
    expect([error.message, ...injected.logged].join()).not.toContain("token-");
  });
});

describe("an unavailable controller", () => {
  it("is retried with growing delays, and not indefinitely", async () => {
    const injected = dependencies();
    const recovering = await scripted((_, count) =>
      count === 1
        ? { status: 502, type: HTML, body: "<html></html>" }
        : count === 2
          ? { status: 503, type: HTML, body: "No connection to zookeeper." }
          : nothing,
    );
    await clientOf(recovering.url, {}, injected).require(LIST);
    expect(injected.slept).toEqual([250, 500]);
    const dead = await scripted(() => ({ status: 503, type: HTML, body: "Api server is Initializing:DB Resync in progress" }));
    const error = await failure(clientOf(dead.url).require(LIST));
    expect(error.code).toBe("controller-unavailable");
    expect(error.message).toContain("DB Resync");
    expect(dead.asked.length).toBe(4);
  });

  it("gets no write twice", async () => {
    const dead = await scripted(() => ({ status: 503, type: HTML, body: "No connection to zookeeper." }));
    expect((await failure(clientOf(dead.url).require(WRITE))).code).toBe("controller-unavailable");
    expect(dead.asked.length).toBe(1);
  });

  it("reports a lost reply to a write, and repeats a read after a broken connection", async () => {
    const injected = dependencies();
    const { url, asked } = await scripted((_, count) => (count < 3 ? { drop: true } : nothing));
    expect((await failure(clientOf(url, {}, injected).require(WRITE))).code).toBe("reply-lost");
    expect(asked.length).toBe(1);
    await clientOf(url, {}, injected).require(LIST);
    expect(asked.length).toBe(3);
  });
});

describe("replies", () => {
  it("are accepted only if complete", async () => {
    const body = '{"virtual-networks": [{"virtual-network": {"uuid": "1"}}, {"virtual-netw';
    const { url, asked } = await scripted(() => ({ body }));
    expect((await failure(clientOf(url).require(LIST))).code).toBe("controller-reply-broken");
    expect(asked.length).toBe(4);
  });

  it("keep every digit of 64-bit integers", async () => {
    const { url } = await scripted(() => ({ body: '{"uuid_mslong": 9300233470495232273}' }));
    expect(await clientOf(url).require(LIST)).toMatchObject({ json: { uuid_mslong: 9300233470495232273n } });
  });

  it("are received from below a path, too", async () => {
    const { url, asked } = await scripted(() => nothing);
    await clientOf(`${url}/contrail/`).require(LIST);
    expect(asked[0]?.url).toBe("/contrail/virtual-networks?detail=True");
  });
});
