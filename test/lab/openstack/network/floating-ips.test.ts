import { describe, expect, it } from "vitest";
import { type Answer, lab, login } from "../support.js";

const refused = ({ status, json }: Answer): [number, string] => [status, json.NeutronError.type];
const NOBODY = "7a0f1d11-1111-4111-8111-111111111111";

/**
 * The demo project of the seeded cloud, whose router connects `private` to `public`, and functions that create the objects of the cases.
 */
async function world() {
  const { lab: cloud } = await lab();
  const [demo, admin] = [await login(cloud), await login(cloud, "admin")];
  const named = async (list: string, name: string): Promise<{ id: string }> =>
    (await demo.network("GET", `/${list}?name=${name}`)).json[list][0];
  const [pool, inner, subnet, router] = await Promise.all([
    named("networks", "public"),
    named("networks", "private"),
    named("subnets", "private-subnet"),
    named("routers", "router1"),
  ]);
  const make = (more: object = {}, by = demo) =>
    by.network("POST", "/floatingips", { floatingip: { floating_network_id: pool.id, ...more } });
  const port = async (...addresses: string[]): Promise<string> => {
    const fixed_ips = addresses.map((ip_address) => ({ subnet_id: subnet.id, ip_address }));
    return (await demo.network("POST", "/ports", { port: { network_id: inner.id, ...(fixed_ips.length > 0 ? { fixed_ips } : {}) } })).json
      .port.id;
  };
  const put = (id: string, body: object) => demo.network("PUT", `/floatingips/${id}`, { floatingip: body });
  return { cloud, demo, admin, pool, inner, subnet, router, make, port, put };
}

