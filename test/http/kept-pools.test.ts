import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import type { TlsTrust } from "../../src/core/tls-trust.js";
import { Connection } from "../../src/http/connection.js";
import { KeptPools } from "../../src/http/kept-pools.js";
import type { HttpRequest } from "../../src/http/message.js";
import { afterTest } from "../after-test.js";
import { makeAuthority, makeServer } from "../targets/panos/certificates.js";
import { dependencies, failure } from "../targets/panos/fixtures.js";

const read: HttpRequest = { method: "GET", path: "/", headers: {}, isRead: true, call: "get", logged: {} };

/** A TLS server that counts its connections, the file of its CA, and a client. */
async function keptServer() {
  const authority = await makeAuthority();
  const { key, cert } = await makeServer(authority, { ip: "127.0.0.1" });
  const folder = mkdtempSync(join(tmpdir(), "kept-pools-"));
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, authority.pem);
  let opened = 0;
  const server = createServer({ key, cert }, (_, response) => response.end("here"));
  server.on("secureConnection", () => {
    opened += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const injected = { ...dependencies(), kept: new KeptPools() };
  afterTest(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });
  const ask = async (tls: TlsTrust = { insecure: false, ca }, isKept = true): Promise<string> => {
    const bounds = { kind: "panos", peer: "the device", timeout: 5, connections: 2, maxReplyBytes: 1_000 };
    const connection = new Connection({ place: { target: "edge", origin }, tls, isKept, ...bounds }, injected);
    try {
      return (await connection.exchange(read)).body.toString();
    } finally {
      await connection.close();
    }
  };
  return { ask, ca, opened: () => opened };
}

describe("kept connections", () => {
  it("serve the next request to the same server, also after a close", async () => {
    const { ask, opened } = await keptServer();
    expect([await ask(), await ask(), await ask()]).toEqual(["here", "here", "here"]);
    expect(opened()).toBe(1);
  });

  it("are not used for writes, which end with their lease", async () => {
    const { ask, opened } = await keptServer();
    await ask();
    await ask(undefined, false);
    await ask(undefined, false);
    expect(opened()).toBe(3);
  });

  it("are not shared with a client that trusts another authority, also with the same file name", async () => {
    const { ask, ca } = await keptServer();
    await ask();
    writeFileSync(ca, (await makeAuthority()).pem);
    expect((await failure(ask())).code).toBe("tls-untrusted");
    expect((await failure(ask({ insecure: false, pin: `sha256:${"0".repeat(64)}` }))).code).toBe("tls-pin-mismatch");
  });
});

describe("connections are kept", () => {
  function counted(most?: number) {
    const made: string[] = [];
    const pools = new KeptPools(most);
    const ask = (name: string, now = 0, longest = Number.POSITIVE_INFINITY) => {
      const make = () => {
        made.push(name);
        return {} as Dispatcher;
      };
      return pools.get([name], make, now, longest);
    };
    return { made, ask };
  }

  it("for the most recently used servers", () => {
    const { made, ask } = counted(2);
    for (const name of ["a", "b", "a", "c", "a", "b"]) ask(name);
    expect(made).toEqual(["a", "b", "c", "b"]);
  });

  it("for a limited time, because a name may resolve differently later", () => {
    const { made, ask } = counted();
    for (let now = 0; now < 25; now++) ask("a", now, 10);
    expect(made).toHaveLength(3);
  });
});

describe("a server with a host name", () => {
  it("is resolved again after ten minutes", async () => {
    let now = 0;
    const origins: string[] = [];
    const injected = {
      ...dependencies(),
      kept: new KeptPools(),
      clock: { now: () => now, sleep: async () => undefined },
      dispatcher: (origin: string) => {
        origins.push(origin);
        return {} as Dispatcher;
      },
    };
    const bounds = { kind: "panos", peer: "the device", timeout: 5, connections: 2, maxReplyBytes: 1_000, isKept: true };
    for (const host of ["edge.example", "192.0.2.1", "[2001:db8::1]"]) {
      for (now = 0; now <= 660_000; now += 60_000) {
        await new Connection(
          { place: { target: "edge", origin: `https://${host}` }, tls: { insecure: false }, ...bounds },
          injected,
        ).open();
      }
    }
    expect(origins.map((origin) => new URL(origin).hostname)).toEqual(["edge.example", "edge.example", "192.0.2.1", "[2001:db8::1]"]);
  });
});
