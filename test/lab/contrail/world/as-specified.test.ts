import { expect, it } from "vitest";
import type { ContrailLabOptions } from "../../../../src/lab/contrail/start.js";
import { call, networkDocument, startLab } from "../support.js";

/** Those of the specification, in its order. */
const FIELDS = [
  ...["fq_name", "href", "uuid", "name", "parent_type", "parent_uuid", "parent_href", "id_perms", "is_shared", "router_external"],
  ...["route_target_list", "virtual_network_properties", "network_ipam_refs", "network_policy_refs", "instance_ip_back_refs"],
  ...["virtual_machine_interface_back_refs", "routing_instances"],
];
const NUMBERS = {
  forwarding_mode: "l2_l3",
  network_id: expect.anything(),
  vxlan_network_identifier: null,
  extend_to_external_routers: null,
};

async function read(options: ContrailLabOptions, more = {}, query = "") {
  const lab = await startLab(options);
  await call(lab, "POST", "/projects", { project: { fq_name: ["default-domain", "demo"], parent_type: "domain" } });
  await call(lab, "POST", "/network-policys", {
    "network-policy": { fq_name: ["default-domain", "demo", "p"], parent_type: "project" },
  });
  const document = { ...networkDocument("blue", "10.1.0.0/24"), ...more };
  const made = await call(lab, "POST", "/virtual-networks", { "virtual-network": document });
  const { uuid } = made.json["virtual-network"] as { uuid: string };
  return (await call(lab, "GET", `/virtual-network/${uuid}${query}`)).json["virtual-network"] as Record<string, unknown>;
}

it("a bare network has every field of the specification if so configured", async () => {
  const network = await read({ networkFields: "specification" });
  expect(Object.keys(network)).toEqual(expect.arrayContaining(FIELDS));
  expect(network).toMatchObject({
    is_shared: false,
    router_external: false,
    route_target_list: { route_target: [] },
    virtual_network_properties: NUMBERS,
    network_policy_refs: [],
    instance_ip_back_refs: [],
  });
});

it("given fields are added", async () => {
  const attr = { sequence: { major: 0, minor: 1 } };
  const given = {
    router_external: true,
    virtual_network_properties: { forwarding_mode: "l3" },
    network_policy_refs: [{ to: ["default-domain", "demo", "p"], attr }],
  };
  const network = await read({ networkFields: "specification" }, given);
  expect(network).toMatchObject({
    router_external: true,
    virtual_network_properties: { ...NUMBERS, forwarding_mode: "l3" },
    network_policy_refs: [{ attr: { ...attr, timer: null }, href: expect.any(String) }],
  });
});

it("chosen fields stay chosen, and by default a network has the given ones", async () => {
  const chosen = await read({ networkFields: "specification" }, {}, "?fields=is_shared");
  const recorded = await read({});
  for (const network of [chosen, recorded]) expect(Object.keys(network)).not.toContain("route_target_list");
});
