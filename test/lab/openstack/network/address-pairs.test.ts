import { expect, it } from "vitest";
import { lab, login } from "../support.js";

it("address pairs and fixed addresses are stored, sorted, completed and refused like on the real service", async () => {
  const { lab: cloud } = await lab();
  const demo = await login(cloud);
  const { network } = (await demo.network("POST", "/networks", { network: { name: "n" } })).json;
  const { subnet } = (await demo.network("POST", "/subnets", { subnet: { network_id: network.id, ip_version: 4, cidr: "10.2.0.0/24" } }))
    .json;
  const { port } = (await demo.network("POST", "/ports", { port: { network_id: network.id } })).json;
  const put = async (body: object) => (await demo.network("PUT", `/ports/${port.id}`, { port: body })).json;
  const pairs = async (...allowed_address_pairs: object[]) => {
    const { port: changed, NeutronError } = await put({ allowed_address_pairs });
    return NeutronError?.type ?? changed.allowed_address_pairs;
  };
  const other = { ip_address: "10.2.0.99", mac_address: "00:11:22:33:44:55" };
  expect(await pairs({ ip_address: "10.2.0.99" }, other)).toEqual([other, { ip_address: "10.2.0.99", mac_address: port.mac_address }]);
  expect(await pairs({ ip_address: "10.2.0.7/24" })).toEqual([{ ip_address: "10.2.0.7/24", mac_address: port.mac_address }]);
  expect(await pairs(other, other)).toBe("DuplicateAddressPairInRequest");
  expect(await pairs({ mac_address: "00:11:22:33:44:55" })).toBe("AllowedAddressPairsMissingIP");
  expect(await pairs({ ip_address: "banana" })).toBe("HTTPBadRequest");
  expect(await pairs({ ip_address: "10.2.0.9", other: "x" })).toBe("HTTPBadRequest");
  expect(await pairs(...Array.from({ length: 11 }, (_, at) => ({ ip_address: `10.2.0.${at + 1}` })))).toBe("AllowedAddressPairExhausted");
  expect((await put({ port_security_enabled: false, security_groups: [] })).NeutronError.type).toBe("AddressPairAndPortSecurityRequired");
  expect((await put({ allowed_address_pairs: null })).port.allowed_address_pairs).toEqual([]);
  await put({ port_security_enabled: false, security_groups: [] });
  expect(await pairs(other)).toBe("AddressPairAndPortSecurityRequired");

  const ips = async (...rows: object[]) => {
    const { port: changed, NeutronError } = await put({ fixed_ips: rows });
    return NeutronError?.type ?? changed.fixed_ips.map((each: { ip_address: string }) => each.ip_address);
  };
  const any = { subnet_id: subnet.id };
  expect(await ips(any, any, any)).toContain(port.fixed_ips[0].ip_address);
  expect(await ips({ ...any, ip_address: "10.2.0.42" }, { ip_address: "10.2.0.41" })).toEqual(["10.2.0.41", "10.2.0.42"]);
  expect(await ips({ ip_address: "10.2.0.41" }, { ip_address: "10.2.0.41" })).toBe("HTTPBadRequest");
});
