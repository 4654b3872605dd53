import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import type { Session } from "../harness/session.js";

const MADE = "created_at updated_at id project_id tenant_id revision_number description";
const NAMED = `${MADE} name tags`;
const RULE = `${MADE} direction ethertype normalized_cidr port_range_max port_range_min protocol remote_address_group_id remote_group_id remote_ip_prefix security_group_id`;

/** Objects of each kind as a member of the project sees them, by collection of the network service. */
const NETWORK_FIELDS: Readonly<Record<string, string>> = {
  networks: `${NAMED} admin_state_up availability_zone_hints availability_zones ipv4_address_scope ipv6_address_scope l2_adjacency mtu port_security_enabled qos_policy_id router:external shared status subnets`,
  subnets: `${NAMED} allocation_pools cidr dns_nameservers enable_dhcp gateway_ip host_routes ip_version ipv6_address_mode ipv6_ra_mode network_id service_types subnetpool_id`,
  subnetpools: `${NAMED} address_scope_id default_prefixlen default_quota ip_version is_default max_prefixlen min_prefixlen prefixes shared`,
  ports: `${NAMED} admin_state_up allowed_address_pairs binding:vnic_type device_id device_owner extra_dhcp_opts fixed_ips ip_allocation mac_address network_id port_security_enabled qos_network_policy_id qos_policy_id security_groups status`,
  trunks: `${NAMED} admin_state_up port_id status sub_ports`,
  routers: `${NAMED} admin_state_up availability_zone_hints availability_zones external_gateway_info flavor_id routes status`,
  "security-groups": `${NAMED} security_group_rules shared stateful`,
  "security-group-rules": RULE,
  "address-groups": "id project_id tenant_id description name addresses",
  "rbac-policies": "id project_id tenant_id object_type object_id action target_tenant",
  floatingips: `${MADE} tags fixed_ip_address floating_ip_address floating_network_id port_details port_id qos_policy_id router_id status`,
};

const FLAVOR =
  "OS-FLV-DISABLED:disabled OS-FLV-EXT-DATA:ephemeral disk id links name os-flavor-access:is_public ram rxtx_factor swap vcpus";
const IMAGE = "OS-EXT-IMG-SIZE:size created id links metadata minDisk minRam name progress status updated";
const SERVER =
  "OS-DCF:diskConfig OS-EXT-AZ:availability_zone OS-EXT-STS:power_state OS-EXT-STS:task_state OS-EXT-STS:vm_state OS-SRV-USG:launched_at OS-SRV-USG:terminated_at accessIPv4 accessIPv6 addresses config_drive created flavor hostId id image key_name links metadata name os-extended-volumes:volumes_attached progress security_groups status tenant_id updated user_id";

const VOLUME =
  "attachments availability_zone bootable consistencygroup_id created_at description encrypted id links metadata multiattach name os-vol-tenant-attr:tenant_id replication_status size snapshot_id source_volid status updated_at user_id volume_type";

