import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningContrailLab, startContrailLab } from "../../src/lab/contrail/start.js";
import { type RunningOpenstackLab, startOpenstackLab } from "../../src/lab/openstack/start.js";
import type { JsonObject } from "../../src/lab/openstack/world/json.js";
import { followNetworks } from "../../src/lab/shared-world.js";

let cloud: RunningOpenstackLab;
let controller: RunningContrailLab;
beforeEach(async () => {
  cloud = await startOpenstackLab({ ports: "free" });
  controller = await startContrailLab({ port: 0 });
});
afterEach(() => Promise.all([cloud.close(), controller.close()]));

const asked = async (path: string) => (await fetch(`${controller.url}${path}`)).json() as Promise<Record<string, Record<string, unknown>>>;
const act = (method: "POST" | "PUT" | "DELETE", path: string, body?: JsonObject) => {
  const { status, text } = cloud.act({
    service: "network",
    method,
    path,
    user: "admin",
    ...(body === undefined ? {} : { body }),
  });
  expect(status, text).toBeLessThan(300);
  return text === "" ? {} : (JSON.parse(text) as Record<string, { id: string }>);
};

describe("a cloud and its controller", () => {
  it("are one world: networks and subnets have one id in both", async () => {
    followNetworks(cloud.world, controller.world);
    const network = act("POST", "/v2.0/networks", { network: { name: "web" } }).network;
    const subnet = act("POST", "/v2.0/subnets", { subnet: { network_id: network?.id ?? "", ip_version: 4, cidr: "10.1.0.0/24" } }).subnet;
    const found = (await asked(`/virtual-network/${network?.id}`))["virtual-network"];
    expect(found?.display_name).toBe("web");
    expect(JSON.stringify(found?.network_ipam_refs)).toContain(`"subnet_uuid":"${subnet?.id}"`);

    act("PUT", `/v2.0/networks/${network?.id}`, { network: { name: "front" } });
    expect((await asked(`/virtual-network/${network?.id}`))["virtual-network"]?.display_name).toBe("front");

    act("DELETE", `/v2.0/subnets/${subnet?.id}`);
    act("DELETE", `/v2.0/networks/${network?.id}`);
    expect((await fetch(`${controller.url}/virtual-network/${network?.id}`)).status).toBe(404);
  });

  it("start with the existing objects of the cloud", async () => {
    const network = act("POST", "/v2.0/networks", { network: { name: "early" } }).network;
    followNetworks(cloud.world, controller.world);
    expect((await asked(`/virtual-network/${network?.id}`))["virtual-network"]?.display_name).toBe("early");
  });

  it("remove an object again that the controller refuses", async () => {
    followNetworks(cloud.world, controller.world);
    const network = act("POST", "/v2.0/networks", { network: { name: "web" } }).network?.id ?? "";
    const outside = { network_id: network, ip_version: 4, cidr: "10.1.0.0/24", gateway_ip: "10.2.0.1" };
    const subnet = act("POST", "/v2.0/subnets", { subnet: outside }).subnet?.id ?? "";
    expect(JSON.stringify((await asked(`/virtual-network/${network}`))["virtual-network"])).not.toContain(subnet);
    act("PUT", `/v2.0/subnets/${subnet}`, { subnet: { name: "renamed" } });
    act("DELETE", `/v2.0/subnets/${subnet}`);
    act("DELETE", `/v2.0/networks/${network}`);
    expect((await fetch(`${controller.url}/virtual-network/${network}`)).status).toBe(404);
  });
});
