import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PlumblineErrors } from "../../src/core/errors.js";
import { readConfiguration } from "../../src/desired/configuration/read.js";
import { kinds } from "../../src/targets/registry.js";

// PLUMBLINE_TARGET_<NAME>_URL pins a target: no address and no TLS setting of a pull request may receive its login.

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plumbline-pinned-"));
  mkdirSync(join(root, "checkout", ".git"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

type Environment = Readonly<Record<string, string>>;

async function read(targets: string, environment: Environment) {
  const file = join(root, "checkout", "plumbline.yaml");
  writeFileSync(file, `format: 1\nowner: o\ndocuments: [d]\ntargets:\n${targets}`);
  return await readConfiguration(file, { environment: { FW: "word", ...environment }, kinds });
}

async function problems(targets: string, environment: Environment): Promise<string[]> {
  return await read(targets, environment).then(
    () => [],
    (error: unknown) =>
      error instanceof PlumblineErrors ? error.errors.map(({ code, message }) => `${code} ${message}`) : [String(error)],
  );
}

async function tlsOf(name: string, targets: string, environment: Environment) {
  return (await read(targets, environment)).configuration.targets.get(name)?.tls;
}

const EDGE = { PLUMBLINE_TARGET_EDGE_URL: "https://192.0.2.10" };
const CLOUD = { PLUMBLINE_TARGET_CLOUD_URL: "https://cloud.example:5000/v3" };
const edge = (more: string) =>
  `  edge: { kind: panos, url: "https://198.51.100.1", ${more} credentials: { username: u, password: "\${env:FW}" } }\n`;
const cloud = (more = "") => `  cloud: { kind: openstack, ${more} credentials: { username: u, password: "\${env:FW}" } }\n`;
const PEERS = 'peers: ["https://192.0.2.11"],';

describe("the addresses of a pinned target", () => {
  it.each([
    ["a peer", edge(PEERS), EDGE, "https://192.0.2.11"],
    ["a peer on another port", edge('peers: ["https://192.0.2.10:8443"],'), EDGE, "https://192.0.2.10:8443"],
    ["an endpoint in place of the catalog's", cloud('endpoints: { network: "https://evil" },'), CLOUD, "https://evil"],
    ["an address over a pinned cloud", cloud('url: "https://evil",'), { PLUMBLINE_TARGET_CLOUD_CLOUD: "lab" }, "https://evil"],
    [
      "a controller that receives the token",
      `${cloud()}  net: { kind: contrail, url: "https://evil", auth: { from: cloud } }\n`,
      CLOUD,
      "https://evil",
    ],
  ])("do not include %s that only the file names", async (_, targets, environment, origin) => {
    expect(await problems(targets, environment)).toEqual([expect.stringMatching(`^origin-not-pinned .*${origin}`)]);
  });

  it("include those that the environment lists", async () => {
    const peers = { ...EDGE, PLUMBLINE_TARGET_EDGE_PEERS: "https://192.0.2.12, https://192.0.2.11/" };
    expect(await problems(edge(PEERS), peers)).toEqual([]);
    const net = { ...CLOUD, PLUMBLINE_TARGET_NET_URL: "https://net.example" };
    expect(await problems(`${cloud()}  net: { kind: contrail, url: "https://evil", auth: { from: cloud } }\n`, net)).toEqual([]);
  });

  it("include those that the approved configuration lists for the credential", async () => {
    const approved = join(root, "approved.yaml");
    writeFileSync(approved, JSON.stringify({ credentials: { "env:FW": ["https://192.0.2.11"] } }));
    const environment = { ...EDGE, PLUMBLINE_APPROVED: approved };
    expect(await problems(edge(PEERS), environment)).toEqual([]);
    expect(await problems(edge('peers: ["https://192.0.2.13"],'), environment)).toContainEqual(expect.stringContaining("origin-not-"));
  });

  it("are free without a pin", async () => {
    expect(await problems(edge(PEERS), {})).toEqual([]);
  });
});

describe("the TLS settings of a pinned target", () => {
  it.each(["insecure: true", "ca: own.pem", 'pin: "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="'])(
    "do not come from the file: %s",
    async (tls) => {
      const targets: readonly (readonly [string, Environment])[] = [
        [edge(`tls: { ${tls} },`), EDGE],
        [cloud(`tls: { ${tls} },`), CLOUD],
        [`  net: { kind: contrail, url: "https://x", tls: { ${tls} } }\n`, { PLUMBLINE_TARGET_NET_URL: "https://net.example" }],
      ];
      for (const [text, environment] of targets)
        expect(await problems(text, environment)).toEqual([expect.stringMatching("configuration-invalid .*_URL pins")]);
    },
  );

  it("come from the environment", async () => {
    const environment = { ...EDGE, PLUMBLINE_TARGET_EDGE_CA: "/etc/ca.pem", PLUMBLINE_TARGET_EDGE_PIN: "sha256/x" };
    expect(
      await tlsOf("edge", edge('tls: { ca: own.pem, pin: "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" },'), environment),
    ).toEqual({
      ca: "/etc/ca.pem",
      pin: "sha256/x",
      insecure: false,
      plaintext: false,
    });
    expect(await problems(edge("tls: { insecure: true },"), environment)).toEqual([expect.stringContaining("configuration-invalid")]);
  });

  it("are those of the manager for a firewall that is read through it", async () => {
    const targets = `  pano: { kind: panos, url: "https://x", credentials: { username: u, password: "\${env:FW}" } }
  fw: { kind: panos, manager: pano, identity: { serial: "1" }, tls: { insecure: true } }\n`;
    expect(await tlsOf("fw", targets, { PLUMBLINE_TARGET_PANO_URL: "https://192.0.2.1" })).toMatchObject({ insecure: false });
    expect(await tlsOf("fw", targets, {})).toMatchObject({ insecure: true });
  });

  it("are those of the environment for a controller that receives the token of a pinned cloud", async () => {
    const environment = { ...CLOUD, PLUMBLINE_TARGET_CLOUD_PEERS: "https://net.example" };
    const net = `  net: { kind: contrail, url: "https://net.example", auth: { from: cloud }, tls: { insecure: true } }\n`;
    expect(await problems(`${cloud()}${net}`, environment)).toEqual([expect.stringContaining("configuration-invalid")]);
  });
});
