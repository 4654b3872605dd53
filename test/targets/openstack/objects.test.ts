import { beforeAll, describe, expect, it } from "vitest";
import { find } from "../../../src/core/tree/lookup.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { ManualClock } from "../../../src/lab/panos/clock.js";
import { OpenstackReader } from "../../../src/targets/openstack/reader.js";
import { configuration, demoAccess, dependencies } from "./fixtures.js";

/** Maps every field of the specification's tables to its path in the tree, which a reference of another target can name. */

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
const PROJECT = /^[0-9a-f]{32}$/;

let tree: TreeNode;
let requests: string[];

beforeAll(async () => {
  const clock = new ManualClock();
  const lab = await startOpenstackLab({ ports: "free", clock });
  const send = (path: string, body: object): string => {
    const service = path.startsWith("/v2.1") ? "compute" : "network";
    const { text } = lab.act({ service, method: "POST", path, body: body as never });
    const [made] = Object.values(JSON.parse(text) as Record<string, { id: string }>);
    return made?.id ?? "";
  };
  const network = send("/v2.0/networks", { network: { name: "web" } });
  const subnet = {
    network_id: network,
    name: "web-a",
    ip_version: 4,
    cidr: "10.1.0.0/24",
    dns_nameservers: ["192.0.2.53"],
    host_routes: [{ destination: "192.0.2.0/24", nexthop: "10.1.0.9" }],
  };
  send("/v2.0/subnets", { subnet });
  const image = lab.world.images.add("tiny", lab.world.as("admin").projectId ?? "").id;
  const server = {
    name: "web-1",
    imageRef: image,
    flavorRef: "1",
    key_name: "admin-key",
    networks: [{ uuid: network, fixed_ip: "10.1.0.5" }],
  };
  send("/v2.1/servers", { server: { ...server, metadata: { role: "web" } } });
  clock.advance(10_000);
  const access = { ...demoAccess(lab.authUrl), username: "admin", projectName: "admin" };
  const reader = new OpenstackReader(configuration(access), dependencies(clock));
  const since = lab.journal.length;
  tree = await reader.read([parsePath("/openstack")]);
  requests = lab.journal.slice(since).map(({ method, path }) => `${method} ${path}`);
  await reader.close();
  await lab.close();
});

function textAt(path: string): string | undefined {
  const node = find(tree, parsePath(`/openstack/${path}`));
  return node?.children.length === 0 ? node.text : node?.children.map(({ name, text }) => name ?? text).join(" ");
}

describe("a network", () => {
  const at = "networks/entry[@name='web']";
  it.each<[string, string | RegExp]>([
    ["id", UUID],
    ["tenant_id", PROJECT],
    ["admin_state_up", "true"],
    ["status", "ACTIVE"],
    ["shared", "false"],
    ["router:external", "false"],
    ["provider:network_type", "vxlan"],
    ["provider:segmentation_id", /^\d+$/],
    ["subnets", "web-a"],
    ["mtu", "1450"],
    ["revision_number", /^\d+$/],
  ])("has %s", (tag, value) => expect(textAt(`${at}/${tag}`)).toEqual(typeof value === "string" ? value : expect.stringMatching(value)));

  it("is named by its name", () => expect(textAt(at)).toBeDefined());
  it("has provider:physical_network if it is not null", () => {
    expect(textAt(`${at}/provider:physical_network`)).toBeUndefined();
    expect(textAt("networks/entry[@name='public']/provider:physical_network")).toBe("public");
  });
});

describe("a subnet", () => {
  const at = "networks/entry[@name='web']/subnets/entry[@name='web-a']";
  it.each<[string, string | RegExp]>([
    ["id", UUID],
    ["network_id", UUID],
    ["tenant_id", PROJECT],
    ["cidr", "10.1.0.0/24"],
    ["address", "10.1.0.0"],
    ["prefix-len", "24"],
    ["ip_version", "4"],
    ["gateway_ip", "10.1.0.1"],
    ["enable_dhcp", "true"],
    ["dns_nameservers", "192.0.2.53"],
    ["host_routes", "192.0.2.0/24 10.1.0.9"],
    ["allocation_pools", "10.1.0.2 10.1.0.254"],
  ])("has %s", (tag, value) => expect(textAt(`${at}/${tag}`)).toEqual(typeof value === "string" ? value : expect.stringMatching(value)));

  it("has the parts of a route and of a pool", () => {
    expect(textAt(`${at}/host_routes/entry[@name='192.0.2.0/24 10.1.0.9']/nexthop`)).toBe("10.1.0.9");
    expect(textAt(`${at}/allocation_pools/entry[@name='10.1.0.2 10.1.0.254']/start`)).toBe("10.1.0.2");
  });
});

