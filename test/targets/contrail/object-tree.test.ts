import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../../src/core/json/parse.js";
import { isObject, type Json, type JsonObject } from "../../../src/core/json/value.js";
import { equalNodes } from "../../../src/core/tree/canonical.js";
import { childByTag } from "../../../src/core/tree/lookup.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parseXPath, select } from "../../../src/core/tree/xpath/xpath.js";
import { objectShape } from "../../../src/targets/contrail/collections.js";
import { encode } from "../../../src/targets/contrail/json-tree/encode.js";
import { decodeObject } from "../../../src/targets/contrail/object-tree.js";
import { leaveOut } from "../../left-out.js";

const NETWORK = objectShape("virtual-networks");

/** A network with every field of the specification's table, as a controller of that time shows it. */
const DOCUMENT: JsonObject = {
  fq_name: ["default-domain", "demo", "vn-blue"],
  uuid: "8c84ff8a-30ac-4136-99d9-f0d9662f3eae",
  name: "vn-blue",
  href: "http://127.0.0.1:8095/virtual-network/8c84ff8a-30ac-4136-99d9-f0d9662f3eae",
  parent_type: "project",
  parent_uuid: "df7649a6-3e2c-4982-b0c3-4b5038eef587",
  parent_href: "http://127.0.0.1:8095/project/df7649a6-3e2c-4982-b0c3-4b5038eef587",
  id_perms: {
    created: "2013-09-13T00:26:05.290644",
    last_modified: "2013-09-13T00:47:41.219833",
    description: null,
    enable: true,
    permissions: { owner: "cloud-admin", group: "cloud-admin-group", owner_access: 7, group_access: 7, other_access: 7 },
    uuid: { uuid_mslong: 10125498831222882614n, uuid_lslong: 11086156774262128302n },
  },
  is_shared: true,
  router_external: false,
  route_target_list: { route_target: ["target:64512:100", "target:64512:100"] },
  virtual_network_properties: {
    forwarding_mode: "l2_l3",
    network_id: 4,
    vxlan_network_identifier: null,
    extend_to_external_routers: null,
  },
  network_ipam_refs: [
    {
      to: ["default-domain", "demo", "ipam1"],
      href: "http://127.0.0.1:8095/network-ipam/1",
      uuid: "a01b486e-2c3e-47df-811c-440e59417ed8",
      attr: { ipam_subnets: [{ default_gateway: "10.1.1.254", subnet: { ip_prefix: "10.1.1.0", ip_prefix_len: 24, gw: "10.1.1.254" } }] },
    },
  ],
  network_policy_refs: [
    {
      to: ["default-domain", "demo", "policy1"],
      href: "http://127.0.0.1:8095/network-policy/1",
      uuid: "a5f5b9c1-7b6a-4b3a-9a0a-0a8a9e8a9f6e",
      attr: { sequence: { major: 0, minor: 0 }, timer: null },
    },
  ],
  instance_ip_back_refs: [{ to: ["ip-1"], href: "x", uuid: "1d09875b-5ac2-4d4a-a3b9-b0b1e2d9e8a1", attr: null }],
  virtual_machine_interface_back_refs: [{ to: ["vm", "port"], href: "x", uuid: "1d09875b-5ac2-4d4a-a3b9-b0b1e2d9e8a2", attr: null }],
  routing_instances: [{ to: ["default-domain", "demo", "vn-blue", "vn-blue"], href: "x", uuid: "1d09875b-5ac2-4d4a-a3b9-b0b1e2d9e8a3" }],
};

function textsOf(document: JsonObject, path: string): string[] {
  const entry = decodeObject(document, NETWORK);
  const [found] = select(entry, parseXPath(`/entry/${path}`));
  const node = found?.node;
  return node === undefined ? [] : node.children.length === 0 ? [node.text] : node.children.map((child) => child.name ?? child.text);
}

