import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PlumblineErrors } from "../../../src/core/errors.js";
import { Path } from "../../../src/core/tree/path.js";
import { loadDesired } from "../../../src/desired/load.js";
import { contrailGuards } from "../../../src/targets/contrail/guards.js";
import { contrailKind } from "../../../src/targets/contrail/kind.js";
import { objectUuid } from "../../../src/targets/contrail/uuid.js";
import { kinds } from "../../../src/targets/registry.js";

const LIST = Path.root.child("contrail").child("virtual-networks");

async function problems(config: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-contrail-"));
  try {
    mkdirSync(join(folder, "fabric"));
    const targets = "targets: { fabric: { kind: contrail, url: http://127.0.0.1:8082 } }";
    writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: netops\ndocuments: [fabric]\n${targets}\n`);
    writeFileSync(join(folder, "fabric/fabric.yaml"), `target: fabric\nscope: controller\nconfig:\n  ${config}\n`);
    await loadDesired(join(folder, "plumbline.yaml"), { environment: {}, kinds, today: "2026-01-01", resolveSecrets: false });
    return [];
  } catch (error) {
    if (error instanceof PlumblineErrors) return error.errors.map(({ code, message }) => `${code}: ${message}`);
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("documents of a controller", () => {
  const network = (body: string): string => `virtual-networks: { "default-domain:demo:blue": ${body} }`;
  const subnet = (cidr: string, body = "{}"): string =>
    network(`{ network_ipam_refs: { "a:b:c": { ipam_subnets: { "${cidr}": ${body} } } } }`);

  it("accept the fields of the controller", async () => {
    expect(
      await problems(
        subnet(
          "10.1.0.0/24",
          "{ default_gateway: 10.1.0.1, enable_dhcp: false, host_routes: { route: [{ prefix: 0.0.0.0/0, next_hop: 10.1.0.9 }] } }",
        ),
      ),
    ).toEqual([]);
  });

  it.each([
    ["a name without its project", "virtual-networks: { blue: {} }", "value-type"],
    ["a subnet with bits of a host", subnet("10.1.0.5/24"), "value-type"],
    ["a subnet in capitals", subnet("2001:DB8::/64"), "value-type"],
    ["a gateway that is no address", subnet("10.1.0.0/24", "{ default_gateway: gateway }"), "value-type"],
    ["a truth that is none", network("{ is_shared: yes }"), "value-type"],
    ["a mode that there is not", network("{ virtual_network_properties: { forwarding_mode: l4 } }"), "value-type"],
    ["a route target without its keyword", network("{ route_target_list: { route_target: ['64512:7'] } }"), "value-type"],
    ["a field that only the controller writes", subnet("10.1.0.0/24", "{ subnet_uuid: 6ba7b810-9dad-41d1-80b4-00c04fd430c8 }"), undefined],
    ["an unknown field", network("{ forwarding: l2 }"), undefined],
    ["a project", "projects: { 'default-domain:demo': {} }", undefined],
    ["rules by name", "network-policys: { a:b:c: { network_policy_entries: { policy_rule: { one: {} } } } }", "wrong-shape"],
  ])("do not take %s", async (_, config, code) => {
    const found = await problems(config);
    expect(found.length).toBe(1);
    if (code !== undefined) expect(found[0]).toContain(`${code}: `);
  });

  it("load as in the documentation", async () => {
    const blocks = [...readFileSync("docs/clouds.md", "utf8").matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
    const [example = "", ...others] = blocks.filter((block) => block.includes("scope: controller"));
    expect(others).toEqual([]);
    expect(await problems(example.slice(example.indexOf("config:\n") + "config:\n".length).trim())).toEqual([]);
  });

  it("have one scope", () => {
    expect(contrailKind.place("controller")?.toString()).toBe("/contrail");
    expect(contrailKind.place("project")).toBeUndefined();
    expect(contrailKind.checkName?.(LIST, "a:b:c")).toBeUndefined();
    expect(contrailKind.checkName?.(LIST, "net-1")).toMatch(/DOMAIN:PROJECT:NAME/);
  });
});

describe("system objects of the controller", () => {
  it.each(["ip-fabric", "__link_local__", "default-virtual-network", "dci-network"])("%s is never pruned nor owned", (name) => {
    const entry = LIST.entry(`default-domain:default-project:${name}`);
    expect(contrailGuards.neverPruned(entry)).toBe(true);
    expect(contrailGuards.management(entry.child("router_external"))).toBeDefined();
    expect(contrailGuards.neverPruned(LIST.entry(`default-domain:demo:${name}`))).toBe(false);
  });

  it("exist in the projects of tenants too", () => {
    for (const name of ["svc-vn-mgmt", "svc-vn-left", "svc-vn-right", "snat-si-left_8b1f", "snat-si-right_8b1f"])
      expect(contrailGuards.neverPruned(LIST.entry(`default-domain:demo:${name}`)), name).toBe(true);
    expect(contrailGuards.neverPruned(LIST.entry("default-domain:demo:svc-vn-left-2"))).toBe(false);
  });
});

describe("the uuid of an object", () => {
  it("follows from owner, type and name, and has the form of version 4", () => {
    const uuid = objectUuid("netops", "virtual-network", "a:b:c");
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(objectUuid("netops", "virtual-network", "a:b:c")).toBe(uuid);
    const others = [
      objectUuid("other", "virtual-network", "a:b:c"),
      objectUuid("netops", "network-ipam", "a:b:c"),
      objectUuid("netops", "virtual-network", "a:b:d"),
    ];
    expect(new Set([uuid, ...others]).size).toBe(4);
  });
});
