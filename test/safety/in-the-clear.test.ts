import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PlumblineError, PlumblineErrors } from "../../src/core/errors.js";
import { isInTheClear } from "../../src/core/in-the-clear.js";
import { readConfiguration } from "../../src/desired/configuration/read.js";
import { Connection } from "../../src/http/connection.js";
import { kinds } from "../../src/targets/registry.js";
import { serviceSettings } from "../../src/verdict/settings.js";
import { dependencies } from "../targets/panos/fixtures.js";

// Whoever can listen between us and a device has what we log in with, unless TLS is between us. Nobody gets there by a slip.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-clear-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function problems(targets: string, environment: Readonly<Record<string, string>> = {}, resolveSecrets = true) {
  const file = join(folder, "plumbline.yaml");
  writeFileSync(file, `format: 1\nowner: o\ndocuments: [d]\ntargets:\n${targets}`);
  return await readConfiguration(file, { environment: { WORD: "word", ...environment }, kinds, resolveSecrets }).then(
    () => [],
    (error: unknown) =>
      error instanceof PlumblineErrors ? error.errors.map(({ code, where }) => `${code} ${where.line}`) : [String(error)],
  );
}

const LOGIN = 'username: u, password: "${env:WORD}"';
const firewall = (url: string, more = "") => `  edge: { kind: panos, url: "${url}", ${more} credentials: { ${LOGIN} } }\n`;

describe("an address in the file", () => {
  it.each([
    ["a firewall", firewall("http://192.0.2.10")],
    ["its peer", firewall("https://192.0.2.10", 'peers: ["http://192.0.2.11"],')],
    ["a name that only begins like this machine's", firewall("http://localhost.example.net")],
    ["a cloud", `  c: { kind: openstack, url: "http://192.0.2.9/v3", credentials: { ${LOGIN} } }\n`],
    ["an endpoint of a cloud", '  c: { kind: openstack, cloud: lab, endpoints: { network: "http://192.0.2.9" } }\n'],
    ["a controller with a user", `  n: { kind: contrail, url: "http://192.0.2.8", auth: { ${LOGIN} } }\n`],
  ])("of %s is refused, by validate too", async (_, targets) => {
    expect(await problems(targets)).toEqual(["address-in-the-clear 5"]);
    expect(await problems(targets, {}, false)).toEqual(["address-in-the-clear 5"]);
    expect(await problems(targets.replace(" }\n", ", tls: { plaintext: true } }\n"))).toEqual([]);
  });

  it.each([
    ["is this machine's own", `${firewall("http://127.0.0.1:8080")}${firewall("http://[::1]").replace("edge", "b")}`],
    ["is asked without a log-in", '  n: { kind: contrail, url: "http://192.0.2.8" }\n'],
  ])("that %s needs no word", async (_, targets) => {
    expect(await problems(targets)).toEqual([]);
  });

  it("given by the environment is no other", async () => {
    expect(await problems(firewall("https://192.0.2.10"), { PLUMBLINE_TARGET_EDGE_URL: "http://192.0.2.10" })).toEqual([
      "address-in-the-clear 5",
    ]);
  });
});

describe("an address from elsewhere (a catalog, clouds.yaml, a variable)", () => {
  async function failing(plaintext: boolean, isAnonymous: boolean, origin = "http://192.0.2.10"): Promise<string> {
    let opened = 0;
    const injected = {
      ...dependencies(),
      dispatcher: () => {
        opened += 1;
        throw new PlumblineError("device-unreachable", "a pool was asked for");
      },
    };
    const common = { peer: "the cloud", timeout: 1, connections: 1, maxReplyBytes: 1 };
    const options = { ...common, place: { target: "c", origin }, tls: { insecure: false, plaintext }, isAnonymous };
    const error = await new Connection(options, injected).open().catch((cause: unknown) => cause);
    return `${(error as PlumblineError).code} ${opened}`;
  }

  it("is asked for nothing, not even connected to", async () => {
    expect(await failing(false, false)).toBe("address-in-the-clear 0");
    expect(await failing(true, false)).toBe("device-unreachable 1");
    expect(await failing(false, true)).toBe("device-unreachable 1");
    expect(await failing(false, false, "http://127.0.0.2:80")).toBe("device-unreachable 1");
  });

  it("of the verdict service has a flag of its own", async () => {
    const said = { PLUMBLINE_VERDICT_URL: "http://192.0.2.10", PLUMBLINE_VERDICT_KEY: "key" };
    expect((await serviceSettings({}, said, folder)).tls.plaintext).toBe(false);
    expect((await serviceSettings({ plaintext: true }, said, folder)).tls.plaintext).toBe(true);
  });
});

it.each([
  ["http://127.0.0.1:9", false],
  ["http://127.1", false],
  ["http://localhost", false],
  ["http://[::1]:80", false],
  ["https://192.0.2.1", false],
  ["http://127.example.net", true],
  ["http://[::ffff:7f00:1]", true],
  ["http://0.0.0.0", true],
  ["HTTP://192.0.2.1", true],
])("%s is in the clear: %s", (address, expected) => {
  expect(isInTheClear(address)).toBe(expected);
});
