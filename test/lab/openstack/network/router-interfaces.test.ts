import { expect, it } from "vitest";
import { type Answer, lab, login } from "../support.js";

const refused = ({ status, json }: Answer): string => `${status} ${json.NeutronError.type}: ${json.NeutronError.message}`;

it("an interface by a port keeps the port's address, is one of its subnet, and is deleted with the port", async () => {
  const { lab: cloud } = await lab();
  const demo = await login(cloud);
  const { network } = (await demo.network("POST", "/networks", { network: { name: "n" } })).json;
  const { subnet } = (await demo.network("POST", "/subnets", { subnet: { network_id: network.id, ip_version: 4, cidr: "10.3.0.0/24" } }))
    .json;
  const { router } = (await demo.network("POST", "/routers", { router: { name: "r" } })).json;
  const port = async (more: object): Promise<string> =>
    (await demo.network("POST", "/ports", { port: { network_id: network.id, ...more } })).json.port.id;
  const fixed = (...addresses: string[]) => ({ fixed_ips: addresses.map((ip_address) => ({ ip_address })) });
  const add = (body: object) => demo.network("PUT", `/routers/${router.id}/add_router_interface`, body);
  const gate = await port(fixed("10.3.0.254"));
  expect(refused(await add({ port_id: await port({ fixed_ips: [] }) }))).toContain("Router port must have at least one fixed IP.");
  expect(refused(await add({ port_id: await port(fixed("10.3.0.8", "10.3.0.9")) }))).toContain(
    "Cannot have multiple IPv4 subnets on router port.",
  );
  expect(refused(await add({ port_id: await port({ device_id: "x", device_owner: "compute:a" }) }))).toMatch(/^409 PortInUse/);
  expect(refused(await add({ port_id: gate, subnet_id: subnet.id }))).toContain("Cannot specify both subnet-id and port-id.");
  expect((await add({ port_id: gate })).json).toMatchObject({ port_id: gate, subnet_ids: [subnet.id] });
  expect(refused(await add({ port_id: gate }))).toMatch(/^409 PortInUse/);
  expect(refused(await add({ subnet_id: subnet.id }))).toContain("Router already has a port on subnet");
  expect(refused(await demo.network("PUT", `/ports/${gate}`, { port: fixed("10.3.0.253") }))).toContain(
    `IP updates for port ${gate} are not allowed.`,
  );
  expect(refused(await demo.network("DELETE", `/ports/${gate}`))).toMatch(/^409 ServicePortInUse/);
  expect((await demo.network("PUT", `/routers/${router.id}/remove_router_interface`, { port_id: gate })).status).toBe(200);
  expect((await demo.network("GET", `/ports/${gate}`)).status).toBe(404);
});
