import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOpenstackLab } from "../../../../src/lab/openstack/start.js";
import { OpenstackClient } from "../../../../src/targets/openstack-client/client/client.js";
import { closing, configuration, dependencies, PASSWORD } from "../../openstack/fixtures.js";
import { makeAuthority, makeServer } from "../../panos/certificates.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-cloud-tls-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A client of a cloud that `OS_*` variables describe. */
function clientOf(authUrl: string, more: Record<string, string> = {}) {
  const environment = { OS_AUTH_URL: authUrl, OS_USERNAME: "demo", OS_PASSWORD: PASSWORD, OS_PROJECT_NAME: "demo", ...more };
  return closing(new OpenstackClient(configuration({}), dependencies(undefined, { environment, workingFolder: folder })));
}

describe("a cloud with a private authority", () => {
  it("is reached with its authority's file, in all its services, never without", async () => {
    const lab = closing(await startOpenstackLab({ ports: "free", tls: true, random: randomBytes }));
    await writeFile(join(folder, "ca.pem"), lab.caPem ?? "");
    const client = clientOf(lab.authUrl, { OS_CACERT: "ca.pem" });
    expect(await client.list({ service: "network", path: ["networks"], collection: "networks" })).toHaveLength(2);
    const asked = lab.journal.length;
    const refused = { code: "tls-untrusted", next: expect.stringContaining("OS_CACERT") };
    await expect(clientOf(lab.authUrl).session()).rejects.toMatchObject(refused);
    await expect(clientOf(lab.authUrl, { OS_CACERT: "none.pem" }).session()).rejects.toMatchObject({ code: "tls-ca-unreadable" });
    expect(lab.journal).toHaveLength(asked);
  });

  it("that requires a client certificate gets it", async () => {
    const authority = await makeAuthority();
    const [server, own] = [await makeServer(authority, { ip: "127.0.0.1" }), await makeServer(authority, { dns: "plumbline" })];
    await Promise.all([
      writeFile(join(folder, "own-ca.pem"), authority.pem),
      writeFile(join(folder, "own.pem"), own.cert),
      writeFile(join(folder, "own.key"), own.key),
    ]);
    const seen: boolean[] = [];
    const cloud = createServer({ key: server.key, cert: server.cert, ca: authority.pem, requestCert: true }, (request, response) => {
      seen.push((request.socket as TLSSocket).authorized);
      response.writeHead(201, { "content-type": "application/json", "x-subject-token": "t" });
      request.resume().on("end", () => response.end('{"token":{"project":{"id":"1","name":"demo"}}}'));
    });
    await new Promise<void>((resolve) => cloud.listen(0, "127.0.0.1", resolve));
    closing({
      close: async () => {
        cloud.closeAllConnections();
        await new Promise((resolve) => cloud.close(resolve));
      },
    });
    const url = `https://127.0.0.1:${(cloud.address() as AddressInfo).port}/v3`;
    await clientOf(url, { OS_CACERT: "own-ca.pem", OS_CERT: "own.pem", OS_KEY: "own.key" }).session();
    expect(seen).toEqual([true]);
    const unreadable = clientOf(url, { OS_CACERT: "own-ca.pem", OS_CERT: "none.pem" });
    await expect(unreadable.session()).rejects.toMatchObject({ code: "tls-client-certificate-unreadable" });
  });
});
