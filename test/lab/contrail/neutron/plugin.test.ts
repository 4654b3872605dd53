import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json/value.js";
import { NeutronError } from "../../../../src/lab/contrail/neutron/neutron-error.js";
import type { NeutronPlugin } from "../../../../src/lab/contrail/neutron/neutron-plugin.js";
import { ContrailWorld } from "../../../../src/lab/contrail/world/world.js";

const TENANT = "abcdefabcdef4abc8defabcdefabcdef";
const AS = { tenantId: TENANT, admin: false };
const NETWORK = "aaaaaaaa-1111-4111-8111-111111111111";
const SUBNET = "bbbbbbbb-1111-4111-8111-111111111111";

function pluginOf(world: ContrailWorld): NeutronPlugin {
  if (world.neutron === undefined) throw new Error("the plugin is off");
  return world.neutron;
}

function withNetwork(): { world: ContrailWorld; plugin: NeutronPlugin } {
  const world = new ContrailWorld();
  const plugin = pluginOf(world);
  plugin.project(TENANT, "demo");
  plugin.networks.create(AS, { id: NETWORK, name: "blue", "provider:segmentation_id": 7 });
  plugin.subnets.create(AS, { id: SUBNET, network_id: NETWORK, cidr: "10.1.0.0/24", gateway_ip: null, dns_nameservers: ["8.8.8.8"] });
  return { world, plugin };
}

function refusal(run: () => unknown): JsonObject {
  try {
    run();
  } catch (error) {
    if (error instanceof NeutronError) return error.body;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("the network service's view of the same world", () => {
  it("has one id for a network and its virtual network, a subnet and its entry", () => {
    const { world, plugin } = withNetwork();
    const network = world.require("virtual-network", NETWORK);
    expect(network.fqName).toEqual(["default-domain", "demo", "blue"]);
    expect(network.parent?.uuid).toBe("abcdefab-cdef-4abc-8def-abcdefabcdef");
    expect(world.keyValues.get(SUBNET)).toBe(`${NETWORK} 10.1.0.0/24`);
    expect(plugin.networks.read(NETWORK)).toMatchObject({ subnets: [SUBNET], "provider:segmentation_id": 7, tenant_id: TENANT });
    expect(plugin.subnets.read(SUBNET)).toMatchObject({ gateway_ip: null, dns_nameservers: ["8.8.8.8"], cidr: "10.1.0.0/24" });
  });

  it("keeps the controller's name when a network is renamed, and distinguishes duplicates", () => {
    const { world, plugin } = withNetwork();
    plugin.networks.update(NETWORK, { name: "green" });
    expect(plugin.networks.read(NETWORK).name).toBe("green");
    expect(world.require("virtual-network", NETWORK).fqName.at(-1)).toBe("blue");
    const twin = plugin.networks.create(AS, { name: "blue" });
    expect(twin.name).toBe("blue");
    expect(twin.fq_name).toEqual(["default-domain", "demo", `blue-${String(twin.id)}`]);
  });

  it("keeps the other subnets' ids when one is added, changed or removed", () => {
    const { plugin } = withNetwork();
    const other = String(plugin.subnets.create(AS, { network_id: NETWORK, cidr: "10.2.0.0/24" }).id);
    plugin.subnets.update(other, { name: "second", host_routes: [{ destination: "0.0.0.0/0", nexthop: "10.2.0.9" }] });
    expect(plugin.subnets.read(other)).toMatchObject({ name: "second", host_routes: [{ destination: "0.0.0.0/0", nexthop: "10.2.0.9" }] });
    expect(plugin.networks.read(NETWORK).subnets).toEqual([SUBNET, other]);
    plugin.subnets.delete(other);
    expect(plugin.networks.read(NETWORK).subnets).toEqual([SUBNET]);
  });

  it("loses a subnet whose id the controller's write omitted, and one whose row is gone", () => {
    const { world, plugin } = withNetwork();
    world.keyValues.delete(SUBNET);
    expect(refusal(() => plugin.subnets.read(SUBNET))).toEqual({ exception: "SubnetNotFound", subnet_id: SUBNET });
  });

  it("gives a port an address, and refuses to delete its network or subnet", () => {
    const { plugin } = withNetwork();
    const port = plugin.ports.create(AS, { network_id: NETWORK, name: "p", device_id: "machine" });
    expect(port).toMatchObject({ fixed_ips: [{ subnet_id: SUBNET, ip_address: "10.1.0.1" }], device_id: "machine", status: "ACTIVE" });
    expect(refusal(() => plugin.subnets.delete(SUBNET))).toEqual({ exception: "SubnetInUse", subnet_id: SUBNET });
    expect(refusal(() => plugin.networks.delete(NETWORK))).toEqual({ exception: "NetworkInUse", net_id: NETWORK });
    plugin.ports.delete(String(port.id));
    plugin.subnets.delete(SUBNET);
    plugin.networks.delete(NETWORK);
    expect(refusal(() => plugin.networks.read(NETWORK)).exception).toBe("NetworkNotFound");
  });

  it("leaves no port behind without an address", () => {
    const { plugin } = withNetwork();
    expect(() => plugin.ports.create(AS, { network_id: NETWORK, fixed_ips: [{ ip_address: "10.9.9.9" }] })).toThrow("invalid IP address");
    expect(plugin.ports.readAll(AS)).toEqual([]);
  });

  it("shows a tenant its own and shared networks", () => {
    const { plugin } = withNetwork();
    const stranger = { tenantId: "1".repeat(32), admin: false };
    plugin.networks.create(stranger, { name: "private" });
    plugin.networks.create(stranger, { name: "open", shared: true });
    expect(plugin.networks.readAll(AS).map(({ name }) => name)).toEqual(["blue", "open"]);
    expect(plugin.networks.readAll({ ...AS, admin: true }).map(({ name }) => name)).toContain("ip-fabric");
  });

  it("answers calls by operation, with filters and counts", () => {
    const { plugin } = withNetwork();
    const ask = (operation: string, data: JsonObject) => plugin.handle("network", { context: { operation, tenant_id: TENANT }, data });
    expect(ask("READCOUNT", { filters: { name: ["blue"] } })).toEqual({ count: 1 });
    expect(ask("READALL", { filters: { name: ["none"] } })).toEqual([]);
    expect(refusal(() => ask("FROB", {})).exception).toBe("BadRequest");
    expect(refusal(() => plugin.handle("router", { context: { operation: "READALL" } })).exception).toBe("NotImplemented");
    expect(refusal(() => plugin.subnets.update(SUBNET, { gateway_ip: "10.1.0.9" })).exception).toBe("BadRequest");
  });
});
