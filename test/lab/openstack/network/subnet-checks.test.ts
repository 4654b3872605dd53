import { describe, expect, it } from "vitest";
import { type Answer, lab, login } from "../support.js";

const outcome = ({ status, json }: Answer) => `${status} ${json?.NeutronError?.type ?? ""}`.trim();

async function withNetwork() {
  const { lab: cloud } = await lab();
  const demo = await login(cloud);
  const { id } = (await demo.network("POST", "/networks", { network: { name: "n" } })).json.network;
  const subnet = (more: object) => demo.network("POST", "/subnets", { subnet: { network_id: id, ...more } });
  return { demo, id, subnet };
}

const V4 = { ip_version: 4, cidr: "10.9.0.0/24" };
const V6 = { ip_version: 6, cidr: "fd00:9::/64" };
const SIX = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6"];

describe("values of a subnet that Neutron refuses", () => {
  it.each([
    [{ ...V4, cidr: "10.9.0.0/31" }, "400 InvalidInput"],
    [{ ...V4, cidr: "10.9.0.0/31", enable_dhcp: false, gateway_ip: null }, "201"],
    [{ ...V4, cidr: "224.0.0.0/24" }, "400 InvalidInput"],
    [{ ...V4, cidr: "127.0.0.0/24" }, "400 InvalidInput"],
    [{ ...V4, gateway_ip: "10.9.0.255" }, "400 InvalidInput"],
    [{ ...V4, gateway_ip: "10.9.0.0" }, "400 InvalidInput"],
    [{ ...V4, gateway_ip: "fd00::1" }, "400 InvalidInput"],
    [{ ...V4, dns_nameservers: SIX }, "400 DNSNameServersExhausted"],
    [{ ...V4, dns_nameservers: SIX.slice(0, 5) }, "201"],
    [{ ...V4, dns_nameservers: ["192.0.2.1", "192.0.2.1"] }, "400 HTTPBadRequest"],
    [{ ...V4, dns_nameservers: ["fd00::1"] }, "400 InvalidInput"],
    [{ ...V4, dns_nameservers: null }, "201"],
    [{ ...V4, enable_dhcp: "no" }, "201"],
    [{ ...V4, service_types: ["bogus"] }, "400 InvalidSubnetServiceType"],
    [{ ...V4, ipv6_ra_mode: "slaac" }, "400 InvalidInput"],
    [{ ...V6, ipv6_ra_mode: "slaac" }, "201"],
    [{ ...V6, ipv6_ra_mode: null }, "400 HTTPBadRequest"],
    [{ ...V6, ipv6_ra_mode: "slaac", enable_dhcp: false }, "400 InvalidInput"],
    [{ ...V6, ipv6_ra_mode: "slaac", ipv6_address_mode: "dhcpv6-stateful" }, "400 InvalidInput"],
    [{ ...V6, cidr: "fd00:9::/63", ipv6_ra_mode: "slaac" }, "400 InvalidInput"],
    [{ ...V6, cidr: "fd00:9::/127" }, "400 InvalidInput"],
  ])("%j: %s", async (values, expected) => {
    expect(outcome(await (await withNetwork()).subnet(values))).toBe(expected);
  });
});

describe("a subnet with automatic addresses", () => {
  it("gives each port the address of its MAC address, and no other", async () => {
    const { demo, id, subnet } = await withNetwork();
    const made = await subnet({ ...V6, ipv6_ra_mode: "slaac", ipv6_address_mode: "slaac" });
    const subnet_id = made.json.subnet.id;
    const automatic = [{ subnet_id, ip_address: "fd00:9::f816:3eff:fe00:a" }];
    for (const fixed_ips of [undefined, [], [{ subnet_id }]]) {
      const port = { network_id: id, mac_address: "fa:16:3e:00:00:0a", ...(fixed_ips && { fixed_ips }) };
      const { json } = await demo.network("POST", "/ports", { port });
      expect(json.port.fixed_ips).toEqual(automatic);
      await demo.network("DELETE", `/ports/${json.port.id}`);
    }
    const fixed_ips = [{ ip_address: "fd00:9::7" }];
    expect(outcome(await demo.network("POST", "/ports", { port: { network_id: id, fixed_ips } }))).toBe(
      "400 AllocationOnAutoAddressSubnet",
    );
  });
});

describe("updates", () => {
  it("count a revision even if no value changes, except equal addresses of a port", async () => {
    const { demo, id } = await withNetwork();
    const update = async (name: string) =>
      (await demo.network("PUT", `/networks/${id}`, { network: { name } })).json.network.revision_number;
    expect([await update("n"), await update("m")]).toEqual([2, 3]);
    const { port } = (await demo.network("POST", "/ports", { port: { network_id: id } })).json;
    const again = await demo.network("PUT", `/ports/${port.id}`, { port: { fixed_ips: port.fixed_ips } });
    expect(again.json.port.revision_number).toBe(port.revision_number);
  });
});
