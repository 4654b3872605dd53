import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Observer, observing } from "../../src/core/observe.js";
import { leaseLost, underLease, type WriteLease } from "../../src/core/write-lease.js";
import { Connection, type ConnectionOptions } from "../../src/http/connection.js";
import type { HttpRequest } from "../../src/http/message.js";
import { callWithRetries } from "../../src/http/retry.js";
import { PANOS_RETRY } from "../../src/targets/panos/client/retry.js";
import { makeAuthority, makeServer, type ServerCertificate } from "../targets/panos/certificates.js";
import { dependencies, failure } from "../targets/panos/fixtures.js";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server that answers by `listener`, and a connection to it. */
async function connected(listener: RequestListener, more: Partial<ConnectionOptions> = {}, certificate?: ServerCertificate) {
  const server = certificate === undefined ? createServer() : createTlsServer({ key: certificate.key, cert: certificate.cert });
  let asked = 0;
  server.on("request", (incoming, response) => {
    asked++;
    listener(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `${certificate === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const injected = dependencies();
  const defaults = { kind: "panos", peer: "the device", tls: { insecure: false }, timeout: 5, connections: 1, maxReplyBytes: 1_000_000 };
  const connection = new Connection({ place: { target: "edge", origin }, ...defaults, ...more }, injected);
  closing.push(
    () => new Promise((resolve) => server.close(resolve)),
    async () => server.closeAllConnections(),
    () => connection.close(),
  );
  return { connection, injected, asked: () => asked };
}

const read: HttpRequest = { method: "GET", path: "/thing?key=hidden", headers: {}, isRead: true, call: "get", logged: { call: "get" } };
const write: HttpRequest = { ...read, method: "POST", body: "<set/>", isRead: false, call: "set" };

/** A lease that is held for the first `looks` checks. */
function heldFor(looks: number): WriteLease {
  let seen = 0;
  return {
    fence: 1,
    mayWrite: () => {
      if (++seen > looks) throw leaseLost("edge");
    },
  };
}

it("returns status, headers and the complete body, and logs neither path nor key", async () => {
  const { connection, injected } = await connected((_, response) => response.writeHead(418, { etag: "7" }).end("tea"));
  const { status, headers, body } = await connection.exchange(read);
  expect([status, headers.etag, body.toString()]).toEqual([418, "7", "tea"]);
  expect(injected.logged).toEqual(['asked the device {"target":"edge","call":"get","status":418,"bytes":3,"took":0}']);
});

it("logs the server's id of a request if its format is known", async () => {
  const options = { requestIdHeader: "x-request-id" };
  const { connection, injected } = await connected((_, response) => response.writeHead(200, { "x-request-id": "req-1" }).end(), options);
  await connection.exchange(read);
  expect(injected.logged.join()).toContain('"requestId":"req-1"');
});

describe("the lease", () => {
  // `underLease` itself looks once.
  it("is checked before each attempt: a loss between two attempts stops the next one and is reported", async () => {
    const { connection, injected, asked } = await connected((incoming) => void incoming.socket.destroy());
    const told: string[] = [];
    const observer: Observer = {
      begin: () => ({ inside: observer, end: ({ error }) => void told.push(error === undefined ? "ok" : "failed") }),
      repeat: () => void told.push("again"),
    };
    const call = {
      ...{ target: "edge", kind: "panos", words: "set", peer: "the device", repeatable: true },
      send: () => connection.exchange(write),
      understand: () => "done",
    };
    const outcome = observing(observer, () => underLease(heldFor(3), () => callWithRetries(call, PANOS_RETRY, injected)));
    expect((await failure(outcome)).code).toBe("lease-lost");
    expect(asked()).toBe(2);
    expect(injected.slept).toHaveLength(2);
    expect(told).toEqual(["failed", "again", "failed", "again", "failed"]);
  });

  it("is reported without doubt for a write that was not sent", async () => {
    const { connection, injected, asked } = await connected((_, response) => response.end());
    const call = {
      ...{ target: "edge", words: "set", peer: "the device", repeatable: false },
      send: () => connection.exchange(write),
      understand: () => "done",
    };
    const outcome = underLease(heldFor(1), () => callWithRetries(call, PANOS_RETRY, injected));
    expect((await failure(outcome)).code).toBe("lease-lost");
    expect(asked()).toBe(0);
  });

  it("also protects services that are not targets, and streams", async () => {
    const { connection, asked } = await connected((_, response) => response.end(), { kind: undefined });
    const { signal } = new AbortController();
    expect((await failure(underLease(heldFor(1), () => connection.exchange(read)))).code).toBe("lease-lost");
    expect((await failure(underLease(heldFor(1), () => connection.stream(read, signal, 1_000)))).code).toBe("lease-lost");
    expect(asked()).toBe(0);
  });

  it("is verified before a write is sent, and not before a read", async () => {
    const { connection, asked } = await connected((_, response) => response.end());
    let verified = 0;
    const verify = async (): Promise<void> => {
      verified += 1;
      if (verified > 1) throw leaseLost("edge");
    };
    const lease = { ...heldFor(9), verify };
    await underLease(lease, () => connection.exchange(read));
    expect(verified).toBe(0);
    await underLease(lease, () => connection.exchange(write));
    expect((await failure(underLease(lease, () => connection.exchange(write)))).code).toBe("lease-lost");
    expect([verified, asked()]).toEqual([2, 2]);
  });

  it("is checked once per request, before it is sent", async () => {
    const order: string[] = [];
    const { connection } = await connected((_, response) => {
      order.push("sent");
      response.end();
    });
    const lease = { fence: 1, mayWrite: () => void order.push("looked") };
    await underLease(lease, () => connection.exchange(write));
    expect(order).toEqual(["looked", "looked", "sent"]);
  });
});

describe("the deadline", () => {
  it("ends a hanging request: a leased write after one timeout, others after twenty", async () => {
    const begun: (() => void)[] = [];
    const { connection } = await connected((_, response) => {
      response.write("<");
      begun.shift()?.();
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    for (const [exchange, milliseconds] of [
      [() => underLease(heldFor(9), () => connection.exchange(write)), 5_000],
      [() => underLease(heldFor(9), () => connection.exchange(read)), 100_000],
      [() => connection.exchange(write), 100_000],
    ] as const) {
      const arrived = new Promise<void>((resolve) => begun.push(resolve));
      let isOver = false;
      const outcome = failure(exchange()).finally(() => {
        isOver = true;
      });
      await arrived;
      await vi.advanceTimersByTimeAsync(milliseconds - 1);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect((await outcome).code).toBe("request-timed-out");
    }
  });
});

describe("the limit of a reply", () => {
  const options = { maxReplyBytes: 2_000_000 };

  it.each([
    ["announced", { "content-length": "2000001" }],
    ["not announced", {}],
  ])("stops one that is longer, its length %s", async (_, headers) => {
    const { connection } = await connected((incoming, response) => {
      response.on("error", () => undefined).writeHead(200, headers);
      incoming.on("error", () => undefined);
      response.write(Buffer.alloc(2_000_001));
    }, options);
    const error = await failure(connection.exchange(read));
    expect([error.code, error.message]).toEqual(["reply-too-large", expect.stringContaining("more than 2 MB")]);
  });

  it("accepts a reply of exactly the limit", async () => {
    const { connection } = await connected((_, response) => response.end(Buffer.alloc(2_000_000)), options);
    expect((await connection.exchange(read)).body.length).toBe(2_000_000);
  });
});

describe("the pin", () => {
  it("sends nothing to a server with another certificate", async () => {
    const authority = await makeAuthority();
    const [pinned, other] = [await makeServer(authority, { ip: "127.0.0.1" }), await makeServer(authority, { ip: "127.0.0.1" })];
    const tls = { insecure: false, pin: pinned.keyPin };
    const right = await connected((_, response) => response.end(), { tls }, pinned);
    expect((await right.connection.exchange(read)).status).toBe(200);
    const wrong = await connected((_, response) => response.end(), { tls }, other);
    const error = await failure(wrong.connection.exchange(write));
    expect(error.code).toBe("tls-pin-mismatch");
    expect(error.message).toContain(other.keyPin);
    expect(wrong.asked()).toBe(0);
  });
});

it("connects again after a failed connection", async () => {
  const missing = "/nonexistent/ca.pem";
  const { connection } = await connected((_, response) => response.end(), { tls: { ca: missing, insecure: false } });
  for (let attempt = 0; attempt < 2; attempt++) {
    const error = await failure(connection.open());
    expect([error.code, error.where.file]).toEqual(["tls-ca-unreadable", missing]);
  }
});
