import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome.js";
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
  it("is made, found in sync, watched, healed and pruned", async () => {
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