describe("a flavor", () => {
  it.each([
    ["ID", "id", "1"],
    ["Name", "name", "m1.tiny"],
    ["Memory_MB", "ram", "512"],
    ["Disk", "disk", "1"],
    ["Ephemeral", "OS-FLV-EXT-DATA:ephemeral", "0"],
    ["Swap", "swap", "0"],
    ["VCPUs", "vcpus", "1"],
    ["RXTX_Factor", "rxtx_factor", "1"],
    ["Is_Public", "os-flavor-access:is_public", "true"],
  ])("has %s as %s", (_, tag, value) => expect(textAt(`flavors/entry[@name='m1.tiny']/${tag}`)).toBe(value));
});

describe("an image", () => {
  it.each<[string, string, string | RegExp]>([
    ["ID", "id", UUID],
    ["Name", "name", "tiny"],
    ["Status", "status", "active"],
    ["a checksum", "checksum", /^[0-9a-f]{32}$/],
    ["a second one", "os_hash_value", /^[0-9a-f]{128}$/],
  ])("has %s as %s", (_, tag, value) =>
    expect(textAt(`images/entry[@name='tiny']/${tag}`)).toEqual(typeof value === "string" ? value : expect.stringMatching(value)),
  );
});

describe("a key pair", () => {
  it("has Name and Fingerprint, and its public key", () => {
    expect(textAt("keypairs/entry[@name='admin-key']/fingerprint")).toMatch(/^[0-9a-f:]{47}$/);
    expect(textAt("keypairs/entry[@name='admin-key']/public_key")).toMatch(/^ssh-ed25519 /);
  });
});

describe("a server", () => {
  const at = "servers/entry[@name='web-1']";
  it.each<[string, string | RegExp]>([
    ["id", UUID],
    ["status", "ACTIVE"],
    ["image", "tiny"],
    ["flavor", "m1.tiny"],
    ["key_name", "admin-key"],
    ["networks", "web *"],
    ["networks/entry[@name='web *']/fixed_ip", "10.1.0.5"],
    ["security_groups", "default"],
    ["metadata/role", "web"],
    ["addresses/entry[@name='web']/address", "10.1.0.5"],
    ["addresses/entry[@name='web']/fixed", "10.1.0.5"],
    ["addresses/entry[@name='web']/mac_address", /^fa:16:3e/],
    ["availability_zone", "nova"],
    ["OS-EXT-STS:vm_state", "active"],
  ])("has %s", (tag, value) => expect(textAt(`${at}/${tag}`)).toEqual(typeof value === "string" ? value : expect.stringMatching(value)));
});

describe("a project", () => {
  it("has id, name, description and enabled", () => {
    expect(textAt("projects/entry[@name='admin']/id")).toMatch(PROJECT);
    expect(textAt("projects/entry[@name='admin']/enabled")).toBe("true");
  });
});

describe("all kinds together", () => {
  it("need one list request per kind, with detail", () => {
    expect(requests.filter((request) => /^GET \/v(2\.0\/[a-z]|2\.1\/[a-z]|2\/|3\/auth\/projects)/.test(request)).sort()).toEqual([
      "GET /v2.0/address-groups",
      "GET /v2.0/floatingips",
      "GET /v2.0/networks",
      "GET /v2.0/ports",
      "GET /v2.0/rbac-policies",
      "GET /v2.0/routers",
      "GET /v2.0/security-groups",
      "GET /v2.0/subnetpools",
      "GET /v2.0/subnets",
      "GET /v2.0/trunks",
      "GET /v2.1/flavors/detail",
      "GET /v2.1/os-availability-zone",
      "GET /v2.1/os-keypairs",
      "GET /v2.1/os-server-groups",
      "GET /v2.1/servers/detail",
      "GET /v2/images",
      "GET /v3/auth/projects",
    ]);
  });
});
