import { describe, expect, it } from "vitest";
import { type Answer, lab, login, type Person } from "./support.js";

const refused = ({ status, json }: Answer): [number, string, string] => [status, json.NeutronError.type, json.NeutronError.message];
const NOBODY = "7a0f1d11-1111-4111-8111-111111111111";

async function withNetwork(): Promise<{
  demo: Person;
  id: string;
  subnet: (more: object) => Promise<Answer>;
  cloud: Awaited<ReturnType<typeof lab>>["lab"];
}> {
  const { lab: cloud } = await lab();
  const demo = await login(cloud);
  const { id } = (await demo.network("POST", "/networks", { network: { name: "n" } })).json.network;
  return { demo, id, cloud, subnet: (more) => demo.network("POST", "/subnets", { subnet: { network_id: id, ip_version: 4, ...more } }) };
}

describe("subnets", () => {
  it("have every field, without host bits, with a gateway and pools around it", async () => {
    const { subnet, id, demo } = await withNetwork();
    const { status, json } = await subnet({ cidr: "10.3.0.7/24", name: "a", dns_nameservers: ["192.0.2.53"] });
    const { id: own, ...rest } = json.subnet;
    expect([status, rest]).toEqual([
      201,
      {
        ...{
          name: "a",
          tenant_id: demo.projectId,
          network_id: id,
          ip_version: 4,
          subnetpool_id: null,
          enable_dhcp: true,
          ipv6_ra_mode: null,
        },
        ...{
          ipv6_address_mode: null,
          gateway_ip: "10.3.0.1",
          cidr: "10.3.0.0/24",
          allocation_pools: [{ start: "10.3.0.2", end: "10.3.0.254" }],
        },
        ...{ host_routes: [], dns_nameservers: ["192.0.2.53"], description: "", service_types: [], tags: [], revision_number: 0 },
        ...{ created_at: "2026-01-05T08:00:00Z", updated_at: "2026-01-05T08:00:00Z", project_id: demo.projectId },
      },
    ]);
    expect((await demo.network("GET", `/subnets/${own}`)).json.subnet).toEqual(json.subnet);
    expect((await demo.network("GET", `/networks/${id}`)).json.network).toMatchObject({ subnets: [own], revision_number: 2 });
    expect((await subnet({ cidr: "10.4.0.0/24", gateway_ip: null })).json.subnet).toMatchObject({
      gateway_ip: null,
      allocation_pools: [{ start: "10.4.0.1", end: "10.4.0.254" }],
    });
    const six = await subnet({ ip_version: 6, cidr: "2001:db8::/64" });
    expect(six.json.subnet).toMatchObject({
      gateway_ip: "2001:db8::",
      allocation_pools: [{ start: "2001:db8::1", end: "2001:db8::ffff:ffff:ffff:ffff" }],
    });
  });

  it.each([
    [{ cidr: "bad" }, 400, "InvalidInput"],
    [{}, 400, "BadRequest", "Bad subnets request: a subnetpool must be specified in the absence of a cidr."],
    [{ cidr: "10.9.0.0/24", ip_version: 5 }, 400, "HTTPBadRequest", "Invalid input for ip_version. Reason: 5 is not in valid_values."],
    [
      { cidr: "10.9.0.0/24", ip_version: 6 },
      400,
      "InvalidInput",
      "Invalid input for operation: cidr '10.9.0.0/24' does not match the ip_version '6'.",
    ],
    [
      { cidr: "10.9.0.0/24", gateway_ip: "x" },
      400,
      "HTTPBadRequest",
      "Invalid input for gateway_ip. Reason: 'x' is not a valid IP address.",
    ],
    [
      { cidr: "10.9.0.0/24", allocation_pools: [{ start: "1.1.1.1", end: "1.1.1.4" }] },
      400,
      "OutOfBoundsAllocationPool",
      "The allocation pool 1.1.1.1-1.1.1.4 spans beyond the subnet cidr 10.9.0.0/24.",
    ],
    [
      { cidr: "10.9.0.0/24", allocation_pools: [{ start: "10.9.0.1", end: "10.9.0.4" }] },
      409,
      "GatewayConflictWithAllocationPools",
      "Gateway ip 10.9.0.1 conflicts with allocation pool 10.9.0.1-10.9.0.4.",
    ],
    [{ cidr: "10.9.0.0/24", allocation_pools: [{ start: "10.9.0.9", end: "10.9.0.5" }] }, 400, "InvalidAllocationPool"],
    [
      {
        cidr: "10.9.0.0/24",
        allocation_pools: [
          { start: "10.9.0.2", end: "10.9.0.9" },
          { start: "10.9.0.5", end: "10.9.0.20" },
        ],
      },
      409,
      "OverlappingAllocationPools",
    ],
    [{ cidr: "10.9.0.0/24", dns_nameservers: ["x"] }, 400, "HTTPBadRequest"],
    [{ cidr: "10.9.0.0/24", host_routes: [{ destination: "10.0.0.0/8" }] }, 400, "HTTPBadRequest"],
    [
      { cidr: "10.9.0.0/24", network_id: "nope" },
      400,
      "HTTPBadRequest",
      "Invalid input for network_id. Reason: 'nope' is not a valid UUID.",
    ],
    [{ cidr: "10.9.0.0/24", network_id: NOBODY }, 404, "NetworkNotFound", `Network ${NOBODY} could not be found.`],
  ])("refuse %j", async (more, status, type, message?: string) => {
    const { subnet } = await withNetwork();
    const answer = refused(await subnet(more));
    expect(answer.slice(0, 2)).toEqual([status, type]);
    if (message !== undefined) expect(answer[2]).toBe(message);
  });

  it("refuse overlap within a network, missing attributes, and a new cidr", async () => {
    const { subnet, id, demo } = await withNetwork();
    const own = (await subnet({ cidr: "10.9.0.0/24" })).json.subnet.id;
    const overlaps = `Invalid input for operation: Requested subnet with cidr: 10.9.0.0/25 for network: ${id} overlaps with another subnet.`;
    expect(refused(await subnet({ cidr: "10.9.0.0/25" }))).toEqual([400, "InvalidInput", overlaps]);
    const without = await demo.network("POST", "/subnets", { subnet: { ip_version: 4, cidr: "10.8.0.0/24" } });
    expect(refused(without)[2]).toBe("Failed to parse request. Required attribute 'network_id' not specified");
    const fixed = await demo.network("PUT", `/subnets/${own}`, { subnet: { cidr: "10.0.0.0/8" } });
    expect(refused(fixed)).toEqual([400, "HTTPBadRequest", "Cannot update read-only attribute cidr"]);
    const [open] = (await demo.network("GET", "/networks?name=public")).json.networks;
    expect((await subnet({ cidr: "10.9.0.0/24", network_id: open.id })).status).toBe(403);
  });

  it("change mutable fields, but not a gateway that a port has", async () => {
    const { subnet, id, demo } = await withNetwork();
    const own = (await subnet({ cidr: "10.9.0.0/24" })).json.subnet.id;
    const changes = {
      name: "b",
      enable_dhcp: false,
      dns_nameservers: ["10.9.0.3"],
      host_routes: [{ destination: "10.0.0.0/8", nexthop: "10.9.0.4" }],
    };
    expect((await demo.network("PUT", `/subnets/${own}`, { subnet: changes })).json.subnet).toMatchObject({
      ...changes,
      revision_number: 1,
    });
    const fixed_ips = [{ subnet_id: own, ip_address: "10.9.0.1" }];
    const port = (await demo.network("POST", "/ports", { port: { network_id: id, fixed_ips } })).json.port.id;
    expect(refused(await demo.network("PUT", `/subnets/${own}`, { subnet: { gateway_ip: null } }))).toEqual([
      409,
      "GatewayIpInUse",
      `Current gateway ip 10.9.0.1 already in use by port ${port}. Unable to update.`,
    ]);
    await demo.network("DELETE", `/ports/${port}`);
    expect((await demo.network("PUT", `/subnets/${own}`, { subnet: { gateway_ip: null } })).json.subnet.gateway_ip).toBeNull();
  });
});

