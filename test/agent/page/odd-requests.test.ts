import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PageWorld } from "./world.js";

let world: PageWorld;
beforeAll(async () => {
  world = await PageWorld.start();
});
afterAll(async () => await world.close());

/** Raw request lines that no ordinary client sends. */
function say(lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.end(`${lines.join("\r\n")}\r\n\r\n`));
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

const statusOf = (reply: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(reply)?.[1]);

const PATHS = [
  "//",
  "///",
  "//evil.com",
  "//evil.com/api/fleet",
  "/\\evil.com",
  "/%00",
  "/%ff%fe",
  "/%",
  "/..",
  "/../../etc/passwd",
  "/api",
  "/api/",
  "/api//fleet",
  "/api/__proto__",
  "/login//evil.com",
  "?",
  "*",
  "evil.com:443",
  "http://",
  "http://[",
  "http://evil.com:99999999/",
  `/${"a".repeat(300)}`,
];

it.each(PATHS)("%s is answered, does not break anything, and redirects nowhere", async (path) => {
  for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
    const reply = await say([`${method} ${path} HTTP/1.1`, "host: localhost", "connection: close"]);
    expect([200, 400, 403, 404, 405, 421], method).toContain(statusOf(reply));
    expect(reply).not.toMatch(/^location:/im);
  }
});

it("answers odd host headers without failing", async () => {
  for (const host of ["", "[", "]", "[::1", "localhost:x", "a b", "evil.com", "%00", "-", ".", ":80"])
    expect([400, 421], host).toContain(statusOf(await say(["GET /api/fleet HTTP/1.1", `host: ${host}`, "connection: close"])));
});

it("checks the name in the request line like that of the header", async () => {
  const ask = async (url: string) => statusOf(await say([`GET ${url} HTTP/1.1`, "host: localhost", "connection: close"]));
  expect(await ask("http://localhost/api/fleet")).toBe(200);
  expect(await ask("http://localhost?")).toBe(200);
  expect(await ask("http://evil.com/api/fleet")).toBe(421);
});

it("keeps no connection open for a request of the live stream's headers", async () => {
  expect(statusOf(await say(["HEAD /api/events HTTP/1.1", "host: localhost", "connection: close"]))).toBe(404);
});
