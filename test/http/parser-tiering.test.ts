import { createServer } from "node:net";
import { cachedDataVersionTag } from "node:v8";
import { describe, expect, it } from "vitest";
import { compileParserForFew } from "../../src/http/parser-tiering.js";
import { trustedConnector } from "../../src/http/tls.js";
import { afterTest } from "../after-test.js";

/** What is compiled under one tag counts under no other: it changes with each flag of V8 that is not as usual. */
const usual = cachedDataVersionTag();
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

describe("the parser of HTTP", () => {
  it("is compiled once only, and what is compiled after it as ever: the budget that is put back is the one that this V8 has", async () => {
    compileParserForFew();
    compileParserForFew();
    expect(cachedDataVersionTag()).not.toBe(usual);
    await nextTick();
    expect(cachedDataVersionTag()).toBe(usual);
  });

  it("is made while that holds: when a socket is handed over", async () => {
    const server = createServer((socket) => socket.end());
    afterTest(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { readonly port: number };
    const connect = trustedConnector({ tls: { insecure: false, plaintext: true }, ca: undefined, own: undefined }, 1000);
    const seen = await new Promise((resolve, reject) => {
      connect({ hostname: "127.0.0.1", protocol: "http:", port: String(port), host: "127.0.0.1" }, (error, socket) => {
        if (error !== null) return reject(error);
        afterTest(() => socket.destroy());
        queueMicrotask(() => resolve(cachedDataVersionTag()));
      });
    });
    expect(seen).not.toBe(usual);
    await nextTick();
    expect(cachedDataVersionTag()).toBe(usual);
  });
});