describe("ports", () => {
  it("get addresses, groups and every field", async () => {
    const { subnet, id, demo, cloud } = await withNetwork();
    const own = (await subnet({ cidr: "10.9.0.0/24" })).json.subnet.id;
    const { port } = (await demo.network("POST", "/ports", { port: { network_id: id, name: "p" } })).json;
    const [group] = (await demo.network("GET", "/security-groups?name=default")).json.security_groups;
    expect(port).toMatchObject({
      ...{ name: "p", network_id: id, status: "DOWN", device_id: "", device_owner: "", admin_state_up: true },
      ...{ fixed_ips: [{ subnet_id: own, ip_address: "10.9.0.2" }], security_groups: [group.id], "binding:vnic_type": "normal" },
      ...{ allowed_address_pairs: [], extra_dhcp_opts: [], port_security_enabled: true, ip_allocation: "immediate", revision_number: 1 },
    });
    expect(port.mac_address).toMatch(/^fa:16:3e(:[0-9a-f]{2}){3}$/);
    expect(port["binding:host_id"]).toBeUndefined();
    const admin = await login(cloud, "admin");
    expect((await admin.network("GET", `/ports/${port.id}`)).json.port).toMatchObject({
      "binding:host_id": "",
      "binding:vif_type": "unbound",
    });
    expect((await demo.network("GET", "/ports?fixed_ips=ip_address%3D10.9.0.2&fields=id")).json.ports).toEqual([{ id: port.id }]);
    const moved = { fixed_ips: [{ ip_address: "10.9.0.50" }], allowed_address_pairs: [{ ip_address: "10.9.0.60" }] };
    const changed = (await demo.network("PUT", `/ports/${port.id}`, { port: moved })).json.port;
    expect([changed.fixed_ips[0].ip_address, changed.revision_number]).toEqual(["10.9.0.50", 2]);
    expect((await demo.network("POST", "/ports", { port: { network_id: id } })).json.port.fixed_ips[0].ip_address).toBe("10.9.0.2");
  });

  it("refuse invalid and used addresses, and keep their own if a change is refused", async () => {
    const { subnet, id, demo } = await withNetwork();
    const own = (await subnet({ cidr: "10.9.0.0/30", gateway_ip: null })).json.subnet.id;
    const make = (more: object): Promise<Answer> => demo.network("POST", "/ports", { port: { network_id: id, ...more } });
    expect(refused(await make({ fixed_ips: [{ ip_address: "1.1.1.1" }] }))).toEqual([
      400,
      "InvalidIpForNetwork",
      "IP address 1.1.1.1 is not a valid IP for any of the subnets on the specified network.",
    ]);
    expect(refused(await make({ fixed_ips: [{ subnet_id: own, ip_address: "1.1.1.1" }] }))[1]).toBe("InvalidIpForSubnet");
    const { port } = (await make({ fixed_ips: [{ ip_address: "10.9.0.1" }] })).json;
    const allocated = [409, "IpAddressAlreadyAllocated", `IP address 10.9.0.1 already allocated in subnet ${own}`];
    expect(refused(await make({ fixed_ips: [{ ip_address: "10.9.0.1" }] }))).toEqual(allocated);
    expect(refused(await make({ mac_address: port.mac_address }))[1]).toBe("MacAddressInUse");
    expect(refused(await make({ security_groups: [NOBODY] }))).toEqual([
      404,
      "SecurityGroupNotFound",
      `Security group ${NOBODY} does not exist`,
    ]);
    const second = (await make({})).json.port;
    expect(refused(await make({}))).toEqual([409, "IpAddressGenerationFailure", `No more IP addresses available on network ${id}.`]);
    const clash = await demo.network("PUT", `/ports/${second.id}`, { port: { fixed_ips: [{ ip_address: "10.9.0.1" }] } });
    expect(refused(clash)).toEqual(allocated);
    expect(refused(await make({ fixed_ips: [{ ip_address: "10.9.0.2" }] }))[1]).toBe("IpAddressAlreadyAllocated");
  });
});

