import { expect, it } from "vitest";
import { type Answer, lab, login } from "../support.js";

const refused = ({ status, json }: Answer): string => `${status} ${json.NeutronError.type}`;

it("address groups have names and networks, no tags, and cannot be deleted while a rule references them", async () => {
  const { lab: cloud } = await lab();
  const [demo, other] = [await login(cloud), await login(cloud, "other")];
  const make = (more: object) => demo.network("POST", "/address-groups", { address_group: { name: "ag", ...more } });
  const { status, json } = await make({ description: "d", addresses: ["10.0.0.0/24", "192.0.2.7/32"] });
  const { id, ...rest } = json.address_group;
  const ours = { tenant_id: demo.projectId, project_id: demo.projectId };
  expect([status, rest]).toEqual([201, { name: "ag", description: "d", addresses: ["10.0.0.0/24", "192.0.2.7/32"], ...ours }]);
  expect(refused(await make({ addresses: ["10.0.0.7"] }))).toBe("400 HTTPBadRequest");
  const put = (path: string, body: object) => demo.network("PUT", `/address-groups/${id}${path}`, body);
  expect(refused(await put("", { address_group: { addresses: [] } }))).toBe("400 HTTPBadRequest");
  expect(refused(await put("/tags", { tags: ["a"] }))).toBe("404 HTTPNotFound");
  expect((await put("", { address_group: { name: "renamed" } })).json.address_group.name).toBe("renamed");
  expect(refused(await put("/add_addresses", { addresses: ["10.0.3.0/24", "10.0.0.0/24"] }))).toBe("400 AddressesAlreadyExist");
  expect((await put("/add_addresses", { addresses: ["10.0.9.7/24", "10.5.5.5"] })).json.address_group.addresses).toContain("10.5.5.5/32");
  expect(refused(await put("/add_addresses", { addresses: ["banana"] }))).toBe("400 AddrFormatError");
  expect(refused(await put("/remove_addresses", { addresses: ["10.7.0.0/24"] }))).toBe("404 AddressesNotFound");
  expect((await put("/remove_addresses", { addresses: ["10.5.5.5/32"] })).json.address_group.addresses).not.toContain("10.5.5.5/32");
  expect(refused(await other.network("GET", `/address-groups/${id}`))).toBe("404 AddressGroupNotFound");
  const { security_group: group } = (await demo.network("POST", "/security-groups", { security_group: { name: "sg" } })).json;
  const rule = (more: object) => {
    const said = { security_group_id: group.id, direction: "ingress", remote_address_group_id: id, ...more };
    return demo.network("POST", "/security-group-rules", { security_group_rule: said });
  };
  expect(refused(await rule({ remote_address_group_id: "7a0f1d11-1111-4111-8111-111111111111" }))).toBe("404 AddressGroupNotFound");
  expect(refused(await rule({ remote_ip_prefix: "10.0.0.0/8" }))).toBe("400 SecurityGroupMultipleRemoteEntites");
  expect((await rule({})).json.security_group_rule.remote_address_group_id).toBe(id);
  expect(refused(await rule({}))).toBe("409 SecurityGroupRuleExists");
  expect(refused(await demo.network("DELETE", `/address-groups/${id}`))).toBe("409 AddressGroupInUse");
  await demo.network("DELETE", `/security-groups/${group.id}`);
  expect((await demo.network("DELETE", `/address-groups/${id}`)).status).toBe(204);
});
