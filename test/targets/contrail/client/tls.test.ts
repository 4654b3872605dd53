import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { get } from "../../../../src/targets/contrail/client/request.js";
import { makeAuthority, makeServer, type ServerCertificate } from "../../panos/certificates.js";
import { failure } from "../../panos/fixtures.js";
import { clientOf, dependencies, scripted, tokens } from "../fixtures.js";

let certificate: ServerCertificate;
let other: ServerCertificate;
let ca: string;

beforeAll(async () => {
  const authority = await makeAuthority();
  certificate = await makeServer(authority, { ip: "127.0.0.1" });
  other = await makeServer(authority, { ip: "127.0.0.1" });
  ca = join(await mkdtemp(join(tmpdir(), "plumbline-ca-")), "ca.pem");
  await writeFile(ca, authority.pem);
});

describe("a controller with TLS", () => {
  const nothing = () => ({ body: '{"virtual-networks": []}' });

  it("is verified with an authority, or a pin", async () => {
    const { url, asked } = await scripted(nothing, certificate);
    await clientOf(url, { tls: { insecure: false, ca } }).require(get("/virtual-networks"));
    await clientOf(url, { tls: { insecure: false, pin: certificate.keyPin } }).require(get("/virtual-networks"));
    expect(asked.length).toBe(2);
  });

  it("gets no token before it is verified", async () => {
    const { url, asked } = await scripted(nothing, certificate);
    const auth = { kind: "token", source: tokens() } as const;
    expect((await failure(clientOf(url, { auth }).require(get("/")))).code).toBe("tls-untrusted");
    const pinned = clientOf(url, { auth, tls: { insecure: false, pin: other.keyPin } });
    expect((await failure(pinned.require(get("/")))).code).toBe("tls-pin-mismatch");
    expect(asked).toEqual([]);
  });

  it("without TLS causes a warning if the connection can be observed", async () => {
    const { url } = await scripted(nothing);
    const warnedOf = async (at: string, overrides: Parameters<typeof clientOf>[1]): Promise<readonly string[]> => {
      const { dispatcher, ...rest } = dependencies();
      const injected = { ...rest, dispatcher: (_origin: string, options: Parameters<typeof dispatcher>[1]) => dispatcher(url, options) };
      await clientOf(at, overrides, injected)
        .require(get("/"))
        .catch(() => {});
      return rest.warned;
    };
    const token = { auth: { kind: "token", source: tokens() } } as const;
    expect(await warnedOf("http://controller.example.net:8082", {})).toEqual([]);
    expect(await warnedOf(url, token)).toEqual([]);
    expect((await warnedOf("http://controller.example.net:8082", token)).join()).toContain("does not use encryption");
  });
});