describe("routers", () => {
  it("leave the address of a gateway and its translation to administrators", async () => {
    const { cloud, demo } = await withNetwork();
    const { id: outside } = (await demo.network("GET", "/networks?name=public")).json.networks[0];
    const gateway = { network_id: outside, enable_snat: false, external_fixed_ips: [{ ip_address: "203.0.113.77" }] };
    const router = { name: "r", external_gateway_info: gateway };
    const rule = "rule:create_router:external_gateway_info";
    expect(refused(await demo.network("POST", "/routers", { router }))).toEqual([
      ...[403, "PolicyNotAuthorized"],
      `(rule:create_router and (${rule} and (${rule}:network_id and ${rule}:enable_snat and ${rule}:external_fixed_ips))) is disallowed by policy`,
    ]);
    const admin = await login(cloud, "admin");
    expect((await admin.network("POST", "/routers", { router })).json.router.external_gateway_info).toMatchObject({ enable_snat: false });
  });

  it("check the shown revision when a gateway is set or deleted with the router", async () => {
    const { demo } = await withNetwork();
    const { id: outside } = (await demo.network("GET", "/networks?name=public")).json.networks[0];
    const { id } = (await demo.network("POST", "/routers", { router: { name: "r" } })).json.router;
    const at = `/routers/${id}`;
    const router = { external_gateway_info: { network_id: outside } };
    const failed = (revision: number) => [
      ...[412, "RevisionNumberConstraintFailed"],
      `Constrained to ${revision}, but current revision is ${revision + 1}`,
    ];
    expect(refused(await demo.network("PUT", at, { router }, { "if-match": "revision_number=1" }))).toEqual(failed(1));
    expect((await demo.network("PUT", at, { router })).json.router).toMatchObject({ ...router, revision_number: 2 });
    expect(refused(await demo.network("DELETE", at, undefined, { "if-match": "revision_number=2" }))).toEqual(failed(2));
    await demo.network("PUT", at, { router: { external_gateway_info: null } }, { "if-match": "revision_number=2" });
    expect((await demo.network("DELETE", at, undefined, { "if-match": "revision_number=3" })).status).toBe(204);
  });

  it("connect subnets, and cannot be deleted while they do", async () => {
    const { subnet, demo } = await withNetwork();
    const own = (await subnet({ cidr: "10.9.0.0/24" })).json.subnet;
    const { router } = (await demo.network("POST", "/routers", { router: { name: "r" } })).json;
    expect(router).toMatchObject({ status: "ACTIVE", external_gateway_info: null, routes: [], flavor_id: null, revision_number: 1 });
    const at = `/routers/${router.id}`;
    const joined = (await demo.network("PUT", `${at}/add_router_interface`, { subnet_id: own.id })).json;
    expect(joined).toEqual({
      id: router.id,
      tenant_id: demo.projectId,
      port_id: joined.port_id,
      network_id: own.network_id,
      subnet_id: own.id,
      subnet_ids: [own.id],
    });
    const { port } = (await demo.network("GET", `/ports/${joined.port_id}`)).json;
    expect(port).toMatchObject({ device_id: router.id, device_owner: "network:router_interface", fixed_ips: [{ ip_address: "10.9.0.1" }] });
    const again = await demo.network("PUT", `${at}/add_router_interface`, { subnet_id: own.id });
    expect(refused(again)[2]).toBe(`Bad router request: Router already has a port on subnet ${own.id}.`);
    expect(refused(await demo.network("PUT", `${at}/add_router_interface`, {}))[2]).toBe(
      "Bad router request: Either subnet_id or port_id must be specified.",
    );
    expect(refused(await demo.network("DELETE", at))).toEqual([
      409,
      "RouterInUse",
      `Router ${router.id} has ports still attached: ${port.id}`,
    ]);
    expect(refused(await demo.network("DELETE", `/ports/${port.id}`))).toEqual([
      409,
      "ServicePortInUse",
      `Port ${port.id} cannot be deleted directly via the port API: has device owner network:router_interface.`,
    ]);
    const route = { destination: "10.77.0.0/16", nexthop: "10.9.0.7" };
    expect((await demo.network("PUT", at, { router: { routes: [route] } })).json.router.routes).toEqual([route]);
    expect(refused(await demo.network("PUT", at, { router: { routes: [{ ...route, nexthop: "1.1.1.1" }] } }))[1]).toBe("InvalidRoutes");
    expect(refused(await demo.network("PUT", `${at}/remove_router_interface`, { subnet_id: own.id }))).toEqual([
      409,
      "RouterInterfaceInUseByRoute",
      `Router interface for subnet ${own.id} on router ${router.id} cannot be deleted, as it is required by one or more routes.`,
    ]);
    expect((await demo.network("PUT", at, { router: { routes: [] } })).status).toBe(200);
    expect((await demo.network("PUT", `${at}/remove_router_interface`, { subnet_id: own.id })).json.port_id).toBe(port.id);
    expect(refused(await demo.network("PUT", `${at}/remove_router_interface`, { subnet_id: own.id }))).toEqual([
      404,
      "RouterInterfaceNotFoundForSubnet",
      `Router ${router.id} has no interface on subnet ${own.id}`,
    ]);
    expect((await demo.network("DELETE", at)).status).toBe(204);
  });

  it("accept a given port, and a gateway only on an external network", async () => {
    const { subnet, id, demo } = await withNetwork();
    await subnet({ cidr: "10.9.0.0/24" });
    const { port } = (await demo.network("POST", "/ports", { port: { network_id: id } })).json;
    const { router } = (await demo.network("POST", "/routers", { router: {} })).json;
    const at = `/routers/${router.id}`;
    expect((await demo.network("PUT", `${at}/add_router_interface`, { port_id: port.id })).json.port_id).toBe(port.id);
    expect(refused(await demo.network("PUT", `${at}/add_router_interface`, { port_id: port.id }))[1]).toBe("PortInUse");
    expect(refused(await demo.network("PUT", at, { router: { external_gateway_info: { network_id: id } } }))[2]).toBe(
      `Bad router request: Network ${id} is not an external network.`,
    );
    const [open] = (await demo.network("GET", "/networks?name=public")).json.networks;
    const gateway = (await demo.network("PUT", at, { router: { external_gateway_info: { network_id: open.id } } })).json.router;
    expect(gateway.external_gateway_info).toMatchObject({
      network_id: open.id,
      enable_snat: true,
      external_fixed_ips: [{ ip_address: "203.0.113.3" }],
    });
    expect((await demo.network("GET", "/ports?device_owner=network:router_gateway")).json.ports).toEqual([]);
    expect((await demo.network("PUT", at, { router: { external_gateway_info: {} } })).json.router.external_gateway_info).toBeNull();
    expect(refused(await demo.network("PUT", `${at}/remove_router_interface`, { port_id: NOBODY }))[1]).toBe("RouterInterfaceNotFound");
  });
});

