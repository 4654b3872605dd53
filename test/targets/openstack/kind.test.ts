import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PlumblineErrors } from "../../../src/core/errors.js";
import { find } from "../../../src/core/tree/lookup.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { loadDesired } from "../../../src/desired/load.js";
import { openstackKind } from "../../../src/targets/openstack/kind.js";

async function loadWithWarnings(config: string) {
  const folder = mkdtempSync(join(tmpdir(), "openstack-kind-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "cloud"));
  const targets = "targets: { cloud: { kind: openstack, cloud: lab } }";
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: netops\ndocuments: [cloud]\n${targets}\n`);
  writeFileSync(join(folder, "cloud/project.yaml"), `target: cloud\nscope: project\nconfig:\n${config.replace(/^/gm, "  ")}\n`);
  const loaded = await loadDesired(join(folder, "plumbline.yaml"), {
    environment: {},
    kinds: new Map([["openstack", openstackKind]]),
    today: "2026-01-01",
    resolveSecrets: false,
  });
  const root = loaded.targets.get("cloud")?.root;
  if (root === undefined) throw new Error("nothing was loaded");
  return { root, warnings: loaded.warnings };
}

async function load(config: string) {
  return (await loadWithWarnings(config)).root;
}

describe("a document of a cloud", () => {
  it("sets the owner's mark on complete entries, also nested ones, and not on parts", async () => {
    const root = await load("networks: { web: { subnets: { a: { cidr: 10.0.0.0/24 } } }, theirs: { $partial: true, mtu: 1400 } }");
    const owner = (path: string) => find(root, parsePath(`/openstack/networks/${path}/owner`))?.text;
    expect([owner("entry[@name='web']"), owner("entry[@name='web']/subnets/entry[@name='a']")]).toEqual(["netops", "netops"]);
    expect(owner("entry[@name='theirs']")).toBeUndefined();
  });

  it("warns of a final line break only in a text that is compared", async () => {
    const text = (tag: string) => `servers:\n  web:\n    image: cirros\n    flavor: m1.tiny\n    ${tag}: |\n      #!/bin/sh\n`;
    const codes = async (tag: string) => (await loadWithWarnings(text(tag))).warnings.map(({ code }) => code);
    expect([await codes("description"), await codes("user_data")]).toEqual([["trailing-newline"], []]);
  });

  it("has rules that are named by their content", async () => {
    const root = await load(
      "security_groups: { g: { rules: [{ direction: ingress, protocol: TCP, port_range_min: 80, port_range_max: 80 }] } }",
    );
    const [rule] = find(root, parsePath("/openstack/security_groups/entry[@name='g']/rules"))?.children ?? [];
    expect(rule?.name).toBe("ingress IPv4 tcp 80 80 * * *");
  });

  it.each([
    ["an unknown field", "networks: { web: { mut: 1400 } }", "unknown-field"],
    ["what only the service writes", "networks: { web: { status: ACTIVE } }", "read-only-field"],
    ["a list that is there to be referred to", "images: { cirros: {} }", "read-only-field"],
    ["the mark", "networks: { web: { owner: me } }", "read-only-field"],
    ["no number", "networks: { web: { mtu: big } }", "value-type"],
    ["no network", "networks: { web: { subnets: { a: { cidr: 10.0.0.0 } } } }", "value-type"],
    ["a name that no tag holds", `networks: { ${"x".repeat(47)}: {} }`, "value-type"],
    [
      "one rule twice",
      "security_groups: { g: { rules: [{ direction: egress }, { direction: egress, ethertype: IPv4 }] } }",
      "declared-twice",
    ],
    ["a password in plain text", "servers: { s: { adminPass: secret } }", "plaintext-secret"],
  ])("with %s is an error", async (_, config, code) => {
    const error = (await load(config).catch((each: unknown) => each)) as PlumblineErrors & { code?: string };
    expect(error.code ?? error.errors?.map((each) => each.code)).toEqual(error.code === undefined ? [code] : code);
  });

  it("belongs to the project only", () => {
    expect(openstackKind.place("project")?.toString()).toBe("/openstack");
    expect(openstackKind.place("vsys1")).toBeUndefined();
  });

  it("gives names of $forEach the same limits", () => {
    expect(openstackKind.checkName?.(parsePath("/openstack/networks"), "x".repeat(47))).toContain("46 characters");
    expect(openstackKind.checkName?.(parsePath("/openstack/networks/entry[@name='a']/subnets"), "x".repeat(47))).toContain("46");
    expect(openstackKind.checkName?.(parsePath("/openstack/servers"), "x".repeat(47))).toBeUndefined();
  });

  it("knows the halves of a subnet's cidr before the cloud does", () => {
    const list = parsePath("/openstack/networks/entry[@name='a']/subnets");
    const text = (tag: string) => (tag === "cidr" ? "10.1.0.0/24" : undefined);
    expect(["address", "prefix-len", "gateway_ip"].map((tag) => openstackKind.derive?.(list, tag, text))).toEqual([
      "10.1.0.0",
      "24",
      undefined,
    ]);
  });
});
