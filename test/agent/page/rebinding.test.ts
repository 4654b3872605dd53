import { type IncomingHttpHeaders, request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PageWorld, TOKEN } from "./world.js";

let world: PageWorld;
beforeEach(async () => {
  world = await PageWorld.start({ names: ["plumbline.example.com"] });
});
afterEach(async () => await world.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request like a browser for which `host` resolves to the agent's address. */
function ask(host: string, path: string, method = "GET", more: Record<string, string> = {}, body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, world.url), { method, headers: { host, ...more } }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

const PATHS = ["/", "/app.js", "/api/fleet", "/api/target?name=fra-edge-a", "/api/history", "/api/audit", "/api/session", "/api/events"];

describe("a site whose name resolves to the agent's address", () => {
  it.each([...PATHS, "/metrics", "/nothing"])("reads nothing from %s", async (path) => {
    const { status, text, headers } = await ask("evil.example:9464", path);
    expect([status, headers["content-type"]]).toEqual([421, "text/plain; charset=utf-8"]);
    expect(text).toContain("agent.http.names");
    expect(text).not.toContain("fra-edge");
  });

  it("cannot sign in, even with the token", async () => {
    const headers = { "content-type": "application/json", origin: "http://evil.example:9464", "sec-fetch-site": "same-origin" };
    const body = JSON.stringify({ name: "eve", token: TOKEN });
    const { status, headers: got } = await ask("evil.example:9464", "/api/login", "POST", headers, body);
    expect(status).toBe(421);
    expect(got["set-cookie"]).toBeUndefined();
  });

  it("cannot claim to be a proxy for the agent's name", async () => {
    expect((await ask("evil.example", "/api/fleet", "GET", { "x-forwarded-host": "plumbline.example.com" })).status).toBe(421);
    expect((await ask("127.0.0.1", "/api/fleet", "GET", { "x-forwarded-host": "evil.example" })).status).toBe(421);
  });
});

describe("a request with the agent's name", () => {
  it.each(["127.0.0.1:9464", "[::1]:9464", "localhost:9464", "10.1.2.3", "plumbline.example.com", "plumbline.example.com:8443"])(
    "%s gets the page and the metrics",
    async (host) => {
      expect((await ask(host, "/api/fleet")).status).toBe(200);
      expect((await ask(host, "/metrics")).text).toBe("up 1\n");
    },
  );

  it("signs in through a proxy that keeps the name, and through one that forwards it", async () => {
    const body = JSON.stringify({ name: "ann", token: TOKEN });
    const headers = { "content-type": "application/json", origin: "https://plumbline.example.com", "sec-fetch-site": "same-origin" };
    expect((await ask("plumbline.example.com", "/api/login", "POST", headers, body)).status).toBe(200);
    const told = { ...headers, "x-forwarded-host": "plumbline.example.com" };
    expect((await ask("10.1.2.3:9464", "/api/login", "POST", told, body)).status).toBe(200);
  });
});

it("health checks work with any host name", async () => {
  expect((await ask("whatever.example", "/healthz")).text).toBe("ok\n");
  expect((await ask("whatever.example", "/readyz")).text).toBe("no commit has been taken yet\n");
  expect((await ask("whatever.example", "/healthz", "POST")).status).toBe(421);
});

it("every reply forbids framing and type guessing", async () => {
  for (const path of ["/metrics", "/healthz", "/nothing"]) {
    const { headers } = await ask("localhost", path);
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["x-content-type-options"]).toBe("nosniff");
  }
});
