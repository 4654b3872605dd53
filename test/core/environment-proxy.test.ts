import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { expect, it } from "vitest";
import { proxyOf, useEnvironmentProxies } from "../../src/core/environment-proxy.js";
import { Connection } from "../../src/http/connection.js";
import { systemHttpDependencies } from "../../src/http/dependencies.js";
import { postJson } from "../../src/http/post.js";
import { afterTest } from "../after-test.js";

const PROXY = { HTTPS_PROXY: "http://proxy.example.net:3128" };

it.each([
  ["https://hooks.example.net", "", true],
  ["http://hooks.example.net", "", false],
  ["https://localhost:8443", "", false],
  ["https://127.0.0.9", "", false],
  ["https://[::1]:8443", "", false],
  ["https://git.example.net", "example.net", false],
  ["https://git.example.net", ".example.net", false],
  ["https://git.example.net", "*.example.net", false],
  ["https://example.net", "*.example.net", false],
  ["https://notexample.net", "example.net", true],
  ["https://git.example.net:8443", "git.example.net:443", true],
  ["https://git.example.net:8443", "other, git.example.net:8443", false],
  ["https://10.1.2.3", "10.0.0.0/8", false],
  ["https://11.1.2.3", "10.0.0.0/8", true],
  ["https://10.1.2.3", "10.1.2.3", false],
  ["https://[fd00::7]", "fd00::/8", false],
  ["https://[fe00::7]", "fd00::/8", true],
  ["https://git.example.net", "*", false],
])("%s with NO_PROXY=%s uses the proxy: %s", (address, excluded, uses) => {
  expect(proxyOf(address, { ...PROXY, NO_PROXY: excluded }) !== undefined).toBe(uses);
});

it("prefers lower case, accepts an address without a scheme, and does not quote an invalid one", () => {
  expect(proxyOf("https://a.example", { ...PROXY, https_proxy: "other:8080" })?.href).toBe("http://other:8080/");
  expect(proxyOf("https://a.example", {})).toBeUndefined();
  expect(() => proxyOf("https://a.example", { HTTPS_PROXY: "socks5://me:s3cret@proxy" })).toThrow(/^HTTPS_PROXY is not the address/);
});

/** A proxy that records and refuses all tunnels. */
async function startProxy(): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer();
  server.on("connect", (request, socket) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const before = getGlobalDispatcher();
  afterTest(() => {
    setGlobalDispatcher(before);
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

it("opens a tunnel with the login, which no error contains", async () => {
  const { port, asked } = await startProxy();
  await useEnvironmentProxies({ HTTPS_PROXY: `http://me:s%40cret@127.0.0.1:${port}` });
  const failed: unknown = await postJson("https://hooks.example.net/x", "{}", { headers: {}, timeout: 5_000 }).catch((error) => error);
  expect(asked).toEqual([`hooks.example.net:443 Basic ${Buffer.from("me:s@cret").toString("base64")}`]);
  expect(failed).toBeInstanceOf(Error);
  expect(String((failed as Error).stack)).not.toMatch(/s%40cret|s@cret/);
});

it("is not used for targets", async () => {
  const { port, asked } = await startProxy();
  await useEnvironmentProxies({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
  const place = { target: "edge", origin: "https://edge.invalid" };
  const limits = { tls: { insecure: false }, timeout: 5, connections: 1, maxReplyBytes: 1_000 };
  const logger = { debug: () => undefined, warn: () => undefined };
  const connection = new Connection({ kind: "panos", peer: "the device", place, ...limits }, systemHttpDependencies(logger));
  afterTest(() => connection.close());
  const request = { method: "GET", path: "/api", headers: {}, isRead: true, call: "get", logged: {} } as const;
  await expect(connection.exchange(request)).rejects.toThrow("edge");
  expect(asked).toEqual([]);
});

it("is used by commands that reach a code host", async () => {
  const { port, asked } = await startProxy();
  const words = "pr comment --host github --repo net/desired --pr 42 --api https://git.invalid --file README.md".split(" ");
  const environment = { PATH: process.env.PATH, PLUMBLINE_TOKEN: "word", HTTPS_PROXY: `http://127.0.0.1:${port}` };
  const child = spawn(process.execPath, [resolve("dist/cli.js"), ...words], { env: environment, stdio: "ignore" });
  const ended = once(child, "close");
  await expect.poll(() => asked[0], { timeout: 20_000 }).toBe("git.invalid:443 undefined");
  child.kill();
  await ended;
});
