import { expect, it } from "vitest";
import { type Answer, lab, login } from "../support.js";

const outcome = ({ status, json }: Answer): string => `${status} ${json.NeutronError?.type ?? ""}`.trim();

async function onNetwork() {
  const { lab: cloud } = await lab();
  const demo = await login(cloud);
  const { network } = (await demo.network("POST", "/networks", { network: { name: "n" } })).json;
  await demo.network("POST", "/subnets", { subnet: { network_id: network.id, ip_version: 4, cidr: "10.2.0.0/24" } });
  const make = (more: object) => demo.network("POST", "/ports", { port: { network_id: network.id, ...more } });
  return { demo, network, make };
}

it("MAC addresses are accepted and kept in several notations, and only administrators change them", async () => {
  const { demo, make } = await onNetwork();
  for (const mac_address of ["FA:16:3E:00:00:0A", "fa-16-3e-00-00-01", "fa:16:3e", "fa163e000002", "1:2:3:4:5:6"])
    expect((await make({ mac_address })).json.port.mac_address).toBe(mac_address);
  for (const mac_address of ["00:00:00:00:00:00", "fa:16", "x"]) expect(outcome(await make({ mac_address }))).toBe("400 HTTPBadRequest");
  const { port } = (await make({ mac_address: null })).json;
  expect(port.mac_address).toMatch(/^fa:16:3e:/);
  expect(outcome(await demo.network("PUT", `/ports/${port.id}`, { port: { mac_address: "fa-16-3e-00-00-03" } }))).toBe(
    "403 PolicyNotAuthorized",
  );
});

it("DHCP options have a version, and an update keeps the options that it does not name", async () => {
  const { demo, make } = await onNetwork();
  const mtu = { opt_name: "mtu", opt_value: "1400" };
  const { port } = (await make({ extra_dhcp_opts: [mtu, { opt_name: "router", opt_value: "" }] })).json;
  const router = { opt_name: "router", opt_value: "", ip_version: 4 };
  expect(port.extra_dhcp_opts).toEqual([{ ...mtu, ip_version: 4 }, router]);
  const change = async (extra_dhcp_opts: object[]) => {
    const answer = await demo.network("PUT", `/ports/${port.id}`, { port: { extra_dhcp_opts } });
    return answer.json.port?.extra_dhcp_opts ?? outcome(answer);
  };
  expect(await change([{ ...mtu, ip_version: "6" }])).toEqual([{ ...mtu, ip_version: 4 }, router, { ...mtu, ip_version: 6 }]);
  expect(await change([{ opt_name: "mtu", opt_value: null }])).toEqual([router, { ...mtu, ip_version: 6 }]);
  for (const bad of [{ ...mtu, opt_value: "" }, { ...mtu, ip_version: 5 }, { opt_name: "mtu" }, { ...mtu, x: 1 }])
    expect(await change([bad])).toBe("400 InvalidInput");
});

it("fixed addresses need an address or a subnet, and unknown keys are ignored", async () => {
  const { make } = await onNetwork();
  for (const entry of [{}, { x: 1 }]) expect(outcome(await make({ fixed_ips: [entry] }))).toBe("400 InvalidInput");
  expect((await make({ fixed_ips: [{ ip_address: "10.2.0.9", x: 1 }] })).json.port.fixed_ips).toMatchObject([{ ip_address: "10.2.0.9" }]);
});

it("some fields are no filters, and a gateway has only known keys", async () => {
  const { demo } = await onNetwork();
  for (const query of ["/routers?status=ACTIVE", "/security-groups?stateful=true", "/address-groups?addresses=10.0.0.0/8"])
    expect(outcome(await demo.network("GET", query))).toBe("400 HTTPBadRequest");
  const [external] = (await demo.network("GET", "/networks?router:external=true")).json.networks;
  for (const external_gateway_info of [{ network_id: external.id, x: 1 }, { enable_snat: true }, "x"])
    expect(outcome(await demo.network("POST", "/routers", { router: { external_gateway_info } }))).toBe("400 HTTPBadRequest");
});

it("the network of a subnet is completed, and an empty list of pools is the default", async () => {
  const { demo, network } = await onNetwork();
  const make = (more: object) => demo.network("POST", "/subnets", { subnet: { network_id: network.id, ip_version: 4, ...more } });
  const { subnet } = (await make({ cidr: "10.30.0/24", allocation_pools: [] })).json;
  expect(subnet).toMatchObject({ cidr: "10.30.0.0/24", allocation_pools: [{ start: "10.30.0.2", end: "10.30.0.254" }] });
  for (const cidr of ["10.31.0.0", "10.31.0.0/33", "x"]) expect(outcome(await make({ cidr }))).toBe("400 InvalidInput");
  expect(outcome(await make({ cidr: null }))).toBe("500 HTTPInternalServerError");
});

it("stateful and stateless security groups are refused on one port", async () => {
  const { demo, make } = await onNetwork();
  const group = async (stateful: boolean) =>
    (await demo.network("POST", "/security-groups", { security_group: { name: "g", stateful } })).json.security_group.id;
  const [stateful, stateless] = [await group(true), await group(false)];
  const refused = await make({ security_groups: [stateless, stateful] });
  expect(outcome(refused)).toBe("409 SecurityGroupConflict");
  expect(refused.json.NeutronError.message).toMatch(/^Error Cannot apply both .* at the same time while attempting the operation\.$/);
  const { port } = (await make({ security_groups: [stateful] })).json;
  const change = { port: { security_groups: [stateful, stateless] } };
  expect(outcome(await demo.network("PUT", `/ports/${port.id}`, change))).toBe("409 SecurityGroupConflict");
  expect((await make({ security_groups: [stateless] })).status).toBe(201);
});
