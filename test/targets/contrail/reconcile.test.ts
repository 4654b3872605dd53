import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json/value.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { ControllerWorld } from "./world.js";

const BLUE = "default-domain:demo:blue";
const IPAM = "default-domain:default-project:default-network-ipam";

const FABRIC = `
network-policys:
  default-domain:demo:web-to-db:
    network_policy_entries:
      policy_rule:
        - direction: <>
          protocol: tcp
          src_addresses: [{ virtual_network: "${BLUE}" }]
          src_ports: [{ start_port: -1, end_port: -1 }]
          dst_addresses: [{ virtual_network: "default-domain:demo:green" }]
          dst_ports: [{ start_port: 5432, end_port: 5432 }]
          action_list: { simple_action: pass }
        - direction: <>
          protocol: any
          src_addresses: [{ virtual_network: any }]
          src_ports: [{ start_port: -1, end_port: -1 }]
          dst_addresses: [{ virtual_network: any }]
          dst_ports: [{ start_port: -1, end_port: -1 }]
          action_list: { simple_action: deny }
virtual-networks:
  ${BLUE}:
    router_external: true
    virtual_network_properties: { forwarding_mode: l2_l3, rpf: disable }
    route_target_list: { route_target: ["target:64512:100", "target:64512:200"] }
    network_ipam_refs:
      ${IPAM}:
        ipam_subnets:
          10.1.0.0/24: { default_gateway: 10.1.0.1, enable_dhcp: false, allocation_pools: [{ start: 10.1.0.10, end: 10.1.0.20 }] }
          10.2.0.0/24: {}
    network_policy_refs:
      default-domain:demo:web-to-db: { sequence: { major: 0, minor: 0 } }
  default-domain:demo:green:
    network_ipam_refs: { ${IPAM}: { ipam_subnets: { 10.3.0.0/24: {} } } }
`;

describe("a controller from documents", () => {
  it("is created, found in sync, watched, healed and pruned", async () => {
    const world = await ControllerWorld.start();
    world.want(FABRIC);
    const first = await world.plan();
    expect(first.error).toBeUndefined();
    expect(first.plan?.refusals).toEqual([]);
    expect(exitCode([first])).toBe(2);
    expect(world.writes()).toEqual([]);

    const applied = await world.reconcile();
    expect(applied.error).toBeUndefined();
    expect(exitCode([applied])).toBe(0);
    expect(world.writes()).toEqual(["POST /network-policys", "POST /virtual-networks", "POST /virtual-networks"]);
    const blue = world.object("virtual-network", BLUE);
    expect(blue?.properties.annotations).toEqual({
      key_value_pair: [
        { key: "plumbline_owner", value: "netops" },
        { key: "plumbline_key", value: BLUE },
      ],
    });

    const second = await world.plan();
    expect(second.plan?.changes).toEqual([]);
    expect(exitCode([second])).toBe(0);
    const since = world.lab.journal.length;
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.writes(since)).toEqual([]);
  });
});

