import { expect, it } from "vitest";
import { type Answer, lab, login } from "../support.js";

const refused = ({ status, json }: Answer): string => `${status} ${json.NeutronError.type}`;

it("subnet pools merge their prefixes, assign subnets, and refuse like the real service", async () => {
  const { lab: cloud } = await lab();
  const [demo, other] = [await login(cloud), await login(cloud, "other")];
  const make = (more: object) => demo.network("POST", "/subnetpools", { subnetpool: { name: "p", ...more } });
  const wrong: readonly (readonly [object, string])[] = [
    [{}, "400 HTTPBadRequest"],
    [{ prefixes: [] }, "400 EmptySubnetPoolPrefixList"],
    [{ prefixes: ["10.0.0.0/8", "fd00::/48"] }, "400 PrefixVersionMismatch"],
    [{ prefixes: ["10.0.0.0"] }, "400 HTTPBadRequest"],
    [{ prefixes: ["10.9.0.0/24", "10.9.0.0/24"] }, "400 HTTPBadRequest"],
    [{ prefixes: ["10.0.0.0/24"], shared: true }, "403 PolicyNotAuthorized"],
    [{ prefixes: ["10.0.0.0/24"], min_prefixlen: 28, max_prefixlen: 26 }, "400 IllegalSubnetPoolPrefixBounds"],
    [{ prefixes: ["10.0.0.0/24"], max_prefixlen: 40 }, "400 IllegalSubnetPoolPrefixBounds"],
    [{ prefixes: ["10.0.0.0/24"], default_prefixlen: 4 }, "400 IllegalSubnetPoolPrefixBounds"],
  ];
  for (const [more, words] of wrong) expect(refused(await make(more)), JSON.stringify(more)).toBe(words);
  const { id } = (await make({ prefixes: ["10.77.1.0/24", "10.77.0.7/24"], default_prefixlen: 26 })).json.subnetpool;
  expect((await make({ prefixes: ["fd12:3456::/48"] })).json.subnetpool).toMatchObject({ ip_version: 6, min_prefixlen: "64" });
  const shown = async () => (await demo.network("GET", `/subnetpools/${id}`)).json.subnetpool;
  expect(await shown()).toMatchObject({ prefixes: ["10.77.0.0/23"], default_prefixlen: "26", max_prefixlen: "32", shared: false });
  const put = (more: object) => demo.network("PUT", `/subnetpools/${id}`, { subnetpool: more });
  expect(refused(await put({ prefixes: ["10.77.0.0/24"] }))).toBe("400 IllegalSubnetPoolPrefixUpdate");
  expect(refused(await put({ default_quota: -1 }))).toBe("400 HTTPBadRequest");
  const act = (action: string, prefixes?: string[]) => demo.network("PUT", `/subnetpools/${id}/${action}`, { prefixes });
  expect((await act("add_prefixes", ["10.77.8.0/24"])).json.prefixes).toEqual(["10.77.0.0/23", "10.77.8.0/24"]);
  expect((await act("remove_prefixes", ["10.77.8.0/25"])).json.prefixes).toEqual(["10.77.0.0/23", "10.77.8.128/25"]);
  expect(refused(await act("remove_prefixes"))).toBe("400 HTTPBadRequest");
  expect(refused(await other.network("PUT", `/subnetpools/${id}/add_prefixes`, { prefixes: ["10.0.0.0/8"] }))).toBe(
    "404 SubnetPoolNotFound",
  );

  const { network } = (await demo.network("POST", "/networks", { network: { name: "n" } })).json;
  const cut = (more: object) =>
    demo.network("POST", "/subnets", { subnet: { network_id: network.id, ip_version: 4, subnetpool_id: id, ...more } });
  // The smallest free network comes first.
  expect((await cut({})).json.subnet).toMatchObject({ cidr: "10.77.8.128/26", subnetpool_id: id });
  expect((await cut({ gateway_ip: null })).json.subnet).toMatchObject({ cidr: "10.77.8.192/26", gateway_ip: "10.77.8.193" });
  expect((await cut({ cidr: "10.77.1.0/25" })).json.subnet.cidr).toBe("10.77.1.0/25");
  const uncut: readonly (readonly [object, string])[] = [
    [{ cidr: "10.77.1.0/26" }, "500 SubnetAllocationError"],
    [{ cidr: "192.0.2.0/24" }, "500 SubnetAllocationError"],
    [{ prefixlen: 20 }, "500 SubnetAllocationError"],
    [{ prefixlen: 4 }, "400 MinPrefixSubnetAllocationError"],
    [{ prefixlen: 33 }, "400 AddrFormatError"],
    [{ prefixlen: 26, cidr: "10.77.0.0/26" }, "400 BadRequest"],
    [{ ip_version: 6 }, "400 BadRequest"],
    [{ allocation_pools: [{ start: "10.77.0.70", end: "10.77.0.80" }] }, "400 BadRequest"],
    [{ subnetpool_id: "7a0f1d11-1111-4111-8111-111111111111" }, "404 SubnetPoolNotFound"],
    [{ subnetpool_id: null, cidr: "192.0.2.0/24" }, "400 NetworkSubnetPoolAffinityError"],
  ];
  for (const [more, words] of uncut) expect(refused(await cut(more)), JSON.stringify(more)).toBe(words);
  await put({ default_quota: 256 });
  expect(refused(await cut({ prefixlen: 26 }))).toBe("409 SubnetPoolQuotaExceeded");
  expect(refused(await act("remove_prefixes", ["10.77.1.0/24"]))).toBe("400 IllegalSubnetPoolPrefixUpdate");
  expect(refused(await demo.network("DELETE", `/subnetpools/${id}`))).toBe("400 SubnetPoolDeleteError");
  await demo.network("DELETE", `/networks/${network.id}`);
  expect((await demo.network("DELETE", `/subnetpools/${id}`)).status).toBe(204);
});
