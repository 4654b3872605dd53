import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json/value.js";
import { cidrOf } from "../../../../src/lab/contrail/addresses/network.js";
import { subnetsOf } from "../../../../src/lab/contrail/rules/addresses/network-subnets.js";
import type { StoredObject } from "../../../../src/lab/contrail/world/stored-object.js";
import { ContrailWorld } from "../../../../src/lab/contrail/world/world.js";
import { networkDocument, subnetOf } from "../support.js";

const IPAM = ["default-domain", "default-project", "default-network-ipam"];

function demoWorld(): ContrailWorld {
  const world = new ContrailWorld();
  world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  return world;
}

function ids(network: StoredObject): Record<string, unknown> {
  return Object.fromEntries(subnetsOf(network).map(({ entry, network: block }) => [cidrOf(block), entry.subnet_uuid]));
}

function write(world: ContrailWorld, network: StoredObject, ...entries: JsonObject[]): void {
  world.update("virtual-network", network.uuid, { network_ipam_refs: [{ to: IPAM, attr: { ipam_subnets: entries } }] });
}

function addressIn(world: ContrailWorld, network: StoredObject, name: string, more: JsonObject = {}): StoredObject {
  return world.create("instance-ip", { fq_name: [name], virtual_network_refs: [{ uuid: network.uuid }], ...more });
}

describe("subnets of a network", () => {
  it("all get new keys by a write without subnet_uuid, with or without addresses in use", () => {
    const world = demoWorld();
    const network = world.create("virtual-network", networkDocument("n", "10.1.0.0/24", "10.2.0.0/24"));
    const before = ids(network);
    const address = addressIn(world, network, "ip");
    write(world, network, subnetOf("10.1.0.0/24"), subnetOf("10.2.0.0/24"));
    const after = ids(network);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const cidr of Object.keys(before)) expect(after[cidr]).not.toBe(before[cidr]);
    expect(address.properties.subnet_uuid).toBe(before["10.1.0.0/24"]);
  });

  it("keep the ids that a write contains", () => {
    const world = demoWorld();
    const network = world.create("virtual-network", networkDocument("n", "10.1.0.0/24"));
    const before = ids(network);
    write(world, network, { ...subnetOf("10.1.0.0/24"), subnet_uuid: String(before["10.1.0.0/24"]) }, subnetOf("10.2.0.0/24"));
    expect(ids(network)["10.1.0.0/24"]).toBe(before["10.1.0.0/24"]);
  });

  it("are not changed by a write of other fields, or by a refused one", () => {
    const world = demoWorld();
    const network = world.create("virtual-network", networkDocument("n", "10.1.0.0/24"));
    const before = ids(network);
    world.update("virtual-network", network.uuid, { display_name: "other" });
    expect(() => write(world, network, subnetOf("10.1.0.0/24"), subnetOf("10.1.0.128/25"))).toThrow("Overlapping addresses");
    expect(ids(network)).toEqual(before);
  });

  it("cannot shrink or be deleted while one of their addresses is in use", () => {
    const world = demoWorld();
    const network = world.create("virtual-network", networkDocument("n", "10.1.0.0/24"));
    const address = addressIn(world, network, "ip");
    expect(() => write(world, network, subnetOf("10.1.0.0/25"))).toThrow("Cannot Delete IP Block, IP(10.1.0.252) is in use");
    expect(() => write(world, network)).toThrow("Cannot Delete IP Block");
    world.delete("instance-ip", address.uuid);
    write(world, network, subnetOf("10.1.0.0/25"));
    expect(Object.keys(ids(network))).toEqual(["10.1.0.0/25"]);
  });
});

describe("addresses of a network", () => {
  it("are assigned from the top, or from the start, after gateway and service address", () => {
    const world = demoWorld();
    const top = world.create("virtual-network", networkDocument("top", "10.1.0.0/29"));
    expect([1, 2].map((n) => addressIn(world, top, `t${n}`).properties.instance_ip_address)).toEqual(["10.1.0.4", "10.1.0.3"]);
    const start = world.create("virtual-network", networkDocument("start"));
    write(world, start, { ...subnetOf("10.1.0.0/29"), addr_from_start: true });
    expect(addressIn(world, start, "s").properties.instance_ip_address).toBe("10.1.0.3");
  });

  it("come from the pools if there are any, and end", () => {
    const world = demoWorld();
    const network = world.create("virtual-network", networkDocument("n"));
    write(world, network, { ...subnetOf("10.1.0.0/24"), allocation_pools: [{ start: "10.1.0.10", end: "10.1.0.11" }] });
    expect([1, 2].map((n) => addressIn(world, network, `a${n}`).properties.instance_ip_address)).toEqual(["10.1.0.11", "10.1.0.10"]);
    expect(() => addressIn(world, network, "a3")).toThrow("exhausted");
  });

  it("are assigned again once they are free, and never twice", () => {
    const world = demoWorld();
    const network = world.create("virtual-network", networkDocument("n", "10.1.0.0/29"));
    const first = addressIn(world, network, "a");
    expect(() => addressIn(world, network, "b", { instance_ip_address: "10.1.0.4" })).toThrow("Ip address already in use");
    world.delete("instance-ip", first.uuid);
    expect(addressIn(world, network, "c").properties.instance_ip_address).toBe("10.1.0.4");
    expect(() => addressIn(world, network, "d", { instance_ip_address: "10.9.0.1" })).toThrow("invalid IP address(10.9.0.1)");
  });

  it("of a flat IPAM are shared by its networks", () => {
    const world = demoWorld();
    const name = ["default-domain", "demo", "flat"];
    world.create("network-ipam", {
      fq_name: name,
      ipam_subnet_method: "flat-subnet",
      ipam_subnets: { subnets: [subnetOf("10.40.0.0/29")] },
    });
    const flatNetwork = (last: string): StoredObject =>
      world.create("virtual-network", {
        fq_name: ["default-domain", "demo", last],
        virtual_network_properties: { forwarding_mode: "l3" },
        network_ipam_refs: [{ to: name, attr: { ipam_subnets: [] } }],
      });
    const [a, b] = [flatNetwork("a"), flatNetwork("b")];
    expect(addressIn(world, a, "x").properties.instance_ip_address).toBe("10.40.0.4");
    expect(addressIn(world, b, "y").properties.instance_ip_address).toBe("10.40.0.3");
  });
});
