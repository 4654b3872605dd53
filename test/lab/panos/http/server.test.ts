import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, fetch as undiciFetch } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { startLab } from "../../../../src/lab/lab.js";
import { ADDRESS, admin, base, get, lab } from "../support.js";

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "plumbline-lab-test-"));
  folders.push(made);
  return made;
};

afterEach(() => {
  for (const each of folders.splice(0)) rmSync(each, { recursive: true });
});

describe("a lab", () => {
  it("serves TLS with its own authority, and writes the ready file once all ports answer", async () => {
    const readyFile = join(folder(), "ready.json");
    const running = await startLab({ devices: [{ name: "one" }, { name: "two" }], readyFile });
    try {
      const ready = JSON.parse(readFileSync(readyFile, "utf8")) as {
        firewall: string;
        firewalls: { name: string; url: string; serial: string }[];
        ca: string;
      };
      expect(ready.firewalls.map(({ name, url }) => [name, url])).toEqual(running.devices.map(({ name, url }) => [name, url]));
      expect(ready.firewall).toBe(running.device.url);
      const ca = readFileSync(ready.ca, "utf8");
      expect(ca).toBe(running.caPem);
      expect(existsSync(`${readyFile}.partial`)).toBe(false);
      const trusting = new Agent({ connect: { ca } });
      for (const host of ["127.0.0.1", "localhost"]) {
        const url = `${running.device.url.replace("127.0.0.1", host)}/api/?type=keygen&user=admin&password=admin`;
        expect((await undiciFetch(url, { dispatcher: trusting })).status).toBe(200);
      }
      const strange = new Agent();
      await expect(undiciFetch(`${running.device.url}/api/`, { dispatcher: strange })).rejects.toThrow();
      await Promise.all([trusting.close(), strange.close()]);
    } finally {
      await running.close();
    }
    await expect(fetch(running.device.url)).rejects.toThrow();
  });

  it("can show a certificate of another host", async () => {
    const running = await startLab({ certificateNames: ["other.example.net"] });
    const dispatcher = new Agent({ connect: { ca: running.caPem } });
    try {
      const error = await undiciFetch(`${running.device.url}/api/`, { dispatcher }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" } });
    } finally {
      await dispatcher.close();
      await running.close();
    }
  });

  it("keeps devices separate, though they start with the same file", async () => {
    const configFile = join(folder(), "running-config.xml");
    writeFileSync(configFile, "<config><shared><tag><entry name='t'/></tag></shared></config>");
    const { lab: running } = await lab({ configFile }, { configFile });
    const [one, two] = running.devices;
    if (one === undefined || two === undefined) throw new Error("two devices");
    expect(one.state.running).toBe(two.state.running);
    one.act("admin", { type: "config", action: "delete", xpath: "/config/shared/tag/entry[@name='t']" });
    one.act("admin", { type: "commit", cmd: "<commit/>" });
    const read = (device: typeof one): string | undefined =>
      device.act("admin", { type: "config", action: "get", xpath: "/config/shared/tag/entry" }).code;
    expect([read(one), read(two)]).toEqual(["7", "19"]);
    expect(one.state.serial).not.toBe(two.state.serial);
  });

  it("refuses a file that is not a configuration", async () => {
    await expect(startLab({ devices: [{ config: "<response/>" }] })).rejects.toMatchObject({ code: "lab-config-invalid" });
    await expect(startLab({ devices: [{ config: "<config>" }] })).rejects.toMatchObject({ code: "xml-malformed" });
    await expect(startLab({ devices: [] })).rejects.toMatchObject({ code: "lab-config-invalid" });
  });
});

describe("limits", () => {
  it("answer a long URL with 414 and a page, and a large body with 413", async () => {
    const { client, lab: running } = await admin({ limits: { urlBytes: 2000, requestBytes: 10_000 } });
    const long = await fetch(`${base(running.device)}/api/?type=op&cmd=${"x".repeat(2000)}`);
    expect([long.status, (await long.text()).startsWith("<html>")]).toEqual([414, true]);
    const large = await client.config("set", ADDRESS, `<entry name='a'><description>${"x".repeat(10_000)}</description></entry>`);
    expect(large.http).toBe(413);
    expect((await client.config("get", ADDRESS)).code).toBe("19");
  });

  it("count requests in the order of arrival, with their results", async () => {
    const { client } = await admin();
    await get(client.device, { type: "config", action: "get", xpath: ADDRESS, key: client.key });
    await client.config("delete", `${ADDRESS}/entry[@name='web-1']`);
    const [keygen, read, write] = client.state.journal;
    expect([keygen?.n, read?.n, write?.n]).toEqual([1, 2, 3]);
    expect(read).toMatchObject({
      device: "fw1",
      method: "GET",
      admin: "admin",
      type: "config",
      action: "get",
      xpath: ADDRESS,
      executed: true,
      reply: "sent",
      outcome: { http: 200, status: "success", code: "19" },
    });
    expect(write).toMatchObject({
      method: "POST",
      outcome: { status: "error", code: "10", message: expect.stringContaining("cannot be deleted") },
    });
  });
});