describe("every field of the specification", () => {
  it.each<[string, string[]]>([
    ["fq_name", ["default-domain", "demo", "vn-blue"]],
    ["uuid", ["8c84ff8a-30ac-4136-99d9-f0d9662f3eae"]],
    ["name", ["vn-blue"]],
    ["parent_type", ["project"]],
    ["parent_uuid", ["df7649a6-3e2c-4982-b0c3-4b5038eef587"]],
    ["id_perms/created", ["2013-09-13T00:26:05.290644"]],
    ["id_perms/last_modified", ["2013-09-13T00:47:41.219833"]],
    ["id_perms/enable", ["true"]],
    ["id_perms/permissions/owner", ["cloud-admin"]],
    ["id_perms/permissions/group", ["cloud-admin-group"]],
    ["id_perms/permissions/owner_access", ["7"]],
    ["id_perms/permissions/group_access", ["7"]],
    ["id_perms/permissions/other_access", ["7"]],
    ["id_perms/uuid/uuid_mslong", ["10125498831222882614"]],
    ["id_perms/uuid/uuid_lslong", ["11086156774262128302"]],
    ["is_shared", ["true"]],
    ["router_external", ["false"]],
    ["route_target_list/route_target", ["target:64512:100"]],
    ["virtual_network_properties/forwarding_mode", ["l2_l3"]],
    ["virtual_network_properties/network_id", ["4"]],
    ["virtual_network_properties/vxlan_network_identifier", []],
    ["virtual_network_properties/extend_to_external_routers", []],
    ["network_ipam_refs", ["default-domain:demo:ipam1"]],
    ["network_ipam_refs/entry/uuid", ["a01b486e-2c3e-47df-811c-440e59417ed8"]],
    ["network_ipam_refs/entry/ipam_subnets", ["10.1.1.0/24"]],
    ["network_ipam_refs/entry/ipam_subnets/entry/default_gateway", ["10.1.1.254"]],
    ["network_ipam_refs/entry/ipam_subnets/entry/subnet/ip_prefix", ["10.1.1.0"]],
    ["network_ipam_refs/entry/ipam_subnets/entry/subnet/ip_prefix_len", ["24"]],
    ["network_ipam_refs/entry/ipam_subnets/entry/subnet/gw", ["10.1.1.254"]],
    ["network_ipam_refs/entry/ipam_subnets/entry/cidr", ["10.1.1.0/24"]],
    ["network_ipam_refs/entry/ipam_subnets/entry/address", ["10.1.1.0"]],
    ["network_ipam_refs/entry/ipam_subnets/entry/prefix-len", ["24"]],
    ["network_policy_refs", ["default-domain:demo:policy1"]],
    ["network_policy_refs/entry/uuid", ["a5f5b9c1-7b6a-4b3a-9a0a-0a8a9e8a9f6e"]],
    ["network_policy_refs/entry/sequence/major", ["0"]],
    ["network_policy_refs/entry/sequence/minor", ["0"]],
    ["network_policy_refs/entry/timer", []],
    ["instance_ip_back_refs", ["ip-1"]],
    ["instance_ip_back_refs/entry/uuid", ["1d09875b-5ac2-4d4a-a3b9-b0b1e2d9e8a1"]],
    ["virtual_machine_interface_back_refs", ["vm:port"]],
    ["routing_instances", ["default-domain:demo:vn-blue:vn-blue"]],
  ])("%s", (path, texts) => {
    expect(textsOf(DOCUMENT, path)).toEqual(texts);
  });

  it("except addresses, which depend on the requester", () => {
    const text = JSON.stringify(decodeObject(DOCUMENT, NETWORK));
    expect(text).not.toContain("127.0.0.1");
  });
});