describe("manual drift", () => {
  it("is reported with its time, healed with the fewest requests, and removed objects are pruned", async () => {
    const world = await ControllerWorld.start();
    await world.reconciled(FABRIC);
    const { store } = world.lab.world;
    const blue = store.named("virtual-network", BLUE.split(":"));
    world.lab.world.update("virtual-network", blue?.uuid ?? "", { router_external: false, display_name: "renamed by hand" });
    const ids = subnetIdsOf(world, BLUE);

    const drifted = await world.drift();
    expect(exitCode([drifted])).toBe(2);
    expect(drifted.drift?.items.map(({ change, attribution }) => [change.kind, change.path.toString(), attribution?.admin])).toEqual([
      ["differs", `/contrail/virtual-networks/entry[@name='${BLUE}']/router_external`, "unknown"],
    ]);
    expect(drifted.drift?.items[0]?.attribution?.time).toMatch(/^\.\.\/\d{4}-\d\d-\d\dT/);

    const since = world.lab.journal.length;
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.writes(since)).toEqual(["PUT /virtual-network/UUID"]);
    expect(world.lab.journal.slice(since).find(({ method }) => method === "PUT")?.body).toBe(
      '{"virtual-network": {"router_external": true}}',
    );
    expect(subnetIdsOf(world, BLUE)).toEqual(ids);

    const before = world.lab.journal.length;
    await world.reconciled(
      `virtual-networks:\n  default-domain:demo:green:\n    network_ipam_refs: { ${IPAM}: { ipam_subnets: { 10.3.0.0/24: {} } } }`,
    );
    expect(world.writes(before)).toEqual(["DELETE /virtual-network/UUID", "DELETE /network-policy/UUID"]);
    expect(world.object("virtual-network", BLUE)).toBeUndefined();
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});

function subnetIdsOf(world: ControllerWorld, name: string): Record<string, string> {
  const references = world.object("virtual-network", name)?.references.get("network_ipam_refs") ?? [];
  const subnets = references.flatMap(
    ({ attr }) => (attr as { ipam_subnets: { subnet: { ip_prefix: string }; subnet_uuid: string }[] }).ipam_subnets,
  );
  return Object.fromEntries(subnets.map(({ subnet, subnet_uuid }) => [subnet.ip_prefix, subnet_uuid]));
}

describe("manually deleted objects", () => {
  it("are created again: a network, all its subnets, a policy", async () => {
    const world = await ControllerWorld.start();
    await world.reconciled(FABRIC);
    const blue = (): string => world.object("virtual-network", BLUE)?.uuid ?? "";
    const uuid = blue();
    for (const take of [
      () => world.lab.world.update("virtual-network", blue(), { network_ipam_refs: [] }),
      () => world.lab.world.update("virtual-network", blue(), { network_policy_refs: [] }),
      () => world.lab.world.update("virtual-network", blue(), { route_target_list: null, virtual_network_properties: null }),
      () => world.lab.world.delete("virtual-network", blue()),
    ]) {
      take();
      expect(exitCode([await world.drift()])).toBe(2);
      const healed = await world.reconcile();
      expect(healed.plan?.refusals).toEqual([]);
      expect(exitCode([healed])).toBe(0);
      expect((await world.plan()).plan?.changes).toEqual([]);
    }
    expect(blue()).toBe(uuid);
  });
});

describe("single changes", () => {
  const network = (body: string): string => `virtual-networks:\n  ${BLUE}:\n${body.replaceAll(/^/gm, "    ")}`;
  const subnets = (...lines: string[]): string =>
    network(`network_ipam_refs:\n  ${IPAM}:\n    ipam_subnets:\n${lines.map((line) => `      ${line}`).join("\n")}`);

  it("of subnets keep every subnet_uuid: added, changed, removed", async () => {
    const world = await ControllerWorld.start();
    await world.reconciled(subnets("10.1.0.0/24: {}", "10.2.0.0/24: {}"));
    const ids = subnetIdsOf(world, BLUE);
    await world.reconciled(
      subnets("10.1.0.0/24: { enable_dhcp: false, dns_nameservers: [9.9.9.9] }", "10.2.0.0/24: {}", "10.3.0.0/24: {}"),
    );
    expect(subnetIdsOf(world, BLUE)).toMatchObject(ids);
    expect(Object.keys(subnetIdsOf(world, BLUE)).length).toBe(3);
    const since = world.lab.journal.length;
    await world.reconciled(subnets("10.2.0.0/24: {}", "10.3.0.0/24: { enable_dhcp: false }"));
    expect(world.writes(since)).toEqual(["PUT /virtual-network/UUID"]);
    expect(Object.keys(subnetIdsOf(world, BLUE))).toEqual(["10.2.0.0", "10.3.0.0"]);
    expect(subnetIdsOf(world, BLUE)["10.2.0.0"]).toBe(ids["10.2.0.0"]);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("of a subnet in use are refused with the controller's text, and the rest stays", async () => {
    const world = await ControllerWorld.start();
    await world.reconciled(subnets("10.1.0.0/24: {}", "10.2.0.0/24: {}"));
    world.lab.world.create("instance-ip", {
      fq_name: ["ip"],
      instance_ip_address: "10.1.0.9",
      virtual_network_refs: [{ to: BLUE.split(":"), attr: null }],
    });
    world.want(`${subnets("10.2.0.0/24: {}")}\n  default-domain:demo:green: {}`);
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "partly-applied", severity: "partial" });
    expect(outcome.error?.message).toContain("10.1.0.9");
    expect(exitCode([outcome])).toBe(4);
    expect(world.object("virtual-network", "default-domain:demo:green")).toBeDefined();
  });

  it("of a gateway are reported as impossible, and with $replace recreate the subnet", async () => {
    const world = await ControllerWorld.start();
    await world.reconciled(subnets("10.1.0.0/24: { default_gateway: 10.1.0.1 }", "10.2.0.0/24: {}"));
    const ids = subnetIdsOf(world, BLUE);
    world.want(subnets("10.1.0.0/24: { default_gateway: 10.1.0.2 }", "10.2.0.0/24: {}"));
    const refused = await world.plan();
    expect(exitCode([refused])).toBe(3);
    expect(refused.plan?.refusals[0]).toMatchObject({ guard: "replace", message: expect.stringContaining("default_gateway") });
    await world.reconciled(subnets("10.1.0.0/24: { $replace: true, default_gateway: 10.1.0.2 }", "10.2.0.0/24: {}"));
    expect(subnetIdsOf(world, BLUE)["10.1.0.0"]).not.toBe(ids["10.1.0.0"]);
    expect(subnetIdsOf(world, BLUE)["10.2.0.0"]).toBe(ids["10.2.0.0"]);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("of references to policies and of annotations are single calls that keep those of others", async () => {
    const world = await ControllerWorld.start();
    const policy = (name: string): string => `network-policys: { "default-domain:demo:${name}": {} }\n`;
    await world.reconciled(
      policy("a") +
        network("network_policy_refs: { default-domain:demo:a: {} }\nannotations: { key_value_pair: { team: { value: red } } }"),
    );
    const since = world.lab.journal.length;
    await world.reconciled(
      policy("a") +
        network(
          "network_policy_refs: { default-domain:demo:a: { sequence: { major: 2 } } }\nannotations: { key_value_pair: { team: { value: blue } } }",
        ),
    );
    expect(world.writes(since).sort()).toEqual(["POST /prop-collection-update", "POST /ref-update"]);
    expect(world.object("virtual-network", BLUE)?.references.get("network_policy_refs")?.[0]?.attr).toMatchObject({
      sequence: { major: 2, minor: 0 },
    });
    const before = world.lab.journal.length;
    await world.reconciled(network("router_external: false"));
    expect(world.writes(before)).toEqual(["POST /ref-update", "DELETE /network-policy/UUID"]);
  });

  it("of the rules of a policy keep their order and their ids", async () => {
    const world = await ControllerWorld.start();
    const rule = (port: number): string =>
      `{ direction: ">", protocol: tcp, src_addresses: [{ virtual_network: any }], src_ports: [{ start_port: -1, end_port: -1 }], dst_addresses: [{ virtual_network: any }], dst_ports: [{ start_port: ${port}, end_port: ${port} }], action_list: { simple_action: pass } }`;
    const policy = (...ports: number[]): string =>
      `network-policys:\n  default-domain:demo:p:\n    network_policy_entries:\n      policy_rule:\n${ports.map((port) => `        - ${rule(port)}`).join("\n")}`;
    const rules = (): Map<number, string> => {
      const entries = world.object("network-policy", "default-domain:demo:p")?.properties.network_policy_entries as unknown as {
        policy_rule: { rule_uuid: string; dst_ports: { start_port: number }[] }[];
      };
      return new Map(entries.policy_rule.map(({ rule_uuid, dst_ports }) => [dst_ports[0]?.start_port ?? 0, rule_uuid]));
    };
    await world.reconciled(policy(22, 80, 443));
    const before = rules();
    const since = world.lab.journal.length;
    await world.reconciled(policy(443, 8080, 22));
    expect(world.writes(since)).toEqual(["PUT /network-policy/UUID"]);
    expect([...rules().keys()]).toEqual([443, 8080, 22]);
    for (const port of [443, 22]) expect(rules().get(port)).toBe(before.get(port));
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});

describe("other objects", () => {
  it("of every kind are created as declared", async () => {
    const world = await ControllerWorld.start();
    const config = `
network-ipams:
  default-domain:demo:flat:
    ipam_subnet_method: flat-subnet
    ipam_subnets: { subnets: { 10.40.0.0/16: { default_gateway: 10.40.0.1 } } }
    network_ipam_mgmt:
      ipam_dns_method: tenant-dns-server
      ipam_dns_server: { tenant_dns_server_address: { ip_address: [9.9.9.9, 1.1.1.1] } }
  default-domain:demo:own: {}
virtual-networks:
  default-domain:demo:six:
    id_perms: { enable: false, description: for the tests }
    annotations: { key_value_pair: { team: { value: red } } }
    mtu: 9000
    port_security_enabled: false
    network_ipam_refs:
      default-domain:demo:own:
        ipam_subnets:
          2001:db8:1::/64:
            addr_from_start: true
            subnet_name: six
            allocation_pools: [{ start: "2001:db8:1::10", end: "2001:db8:1::20" }]
            dhcp_option_list: { dhcp_option: [{ dhcp_option_name: "6", dhcp_option_value: "9.9.9.9" }] }
            host_routes: { route: [{ prefix: "2001:db8:2::/64", next_hop: "2001:db8:1::9" }] }
  default-domain:demo:on-flat:
    virtual_network_properties: { forwarding_mode: l3 }
    network_ipam_refs: { default-domain:demo:flat: {} }`;
    await world.reconciled(config);
    expect(world.writes().slice(0, 2)).toEqual(["POST /network-ipams", "POST /network-ipams"]);
    expect((await world.plan()).plan?.changes).toEqual([]);
    const id = (name: string) => JSON.stringify(world.object("virtual-network", name)?.references.get("network_ipam_refs")?.[0]?.attr);
    const before = id("default-domain:demo:on-flat");
    expect(before).toMatch(/^\{"ipam_subnets":\[\{"subnet_uuid":"[0-9a-f-]{36}"\}\]\}$/);
    await world.reconciled(
      config.replace("enable: false", "enable: true").replace("9.9.9.9, 1.1.1.1", "1.1.1.1").replace("for the tests", "for good"),
    );
    expect(world.object("virtual-network", "default-domain:demo:six")?.properties.id_perms).toMatchObject({
      enable: true,
      description: "for good",
    });
    expect(id("default-domain:demo:on-flat")).toBe(before);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("of the network service are taken over, and each subnet keeps its id", async () => {
    const world = await ControllerWorld.start();
    const project = world.object("project", "default-domain:demo")?.uuid.replaceAll("-", "");
    const call = (resource: string, body: JsonObject) =>
      world.lab.world.neutron?.handle(resource, {
        context: { operation: "CREATE", tenant_id: project ?? "", is_admin: true },
        data: { resource: body },
      }) as JsonObject;
    const network = call("network", { name: "made", tenant_id: project ?? "" });
    call("subnet", {
      name: "s",
      tenant_id: project ?? "",
      network_id: network.id ?? "",
      cidr: "10.7.0.0/24",
      ip_version: 4,
      dns_nameservers: ["9.9.9.9"],
    });
    const made = "default-domain:demo:made";
    const ids = subnetIdsOf(world, made);
    expect(Object.keys(ids)).toEqual(["10.7.0.0"]);
    await world.reconciled(
      `virtual-networks:\n  ${made}:\n    $adopt: true\n    network_ipam_refs: { ${IPAM}: { ipam_subnets: { 10.7.0.0/24: { subnet_name: s, addr_from_start: true, enable_dhcp: false } } } }`,
    );
    expect(subnetIdsOf(world, made)).toEqual(ids);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});

describe("a part of an unmanaged network", () => {
  const policies = `network-policys: { "default-domain:demo:p": {} }\n`;
  const part = `virtual-networks: { "${BLUE}": { $partial: true, network_policy_refs: { default-domain:demo:p: {} } } }\n`;
  const attached = (world: ControllerWorld) => world.object("virtual-network", BLUE)?.references.get("network_policy_refs")?.length ?? 0;

  async function withTheirs(): Promise<ControllerWorld> {
    const world = await ControllerWorld.start();
    world.lab.world.create("network-policy", { fq_name: ["default-domain", "demo", "theirs"] });
    const attr = { sequence: { major: 5, minor: 0 } };
    const network_policy_refs = [{ to: ["default-domain", "demo", "theirs"], attr }];
    world.lab.world.create("virtual-network", { fq_name: BLUE.split(":"), network_policy_refs });
    await world.reconciled(policies + part);
    expect(attached(world)).toBe(2);
    expect(JSON.stringify(world.object("virtual-network", BLUE)?.properties.annotations ?? null)).not.toContain("plumbline");
    return world;
  }

  it("is added and removed, and nothing else of it", async () => {
    const world = await withTheirs();
    await world.reconciled(`${policies}virtual-networks: { "${BLUE}": { $partial: true, router_external: true } }\n`);
    expect(attached(world)).toBe(1);
  });

  it("is removed with its last declaration", async () => {
    const world = await withTheirs();
    await world.reconciled(policies);
    expect(attached(world)).toBe(1);
    expect(world.object("virtual-network", BLUE)).toBeDefined();
  });
});
