import { execFile } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { afterTest } from "../after-test.js";

const MB = 1_000_000;
const LIMIT = 32 * MB;

/** Reads one reply in a process of its own. Prints the error code and the growth of its peak memory in bytes. */
const READER = `
import { request } from "undici";
const { readBody } = await import(process.argv[1]);
const peak = () => process.resourceUsage().maxRSS * 1024;
const replies = await Promise.all(Array.from({ length: Number(process.argv[4]) }, () => request(process.argv[2])));
const before = peak();
const place = { target: "edge", origin: "the device" };
const inFlight = { bytes: 0 };
const codes = await Promise.all(
  replies.map(({ body, headers }) =>
    readBody(body, headers["content-length"], Number(process.argv[3]), place, inFlight).then((read) => read.length, (error) => error.code),
  ),
);
console.log(JSON.stringify({ code: codes[0], growth: peak() - before }));
process.exit(0);
`;

/** Writes pieces of a reply until the reader goes away, or for \`bytes\`. */
function pour(response: ServerResponse, piece: Buffer, bytes = Number.POSITIVE_INFINITY): void {
  let sent = 0;
  const more = (): void => {
    if (response.destroyed) return;
    while (sent < bytes) {
      sent += piece.length;
      if (!response.write(piece)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

async function read(answer: (response: ServerResponse) => void, count = 1): Promise<{ readonly code: unknown; readonly growth: number }> {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const words = ["--input-type=module", "-e", READER, pathToFileURL(resolve("dist/http/body.js")).href, url, String(LIMIT), String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout) as { code: unknown; growth: number };
}

it.each([
  ["tiny", 20],
  ["small", 100],
  ["large", 60_000],
])("an endless reply in %s pieces is refused with memory in proportion to the limit", { timeout: 120_000 }, async (_, size) => {
  const { code, growth } = await read((response) => pour(response, Buffer.alloc(size, "x")));
  expect(code).toBe("reply-too-large");
  expect(growth).toBeLessThan(3 * LIMIT + 40 * MB);
});

it("refuses several endless replies of one server together", { timeout: 120_000 }, async () => {
  const { code, growth } = await read((response) => pour(response, Buffer.alloc(60_000, "x")), 16);
  expect(code).toBe("reply-too-large");
  expect(growth).toBeLessThan(3 * LIMIT + 40 * MB);
});

it("refuses a reply with an excessive length before it reads it", async () => {
  const { code, growth } = await read((response) => {
    response.setHeader("content-length", LIMIT + 1);
    pour(response, Buffer.alloc(60_000, "x"), LIMIT + 1);
  });
  expect(code).toBe("reply-too-large");
  expect(growth).toBeLessThan(10 * MB);
});

it("reads the largest allowed reply with proportional memory", { timeout: 120_000 }, async () => {
  const { code, growth } = await read((response) => pour(response, Buffer.alloc(64_000, "x"), LIMIT));
  expect(code).toBe(LIMIT);
  expect(growth).toBeLessThan(3 * LIMIT + 40 * MB);
});
