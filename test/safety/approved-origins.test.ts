import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PlumblineErrors } from "../../src/core/errors.js";
import { readConfiguration } from "../../src/desired/configuration/read.js";
import { kinds } from "../../src/targets/registry.js";

// A person who may choose the address for a password can get the password. The target branch of the pull request lists the allowed
// addresses.

let root: string;
let approved: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plumbline-origins-"));
  mkdirSync(join(root, "checkout", ".git"), { recursive: true });
  approved = join(root, "approved.yaml");
  list({ "env:FW": ["https://192.0.2.10", "https://fw-*.example.net"], "env:CLOUD": ["https://cloud.example.net:5000"] });
});
afterEach(() => rmSync(root, { recursive: true }));

function list(credentials: unknown): void {
  writeFileSync(approved, JSON.stringify({ credentials }));
}

async function problems(targets: string, more: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const file = join(root, "checkout", "plumbline.yaml");
  writeFileSync(file, `format: 1\nowner: o\ndocuments: [d]\ntargets:\n${targets}`);
  const environment = { FW: "word", CLOUD: "word", OTHER: "word", PLUMBLINE_APPROVED: approved, ...more };
  return await readConfiguration(file, { environment, kinds }).then(
    () => [],
    (error: unknown) =>
      error instanceof PlumblineErrors ? error.errors.map(({ code, message }) => `${code} ${message}`) : [String(error)],
  );
}

const firewall = (url: string, more = "", name = "FW") =>
  `  edge: { kind: panos, url: "${url}", ${more} credentials: { username: u, password: "\${env:${name}}" } }\n`;
const cloud = (more = "") =>
  `  cloud: { kind: openstack, url: "https://cloud.example.net:5000/v3", ${more} credentials: { username: u, password: "\${env:CLOUD}" } }\n`;

it.each([
  ["its address", firewall("https://192.0.2.10")],
  ["an address that a pattern lists", firewall("https://fw-7.example.net/path")],
  ["a cloud's own", cloud()],
])("sends a credential to %s", async (_, targets) => {
  expect(await problems(targets)).toEqual([]);
});

it.each([
  ["another host", firewall("https://198.51.100.1"), "https://198.51.100.1"],
  [
    "the same host in the clear, whatever the commit says of that",
    firewall("http://192.0.2.10", "tls: { plaintext: true },"),
    "http://192.0.2.10",
  ],
  ["another port", firewall("https://192.0.2.10:8443"), "https://192.0.2.10:8443"],
  ["a peer", firewall("https://192.0.2.10", 'peers: ["https://198.51.100.1"],'), "https://198.51.100.1"],
  ["an address of another credential", firewall("https://cloud.example.net:5000"), "https://cloud.example.net:5000"],
  ["an endpoint in the catalog's place", cloud('endpoints: { network: "https://198.51.100.1" },'), "https://198.51.100.1"],
  [
    "a controller that takes a cloud's token",
    `${cloud()}  net: { kind: contrail, url: "https://198.51.100.1", auth: { from: cloud } }\n`,
    "https://198.51.100.1",
  ],
  [
    "anywhere with a log-in from elsewhere",
    '  c: { kind: openstack, cloud: lab, endpoints: { network: "https://evil" } }\n',
    "https://evil",
  ],
])("sends none to %s", async (_, targets, origin) => {
  expect(await problems(targets)).toEqual([expect.stringMatching(`^origin-not-approved .*${origin}: `)]);
});

it("does not read an unlisted credential", async () => {
  expect(await problems(firewall("https://192.0.2.10", "", "OTHER"))).toContainEqual(expect.stringContaining("reference-not-approved"));
});

it("trusts the operator's own address, and checks nothing without a list", async () => {
  const pinned = { PLUMBLINE_TARGET_EDGE_URL: "https://198.51.100.1" };
  expect(await problems(firewall("https://192.0.2.10"), pinned)).toEqual([]);
  writeFileSync(approved, "{}");
  expect(await problems(firewall("https://198.51.100.1"))).toEqual([]);
  list(["env:FW"]);
  expect(await problems(firewall("https://192.0.2.10"))).toEqual([expect.stringContaining("approved configuration is not understood")]);
});