describe("floating IPs", () => {
  it("have every field, free and on a port, and no name", async () => {
    const { demo, make, port, put, pool, router } = await world();
    const { status, json } = await make({ description: "d" });
    const { id, floating_ip_address, ...rest } = json.floatingip;
    expect([status, rest]).toEqual([
      201,
      {
        ...{ tenant_id: demo.projectId, project_id: demo.projectId, floating_network_id: pool.id, router_id: null, port_id: null },
        ...{
          fixed_ip_address: null,
          status: "DOWN",
          description: "d",
          qos_policy_id: null,
          port_details: null,
          tags: [],
          revision_number: 0,
        },
        ...{ created_at: "2026-01-05T08:00:00Z", updated_at: "2026-01-05T08:00:00Z" },
      },
    ]);
    expect(floating_ip_address).toMatch(/^203\.0\.113\.\d+$/);
    const target = await port("10.0.0.31");
    expect((await put(id, { port_id: target })).json.floatingip).toMatchObject({
      port_id: target,
      fixed_ip_address: "10.0.0.31",
      router_id: router.id,
      port_details: { device_owner: "", network_id: expect.any(String) },
      revision_number: 1,
    });
    await demo.network("DELETE", `/ports/${target}`);
    expect((await demo.network("GET", `/floatingips/${id}`)).json.floatingip).toMatchObject({ port_id: null, router_id: null });
    expect((await demo.network("GET", "/ports?device_owner=network:floatingip")).json.ports).toEqual([]);
    expect(refused(await demo.network("GET", "/floatingips?name=x"))).toEqual([400, "HTTPBadRequest"]);
    expect((await demo.network("DELETE", `/floatingips/${id}`)).status).toBe(204);
    expect(refused(await demo.network("DELETE", `/floatingips/${id}`))).toEqual([404, "FloatingIPNotFound"]);
  });

  it("are refused like on the real service", async () => {
    const { cloud, admin, inner, make, port, put } = await world();
    const one = (await make()).json.floatingip.id;
    const [several, none, other] = [await port("10.0.0.41", "10.0.0.42"), await port(), (await make()).json.floatingip.id];
    expect(refused(await make({ name: "x" }))).toEqual([400, "HTTPBadRequest"]);
    expect(refused(await make({ tags: ["x"] }))).toEqual([400, "HTTPBadRequest"]);
    expect(refused(await make({ floating_network_id: inner.id }))).toEqual([400, "BadRequest"]);
    expect(refused(await make({ floating_network_id: NOBODY }))).toEqual([404, "NetworkNotFound"]);
    expect(refused(await make({ port_id: NOBODY }))).toEqual([404, "PortNotFound"]);
    expect(refused(await make({ port_id: none }, await login(cloud, "other")))).toEqual([404, "PortNotFound"]);
    expect(refused(await make({ floating_ip_address: "203.0.113.200" }))).toEqual([403, "PolicyNotAuthorized"]);
    const chosen = await make({ floating_ip_address: "203.0.113.200" }, admin);
    expect(chosen.json.floatingip.floating_ip_address).toBe("203.0.113.200");
    expect(refused(await make({ floating_ip_address: "203.0.113.200" }, admin))).toEqual([409, "IpAddressAlreadyAllocated"]);
    expect(refused(await make({ floating_ip_address: "192.0.2.1" }, admin))).toEqual([400, "InvalidIpForNetwork"]);
    expect(refused(await put(one, { floating_ip_address: "203.0.113.9" }))).toEqual([400, "HTTPBadRequest"]);
    expect(refused(await put(one, { fixed_ip_address: "10.0.0.41" }))).toEqual([400, "BadRequest"]);
    expect(refused(await put(one, { port_id: several }))).toEqual([400, "BadRequest"]);
    expect((await put(one, { port_id: several, fixed_ip_address: "10.0.0.41" })).status).toBe(200);
    expect(refused(await put(one, { description: "said without its address" }))).toEqual([400, "BadRequest"]);
    expect(refused(await put(other, { port_id: several, fixed_ip_address: "10.0.0.41" }))).toEqual([
      409,
      "FloatingIPPortAlreadyAssociated",
    ]);
    expect((await put(other, { port_id: several, fixed_ip_address: "10.0.0.42" })).status).toBe(200);
  });

  it("need a router to the pool, and hold its gateway and interface", async () => {
    const { demo, make, port, put, router, subnet } = await world();
    const { id } = (await make()).json.floatingip;
    const { network } = (await demo.network("POST", "/networks", { network: { name: "alone" } })).json;
    await demo.network("POST", "/subnets", { subnet: { network_id: network.id, ip_version: 4, cidr: "10.9.0.0/24" } });
    const lost = (await demo.network("POST", "/ports", { port: { network_id: network.id } })).json.port.id;
    expect(refused(await put(id, { port_id: lost }))).toEqual([404, "ExternalGatewayForFloatingIPNotFound"]);
    await put(id, { port_id: await port() });
    const gateway = { router: { external_gateway_info: null } };
    expect(refused(await demo.network("PUT", `/routers/${router.id}`, gateway))).toEqual([409, "RouterExternalGatewayInUseByFloatingIp"]);
    const leave = () => demo.network("PUT", `/routers/${router.id}/remove_router_interface`, { subnet_id: subnet.id });
    expect(refused(await leave())).toEqual([409, "RouterInterfaceInUseByFloatingIP"]);
    await put(id, { port_id: null });
    expect((await leave()).status).toBe(200);
    expect((await demo.network("PUT", `/routers/${router.id}`, gateway)).status).toBe(200);
  });

  it("run out with their pool and with the quota, and are deleted with an external network", async () => {
    const { demo, admin, make } = await world();
    const { network } = (await admin.network("POST", "/networks", { network: { name: "tiny", "router:external": true } })).json;
    const floating_network_id = network.id;
    expect(refused(await make({ floating_network_id }))).toEqual([400, "BadRequest"]);
    await admin.network("POST", "/subnets", {
      subnet: { network_id: network.id, ip_version: 4, cidr: "198.51.100.0/30", enable_dhcp: false },
    });
    expect((await make({ floating_network_id })).json.floatingip.floating_ip_address).toBe("198.51.100.2");
    expect(refused(await make({ floating_network_id }))).toEqual([409, "IpAddressGenerationFailure"]);
    await admin.network("PUT", `/quotas/${demo.projectId}`, { quota: { floatingip: 1 } });
    expect(refused(await make())).toEqual([409, "OverQuota"]);
    expect((await admin.network("DELETE", `/networks/${network.id}`)).status).toBe(204);
    expect((await demo.network("GET", "/floatingips")).json.floatingips).toEqual([]);
  });
});