describe("absent values", () => {
  it("are the same in every spelling: absent, null, [], {} and the default", () => {
    const plain = decodeObject({ fq_name: ["d", "p", "n"] }, NETWORK);
    for (const document of [
      { route_target_list: {}, virtual_network_properties: null, network_policy_refs: [] },
      { route_target_list: { route_target: [] }, port_security_enabled: true, is_shared: false, annotations: { key_value_pair: [] } },
      { display_name: "", mac_aging_time: 300, id_perms: { enable: true, description: null } },
    ]) {
      expect(equalNodes(decodeObject({ fq_name: ["d", "p", "n"], ...document } as JsonObject, NETWORK), plain, NETWORK)).toBe(true);
    }
  });

  it("apply to subnets: four members of one client, seventeen of another", () => {
    const written = (more: JsonObject): TreeNode =>
      decodeObject(
        {
          fq_name: ["d", "p", "n"],
          network_ipam_refs: [
            {
              to: ["d", "p", "i"],
              attr: { ipam_subnets: [{ subnet: { ip_prefix: "10.0.0.0", ip_prefix_len: 24 }, subnet_uuid: "u", ...more }] },
            },
          ],
        },
        NETWORK,
      );
    const long = {
      enable_dhcp: true,
      dns_nameservers: [],
      allocation_pools: [],
      addr_from_start: null,
      dhcp_option_list: null,
      host_routes: { route: [] },
      subnet_name: "",
      alloc_unit: 1,
      subscriber_tag: null,
      vlan_tag: null,
      dhcp_relay_server: [],
      created: "2026-11-21T02:29:54.850675",
    };
    expect(equalNodes(written({}), written(long), NETWORK)).toBe(true);
    expect(equalNodes(written({}), written({ ...long, enable_dhcp: false }), NETWORK)).toBe(false);
  });
});

describe("a field that is written back as read", () => {
  const block = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => ({ ip_prefix: `10.${a}.${b}.0`, ip_prefix_len: 24 }));
  const subnet = fc.record({
    subnet: block,
    subnet_uuid: fc.uuid(),
    default_gateway: fc.ipV4(),
    enable_dhcp: fc.boolean(),
    unknown_of_tomorrow: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json),
    created: fc.string(),
  });
  const reference = fc.record({
    to: fc.constant(["d", "p", "i"]),
    uuid: fc.uuid(),
    attr: fc.record({
      ipam_subnets: fc.uniqueArray(subnet, { selector: (each) => each.subnet.ip_prefix, maxLength: 6 }),
      unknown: fc.integer(),
    }),
  });

  it("keeps parts that the tree does not show, especially ids", () => {
    fc.assert(
      fc.property(reference, (given) => {
        const document = { fq_name: ["d", "p", "n"], network_ipam_refs: [given] } as unknown as JsonObject;
        const node = childByTag(decodeObject(document, NETWORK), "network_ipam_refs");
        if (node === undefined) throw new Error("no references");
        expect(encode("network_ipam_refs", node, NETWORK.child("network_ipam_refs"), document.network_ipam_refs)).toEqual([given]);
      }),
    );
  });

  it("keeps the entry of a flat IPAM, which has only an id", () => {
    const refs: Json = [{ to: ["d", "p", "flat"], uuid: "1", attr: { ipam_subnets: [{ subnet_uuid: "u" }] } }];
    const node = childByTag(decodeObject({ fq_name: ["d", "p", "n"], network_ipam_refs: refs }, NETWORK), "network_ipam_refs");
    if (node === undefined) throw new Error("no references");
    expect(encode("network_ipam_refs", node, NETWORK.child("network_ipam_refs"), refs)).toEqual(refs);
  });
});

const folder = fileURLToPath(new URL("../../../../shared/data/contrail/", import.meta.url));
const hasFiles = existsSync(folder);
if (!hasFiles) leaveOut(`documents of real controllers: none in ${folder}`);

describe("objects of real controllers", () => {
  it.skipIf(!hasFiles)("are read, each by its name", () => {
    const lists = { "virtual-network": "virtual-networks", "network-ipam": "network-ipams", "network-policy": "network-policys" };
    let seen = 0;
    for (const file of readdirSync(folder)) {
      const value = parseJson(readFileSync(folder + file, "utf8"));
      if (!isObject(value)) continue;
      for (const [type, list] of Object.entries(lists)) {
        const document = value[type];
        if (!isObject(document)) continue;
        seen += 1;
        const entry = decodeObject(document, objectShape(list));
        expect(entry.name?.split(":").length, file).toBe(3);
        expect(childByTag(entry, "uuid")?.text, file).toBe(document.uuid);
      }
    }
    expect(seen).toBeGreaterThan(4);
  });
});
