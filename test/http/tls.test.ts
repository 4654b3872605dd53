import { mkdtemp, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { TlsTrust } from "../../src/core/tls-trust.js";
import type { ReadTarget } from "../../src/engine/target.js";
import { type Trust, trustedConnector } from "../../src/http/tls.js";
import { openPanosReader } from "../../src/targets/panos/reader.js";
import { afterTest } from "../after-test.js";
import { type Authority, makeAuthority, makeServer, type ServerCertificate } from "../targets/panos/certificates.js";
import { configuration, dependencies, failure, keyReply, systemInfo, unknownCommand } from "../targets/panos/fixtures.js";
import { type Script, scriptedDevice } from "../targets/panos/scripted-device.js";

const script: Script = ({ call }) => (call === "keygen" ? keyReply : call.includes("<system>") ? systemInfo() : unknownCommand);

let authority: Authority;
let right: ServerCertificate;
let caFile: string;

beforeAll(async () => {
  authority = await makeAuthority();
  right = await makeServer(authority, { ip: "127.0.0.1" });
  caFile = join(await mkdtemp(join(tmpdir(), "plumbline-ca-")), "ca.pem");
  await writeFile(caFile, authority.pem);
});

async function open(server: ServerCertificate, tls: Partial<TlsTrust>) {
  const device = await scriptedDevice(script, server);
  const injected = dependencies();
  const reader = openPanosReader(configuration(device.url, { tls: { insecure: false, ...tls } }), injected);
  const opened = openAndClose(reader);
  return { opened, device, injected };
}

async function openAndClose(reader: ReadTarget) {
  try {
    return await reader.open();
  } finally {
    await reader.close();
  }
}

describe("TLS", () => {
  it("accepts a certificate of the configured authority", async () => {
    const { opened } = await open(right, { ca: caFile });
    expect((await opened).identity.serial).toBe("0123456789");
  });

  it("refuses an untrusted certificate before it sends anything", async () => {
    const { opened, device } = await open(right, {});
    expect((await failure(opened)).code).toBe("tls-untrusted");
    expect(device.asked).toEqual([]);
  });

  it("refuses a certificate of another host", async () => {
    const { opened, device } = await open(await makeServer(authority, { dns: "other.example" }), { ca: caFile });
    expect((await failure(opened)).code).toBe("tls-wrong-host");
    expect(device.asked).toEqual([]);
  });

  it("refuses an expired certificate", async () => {
    const { opened } = await open(await makeServer(authority, { ip: "127.0.0.1", expired: true }), { ca: caFile });
    expect((await failure(opened)).code).toBe("tls-not-valid-now");
  });

  it.each(["keyPin", "certificatePin"] as const)("takes the pinned certificate without an authority (%s)", async (pin) => {
    const { opened } = await open(right, { pin: right[pin] });
    expect((await opened).identity.model).toBe("PA-VM");
  });

  it("accepts a pin in the notation of other tools, in capitals with colons", async () => {
    const hex = right.certificatePin.slice("sha256:".length).toUpperCase();
    const { opened } = await open(right, { pin: `sha256:${hex.match(/../g)?.join(":")}` });
    expect((await opened).identity.model).toBe("PA-VM");
  });

  it("refuses another certificate than the pinned one, names it, and sends nothing", async () => {
    const other = await makeServer(authority, { ip: "127.0.0.1" });
    for (const [pin, seen] of [
      [right.keyPin, other.keyPin],
      [right.certificatePin, other.certificatePin],
    ] as const) {
      const { opened, device } = await open(other, { pin, ca: caFile });
      const error = await failure(opened);
      expect(error.code).toBe("tls-pin-mismatch");
      expect(error.message).toContain(seen);
      expect(device.asked).toEqual([]);
    }
  });

  it("requires both if both are configured: a correct pin does not permit the wrong host", async () => {
    const elsewhere = await makeServer(authority, { dns: "other.example" });
    const { opened } = await open(elsewhere, { ca: caFile, pin: elsewhere.keyPin });
    expect((await failure(opened)).code).toBe("tls-wrong-host");
  });

  it("connects to any server if verification is disabled, with a warning", async () => {
    const { opened, injected } = await open(right, { insecure: true });
    await opened;
    expect(injected.warnings.join()).toMatch(/not verified/);
  });

  it("names an unreadable authority file", async () => {
    const { opened } = await open(right, { ca: "/nonexistent/ca.pem" });
    const error = await failure(opened);
    expect(error.code).toBe("tls-ca-unreadable");
    expect(error.where.file).toBe("/nonexistent/ca.pem");
    const reader = openPanosReader(
      configuration("https://127.0.0.1:1", { tls: { insecure: false, ca: "/nonexistent/ca.pem" } }),
      dependencies(),
    );
    await failure(reader.open());
    await reader.close();
  });

  it("reports a plain port, and warns about plain connections", async () => {
    const plain = await scriptedDevice(script);
    const injected = dependencies();
    const wrong = openPanosReader(configuration(plain.url.replace("http:", "https:")), injected);
    expect((await failure(wrong.open())).code).toBe("tls-handshake-failed");
    const open = openPanosReader(configuration(plain.url), injected);
    await open.open();
    expect(injected.warnings.join()).toMatch(/does not use encryption/);
    await Promise.all([wrong.close(), open.close()]);
  });
});

describe("fields of a certificate", () => {
  const cases = {
    "no authority behind a pin": () => ({
      trust: trusting({ tls: { insecure: false, pin: right.keyPin } }),
      read: { ca: [] },
      connected: true,
    }),
    "no authority where nobody is verified": () => ({ trust: trusting({ tls: { insecure: true } }), read: { ca: [] }, connected: true }),
    "the named one, once for all connections": () => ({
      trust: trusting({ tls: { insecure: false, pin: right.keyPin }, ca: authority.pem }),
      read: { ca: authority.pem },
      connected: true,
    }),
    "those that everybody trusts where nothing is named": () => ({
      trust: trusting({ tls: { insecure: false } }),
      read: {},
      connected: false,
    }),
  };
  const trusting = (said: Pick<Trust, "tls"> & Partial<Trust>): Trust => ({ ca: undefined, own: undefined, ...said });

  it.each(Object.entries(cases))("%s is read", async (_name, given) => {
    const { trust, read, connected } = given();
    const device = await scriptedDevice(script, right);
    const asked = vi.spyOn(tls, "createSecureContext");
    syncBuiltinESMExports();
    afterTest(() => {
      asked.mockRestore();
      syncBuiltinESMExports();
    });
    const connect = trustedConnector(trust, 1000);
    for (const _each of [1, 2]) expect(await isConnected(connect, device.url)).toBe(connected);
    expect(asked.mock.calls).toEqual([[read]]);
  });

  function isConnected(connect: ReturnType<typeof trustedConnector>, url: string): Promise<boolean> {
    const { hostname, host, protocol, port } = new URL(url);
    return new Promise((resolve) => {
      connect({ hostname, host, protocol, port }, (error, socket) => {
        socket?.destroy();
        resolve(error === null);
      });
    });
  }
});