describe("security groups", () => {
  it("have rules, with all fields", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const { security_group: group } = (await demo.network("POST", "/security-groups", { security_group: { name: "g" } })).json;
    expect(group).toMatchObject({ name: "g", stateful: true, shared: false, tags: [], description: "" });
    expect(group.security_group_rules.map(({ direction, ethertype }: Record<string, string>) => `${direction} ${ethertype}`)).toEqual([
      "egress IPv4",
      "egress IPv6",
    ]);
    expect(group.security_group_rules.map(({ description }: { description: null }) => description)).toEqual([null, null]);
    const wish = { security_group_id: group.id, direction: "ingress", protocol: "tcp", port_range_min: 80, port_range_max: 81 };
    const make = (more: object): Promise<Answer> =>
      demo.network("POST", "/security-group-rules", { security_group_rule: { ...wish, ...more } });
    const { security_group_rule: rule } = (await make({ remote_ip_prefix: "10.1.1.7/24" })).json;
    expect(rule).toEqual({
      ...{
        id: rule.id,
        tenant_id: demo.projectId,
        project_id: demo.projectId,
        ...wish,
        ethertype: "IPv4",
        remote_ip_prefix: "10.1.1.7/24",
      },
      ...{ remote_group_id: null, remote_address_group_id: null, normalized_cidr: "10.1.1.0/24", description: "", revision_number: 0 },
      ...{ created_at: "2026-01-05T08:00:00Z", updated_at: "2026-01-05T08:00:00Z" },
    });
    expect((await make({ remote_ip_prefix: "10.1.1.0/24" })).status).toBe(201);
    expect(refused(await make({ remote_ip_prefix: "10.1.1.7/24" }))).toEqual([
      409,
      "SecurityGroupRuleExists",
      `Security group rule already exists. Rule id is ${rule.id}.`,
    ]);
    const cases: [object, string][] = [
      [{ port_range_min: 90 }, "SecurityGroupInvalidPortRange"],
      [{ protocol: null }, "SecurityGroupProtocolRequiredWithPorts"],
      [{ direction: "x" }, "HTTPBadRequest"],
      [{ protocol: "foo" }, "SecurityGroupRuleInvalidProtocol"],
      [{ remote_ip_prefix: "x" }, "InvalidCIDR"],
      [{ remote_ip_prefix: "::/0" }, "SecurityGroupRuleParameterConflict"],
      [{ remote_ip_prefix: "10.0.0.0/8", remote_group_id: group.id }, "SecurityGroupMultipleRemoteEntites"],
      [{ security_group_id: NOBODY }, "SecurityGroupNotFound"],
    ];
    for (const [more, type] of cases) expect(refused(await make(more))[1]).toBe(type);
    expect((await demo.network("PUT", `/security-group-rules/${rule.id}`, { security_group_rule: {} })).status).toBe(500);
    expect((await demo.network("GET", `/security-group-rules?security_group_id=${group.id}`)).json.security_group_rules).toHaveLength(4);
    expect((await demo.network("DELETE", `/security-group-rules/${rule.id}`)).status).toBe(204);
    expect((await demo.network("DELETE", `/security-groups/${group.id}`)).status).toBe(204);
  });

  it("cannot be deleted while a port uses them; the default one never", async () => {
    const { subnet, id, demo } = await withNetwork();
    await subnet({ cidr: "10.9.0.0/24" });
    const { security_group: group } = (await demo.network("POST", "/security-groups", { security_group: { name: "g" } })).json;
    const { port } = (await demo.network("POST", "/ports", { port: { network_id: id, security_groups: [group.id] } })).json;
    expect(refused(await demo.network("DELETE", `/security-groups/${group.id}`))).toEqual([
      409,
      "SecurityGroupInUse",
      `Security Group ${group.id} in use.`,
    ]);
    await demo.network("PUT", `/ports/${port.id}`, { port: { security_groups: [] } });
    expect((await demo.network("DELETE", `/security-groups/${group.id}`)).status).toBe(204);
    const [own] = (await demo.network("GET", "/security-groups?name=default")).json.security_groups;
    expect(refused(await demo.network("DELETE", `/security-groups/${own.id}`))[1]).toBe("SecurityGroupCannotRemoveDefault");
    const renamed = await demo.network("PUT", `/security-groups/${own.id}`, { security_group: { name: "q" } });
    expect(refused(renamed)).toEqual([409, "SecurityGroupCannotUpdateDefault", "Updating default security group not allowed."]);
  });
});