onEachCloud("fields of objects", (open) => {
  it("of the network service", async () => {
    const { user } = await open();
    const { network } = await user.demand("network", "POST", "/v2.0/networks", { network: { name: "n" } });
    const { subnet } = await user.demand("network", "POST", "/v2.0/subnets", {
      subnet: { network_id: network.id, ip_version: 4, cidr: "192.0.2.0/24" },
    });
    const { port } = await user.demand("network", "POST", "/v2.0/ports", { port: { network_id: network.id } });
    const { router } = await user.demand("network", "POST", "/v2.0/routers", { router: { name: "r" } });
    const added = await user.demand("network", "PUT", `/v2.0/routers/${router.id}/add_router_interface`, { subnet_id: subnet.id });
    const rbac_policy = { object_type: "network", object_id: network.id, action: "access_as_shared", target_tenant: network.project_id };
    await user.demand("network", "POST", "/v2.0/rbac-policies", { rbac_policy });
    await user.demand("network", "POST", "/v2.0/subnetpools", { subnetpool: { name: "p", prefixes: ["10.0.0.0/24"] } });
    await user.demand("network", "POST", "/v2.0/address-groups", { address_group: { name: "a" } });
    const [pool] = await user.list("network", "/v2.0/networks?router:external=true", "networks");
    await user.demand("network", "POST", "/v2.0/floatingips", { floatingip: { floating_network_id: pool.id } });
    await user.demand("network", "POST", "/v2.0/trunks", { trunk: { port_id: port.id } });
    expect(fields(added)).toEqual(sorted("id network_id port_id subnet_id subnet_ids tenant_id"));
    for (const [collection, expected] of Object.entries(NETWORK_FIELDS)) {
      const listed = await user.list("network", `/v2.0/${collection}`, collection.replaceAll("-", "_"));
      const [own] = listed.filter((object) => object["router:external"] !== true);
      // The port of a trunk has an additional field.
      const { trunk_details: _, ...shown } = own;
      expect(fields(shown), collection).toEqual(sorted(expected));
    }
  });

  it("of default rules have no description", async () => {
    const { user } = await open();
    const { security_group: group } = await user.demand("network", "POST", "/v2.0/security-groups", { security_group: { name: "s" } });
    const rule = { security_group_id: group.id, direction: "ingress" };
    await user.demand("network", "POST", "/v2.0/security-group-rules", { security_group_rule: rule });
    const rules = await user.list("network", `/v2.0/security-group-rules?security_group_id=${group.id}`, "security_group_rules");
    expect(rules.map(({ direction, description }) => [direction, description]).sort()).toEqual([
      ["egress", null],
      ["egress", null],
      ["ingress", ""],
    ]);
  });

  it("of the volume service", async () => {
    const { user } = await open();
    const { volume } = await user.demand("volumev3", "POST", "/volumes", { volume: { name: "v", size: 1, metadata: { a: "b" } } });
    const listed = async () => (await user.list("volumev3", "/volumes/detail", "volumes"))[0];
    await expect.poll(async () => (await listed()).status, { timeout: 60_000 }).toBe("available");
    expect(fields(await listed())).toEqual(sorted(VOLUME));
    expect(await listed()).toMatchObject({ bootable: "false", volume_type: "__DEFAULT__", availability_zone: "nova", description: null });
    expect((await listed()).created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
    const { snapshot } = await user.demand("volumev3", "POST", "/snapshots", { snapshot: { volume_id: volume.id, name: "s" } });
    const [shown] = await user.list("volumev3", "/snapshots/detail", "snapshots");
    expect([shown.name, shown.size, shown.volume_id]).toEqual(["s", 1, volume.id]);
    const kept = await user.request("volumev3", "DELETE", `/volumes/${volume.id}`);
    expect([kept.status, kept.json.badRequest.message]).toEqual([400, expect.stringContaining("have snapshots")]);
    await expect
      .poll(async () => (await user.request("volumev3", "DELETE", `/snapshots/${snapshot.id}`)).status, { timeout: 60_000 })
      .not.toBe(400);
  });

  it("of the compute service", async () => {
    const { user } = await open();
    const [flavor] = await user.list("compute", "/flavors/detail", "flavors");
    const [image] = await user.list("compute", "/images/detail", "images");
    expect([fields(flavor), fields(image)]).toEqual([sorted(FLAVOR), sorted(IMAGE)]);
    const { keypair } = await user.demand("compute", "POST", "/os-keypairs", { keypair: { name: "k" } });
    expect(fields(keypair)).toEqual(sorted("fingerprint name private_key public_key user_id"));
    const [{ keypair: listed }] = (await user.demand("compute", "GET", "/os-keypairs")).keypairs;
    expect(fields(listed)).toEqual(sorted("fingerprint name public_key"));

    const { server_group: group } = await user.demand("compute", "POST", "/os-server-groups", {
      server_group: { name: "g", policies: ["affinity"] },
    });
    expect(fields(group)).toEqual(sorted("id members metadata name policies"));
    const { json } = await user.request("compute", "GET", `/os-server-groups/${group.id}`, undefined, "2.64");
    expect(fields(json.server_group)).toEqual(sorted("id members name policy project_id rules user_id"));

    const server = await madeServer(user, { imageRef: image.id, flavorRef: flavor.id, key_name: "k" });
    await expect.poll(async () => (await shown(user, server.id)).status, { timeout: 60_000 }).toBe("ACTIVE");
    expect(fields(await shown(user, server.id))).toEqual(sorted(SERVER));
  });
});

async function madeServer(user: Session, wanted: object) {
  const { network } = await user.demand("network", "POST", "/v2.0/networks", { network: { name: "n" } });
  await user.demand("network", "POST", "/v2.0/subnets", { subnet: { network_id: network.id, ip_version: 4, cidr: "192.0.2.0/24" } });
  const body = { server: { name: "s", networks: [{ uuid: network.id }], metadata: { a: "b" }, ...wanted } };
  const { server } = await user.demand("compute", "POST", "/servers", body);
  expect(fields(server)).toEqual(sorted("OS-DCF:diskConfig adminPass id links security_groups"));
  return server;
}

async function shown(user: Session, id: string) {
  return (await user.demand("compute", "GET", `/servers/${id}`)).server;
}

function fields(object: object): string[] {
  return Object.keys(object).sort();
}

function sorted(words: string): string[] {
  return words.split(" ").sort();
}
