import { describe, expect, it } from "vitest";
import type { WorldEvent } from "../../../src/lab/openstack/world/events.js";
import { type Answer, call, lab, login } from "./support.js";

const refused = ({ status, json }: Answer): [number, string, string] => [status, json.NeutronError.type, json.NeutronError.message];
const NOBODY = "7a0f1d11-1111-4111-8111-111111111111";

describe("networks", () => {
  it("are created with every field, `provider:` ones by administrators only", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const { status, json } = await demo.network("POST", "/networks", { network: { name: "web" } });
    const { id, ...network } = json.network;
    const project = demo.projectId;
    expect([status, network]).toEqual([
      201,
      {
        ...{ name: "web", tenant_id: project, admin_state_up: true, mtu: 1450, status: "ACTIVE", subnets: [], shared: false },
        ...{ availability_zone_hints: [], availability_zones: [], ipv4_address_scope: null, ipv6_address_scope: null },
        ...{ "router:external": false, is_default: false, description: "", port_security_enabled: true, qos_policy_id: null },
        ...{ l2_adjacency: true, tags: [], created_at: "2026-01-05T08:00:00Z", updated_at: "2026-01-05T08:00:00Z" },
        ...{ revision_number: 1, project_id: project },
      },
    ]);
    const read = (await demo.network("GET", `/networks/${id}`)).json.network;
    expect(read.is_default).toBeUndefined();
    const admin = await login(cloud, "admin");
    expect((await admin.network("GET", `/networks/${id}`)).json.network).toMatchObject({
      "provider:network_type": "vxlan",
      "provider:physical_network": null,
      "provider:segmentation_id": 2,
    });
    const local = await admin.network("POST", "/networks", { network: { "provider:network_type": "local" } });
    expect(local.json.network).toMatchObject({ "provider:network_type": "local", "provider:segmentation_id": null, mtu: 1500 });
    const both = await demo.network("POST", "/networks", { networks: [{ name: "a" }, { name: "a" }] });
    expect([both.status, both.json.networks.length]).toEqual([201, 2]);
  });

  it.each([
    [{ admin_state_up: "maybe" }, 400, "InvalidInput", "Invalid input for operation: 'maybe' cannot be converted to boolean."],
    [{ name: 5 }, 400, "HTTPBadRequest", "Invalid input for name. Reason: '5' is not a valid string."],
    [{ mtu: "a" }, 400, "InvalidInput", "Invalid input for operation: 'a' is not an integer."],
    [{ id: "a" }, 400, "HTTPBadRequest", "Attribute 'id' not allowed in POST"],
    [{ nmae: "x" }, 400, "HTTPBadRequest", "Unrecognized attribute(s) 'nmae'"],
    [{ shared: true }, 403, "PolicyNotAuthorized", "(rule:create_network and rule:create_network:shared) is disallowed by policy"],
    [
      { "provider:network_type": "vlan" },
      403,
      "PolicyNotAuthorized",
      "(rule:create_network and rule:create_network:provider:network_type) is disallowed by policy",
    ],
    [
      { tenant_id: "abc" },
      400,
      "HTTPBadRequest",
      "Specifying 'project_id' or 'tenant_id' other than the authenticated project in request requires admin or advsvc privileges",
    ],
  ])("refuse %j of a member", async (network, ...expected) => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    expect(refused(await demo.network("POST", "/networks", { network }))).toEqual(expected);
  });

  it.each([
    ["foo", null, null, "InvalidInput", "Invalid input for operation: network_type value 'foo' not supported."],
    ["flat", null, null, "InvalidInput", "Invalid input for operation: physical_network required for flat provider network."],
    ["vlan", "physnet1", 9999, "InvalidInput", "Invalid input for operation: segmentation_id out of range (1 through 4094)."],
    ["vxlan", "physnet1", 9, "InvalidInput", "Invalid input for operation: provider:physical_network specified for vxlan network."],
    ["local", null, 9, "InvalidInput", "Invalid input for operation: provider:segmentation_id specified for local network."],
    ["vxlan", null, 1, "TunnelIdInUse", "Unable to create the network. The tunnel ID 1 is in use."],
    ["flat", "public", null, "FlatNetworkInUse", "Unable to create the flat network. Physical network public is in use."],
  ])("refuse the segment %s %s %s", async (type, physical, id, ...expected) => {
    const { lab: cloud } = await lab();
    const admin = await login(cloud, "admin");
    const network = { "provider:network_type": type, "provider:physical_network": physical, "provider:segmentation_id": id };
    expect(refused(await admin.network("POST", "/networks", { network })).slice(1)).toEqual(expected);
  });

  it("use a VLAN once, release it, and run out of tunnels", async () => {
    const { lab: cloud } = await lab({ network: { lastTunnel: 2 } });
    const admin = await login(cloud, "admin");
    const network = { "provider:network_type": "vlan", "provider:physical_network": "physnet1", "provider:segmentation_id": 7 };
    const { id } = (await admin.network("POST", "/networks", { network })).json.network;
    const taken = "Unable to create the network. The VLAN 7 on physical network physnet1 is in use.";
    expect(refused(await admin.network("POST", "/networks", { network }))).toEqual([409, "VlanIdInUse", taken]);
    await admin.network("DELETE", `/networks/${id}`);
    expect((await admin.network("POST", "/networks", { network })).status).toBe(201);
    expect((await admin.network("POST", "/networks", { network: {} })).status).toBe(201);
    expect(refused(await admin.network("POST", "/networks", { network: {} }))[1]).toBe("NoNetworkAvailable");
  });

  it("count revisions, and check If-Match on PUT and DELETE", async () => {
    const { lab: cloud, clock } = await lab();
    const demo = await login(cloud);
    const { id } = (await demo.network("POST", "/networks", { network: {} })).json.network;
    clock.advance(2000);
    const changed = (await demo.network("PUT", `/networks/${id}`, { network: { name: "z", description: "d" } })).json.network;
    expect(changed).toMatchObject({ name: "z", description: "d", revision_number: 2, updated_at: "2026-01-05T08:00:02Z" });
    const stale = { "if-match": "revision_number=1" };
    const failed = [412, "RevisionNumberConstraintFailed", "Constrained to 1, but current revision is 2"];
    expect(refused(await demo.network("PUT", `/networks/${id}`, { network: { name: "q" } }, stale))).toEqual(failed);
    expect(refused(await demo.network("DELETE", `/networks/${id}`, undefined, stale))).toEqual(failed);
    expect((await demo.network("DELETE", `/networks/${id}`, undefined, { "if-match": "revision_number=2" })).status).toBe(204);
    const gone = `Network ${id} could not be found.`;
    expect(refused(await demo.network("DELETE", `/networks/${id}`))).toEqual([404, "NetworkNotFound", gone]);
  });

  it("cannot be deleted while they have a port, and are deleted with their subnets", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const { id } = (await demo.network("POST", "/networks", { network: {} })).json.network;
    const subnet = (await demo.network("POST", "/subnets", { subnet: { network_id: id, ip_version: 4, cidr: "10.1.0.0/24" } })).json.subnet;
    const port = (await demo.network("POST", "/ports", { port: { network_id: id } })).json.port;
    expect(refused(await demo.network("DELETE", `/networks/${id}`))).toEqual([
      409,
      "NetworkInUse",
      `Unable to complete operation on network ${id}. There are one or more ports still in use on the network, id for these ports is: ${port.id}.`,
    ]);
    expect(refused(await demo.network("DELETE", `/subnets/${subnet.id}`))).toEqual([
      409,
      "SubnetInUse",
      `Unable to complete operation on subnet ${subnet.id}: One or more ports have an IP allocation from this subnet.`,
    ]);
    expect((await demo.network("DELETE", `/ports/${port.id}`)).status).toBe(204);
    expect((await demo.network("DELETE", `/networks/${id}`)).status).toBe(204);
    expect((await demo.network("GET", `/subnets/${subnet.id}`)).status).toBe(404);
  });
});

describe("permissions", () => {
  it("hide objects of others, show shared and external ones, and hide by policy", async () => {
    const { lab: cloud } = await lab();
    const [demo, other, admin] = [await login(cloud), await login(cloud, "other"), await login(cloud, "admin")];
    const names = async (person: typeof demo): Promise<string[]> =>
      (await person.network("GET", "/networks")).json.networks.map(({ name }: { name: string }) => name);
    expect([await names(demo), await names(other), await names(admin)]).toEqual([["public", "private"], ["public"], ["public", "private"]]);
    const [open] = (await other.network("GET", "/networks")).json.networks;
    expect(refused(await other.network("PUT", `/networks/${open.id}`, { network: { name: "q" } }))).toEqual([
      403,
      "PolicyNotAuthorized",
      "rule:update_network is disallowed by policy",
    ]);
    expect(refused(await other.network("DELETE", `/networks/${open.id}`))[2]).toBe("rule:delete_network is disallowed by policy");
    const [, own] = (await demo.network("GET", "/networks")).json.networks;
    await call(cloud, "network", "POST", "/lab/hide", { id: own.id });
    expect(await names(demo)).toEqual(["public"]);
    expect((await demo.network("GET", `/networks/${own.id}`)).status).toBe(404);
    expect(await names(admin)).toEqual(["public", "private"]);
    await call(cloud, "network", "POST", "/lab/unhide", { id: own.id });
    expect(await names(demo)).toEqual(["public", "private"]);
  });

  it("let a reader write, as the real policies of that release do", async () => {
    const { lab: cloud } = await lab();
    const reader = await login(cloud, "reader", { project: { name: "demo", domain: { id: "default" } } });
    expect((await reader.network("POST", "/networks", { network: {} })).status).toBe(201);
  });

  it("include quotas", async () => {
    const { lab: cloud } = await lab();
    const [demo, admin] = [await login(cloud), await login(cloud, "admin")];
    const path = `/quotas/${demo.projectId}`;
    expect((await demo.network("GET", path)).json.quota).toMatchObject({
      network: 100,
      subnet: 100,
      port: 500,
      router: 10,
      security_group: 10,
    });
    expect((await demo.network("GET", `${path}/details.json`)).json.quota.network).toEqual({ limit: 100, used: 1, reserved: 0 });
    expect(refused(await demo.network("PUT", path, { quota: { network: 1 } }))[2]).toBe("rule:update_quota is disallowed by policy");
    expect((await admin.network("PUT", path, { quota: { network: 1 } })).json.quota.network).toBe(1);
    expect((await admin.network("GET", "/quotas")).json.quotas).toMatchObject([{ network: 1, project_id: demo.projectId }]);
    expect(refused(await demo.network("POST", "/networks", { network: {} }))).toEqual([
      409,
      "OverQuota",
      "Quota exceeded for resources: ['network'].",
    ]);
    expect(refused(await admin.network("PUT", path, { quota: { nope: 1 } }))[2]).toBe("Unrecognized attribute(s) 'nope'");
    expect((await admin.network("DELETE", path)).status).toBe(204);
    expect((await demo.network("POST", "/networks", { network: {} })).status).toBe(201);
  });

  it("create all of a bulk or nothing, and keep the addresses of ports that are refused together", async () => {
    const { lab: cloud } = await lab();
    const [demo, admin] = [await login(cloud), await login(cloud, "admin")];
    await admin.network("PUT", `/quotas/${demo.projectId}`, { quota: { network: 2 } });
    expect((await demo.network("POST", "/networks", { networks: [{}, {}] })).status).toBe(409);
    expect((await demo.network("GET", "/networks")).json.networks).toHaveLength(2);
    await admin.network("DELETE", `/quotas/${demo.projectId}`);
    const { network } = (await demo.network("POST", "/networks", { network: {} })).json;
    await demo.network("POST", "/subnets", { subnet: { network_id: network.id, ip_version: 4, cidr: "10.9.9.0/24" } });
    const port = { network_id: network.id, fixed_ips: [{ ip_address: "10.9.9.9" }] };
    const answers = [{ ports: [port, port] }, { port }].map(async (body) =>
      refused(await demo.network("POST", "/ports", body)).slice(0, 2),
    );
    expect(await Promise.all(answers)).toEqual(Array(2).fill([409, "IpAddressAlreadyAllocated"]));
    expect((await demo.network("GET", `/ports?network_id=${network.id}`)).json.ports).toEqual([]);
  });
});

describe("lists", () => {
  it("can be filtered, limited to fields, and sorted", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    await demo.network("POST", "/networks", { networks: [{ name: "b" }, { name: "a" }, { name: "a" }] });
    const list = async (query: string): Promise<unknown> => (await demo.network("GET", `/networks${query}`)).json.networks;
    expect(await list("?name=a&fields=name")).toEqual([{ name: "a" }, { name: "a" }]);
    expect(await list("?name=a&name=b&fields=name&sort_key=name&sort_dir=desc")).toEqual([{ name: "b" }, { name: "a" }, { name: "a" }]);
    expect(await list("?router:external=True&fields=name")).toEqual([{ name: "public" }]);
    expect(await list("?name=b&fields=nope")).toEqual([{}]);
    expect((await demo.network("GET", "/networks.json?name=a")).json.networks).toHaveLength(2);
    const bad = async (query: string): Promise<unknown> => refused(await demo.network("GET", `/networks${query}`)).slice(1);
    expect(await bad("?nope=1")).toEqual(["HTTPBadRequest", "['nope'] is invalid attribute for filtering"]);
    expect(await bad("?sort_key=foo&sort_dir=asc")).toEqual(["HTTPBadRequest", "['foo'] is invalid attribute for sort_keys"]);
    expect(await bad("?sort_key=name")).toEqual(["HTTPBadRequest", "The number of sort_keys and sort_dirs must be same"]);
    expect(await bad("?limit=x")).toEqual(["BadRequest", "Bad limit request: Limit must be an integer 0 or greater and not 'x'."]);
    expect(await bad("?marker=zz&limit=1")).toEqual(["NetworkNotFound", "Network zz could not be found."]);
  });

  it("are limited by the server's maximum, and a full last page still has a link", async () => {
    const { lab: cloud } = await lab({ network: { pageMaximum: 2 }, linkBase: "http://inner.example:9" });
    const demo = await login(cloud);
    await demo.network("POST", "/networks", { networks: [{ name: "a" }, { name: "b" }] });
    for (const query of ["", "?limit=100", "?limit=0"])
      expect((await demo.network("GET", `/networks${query}`)).json.networks).toHaveLength(2);
    const pages: string[][] = [];
    let query = "?fields=id&fields=name";
    for (;;) {
      const { json } = await demo.network("GET", `/networks${query}`);
      pages.push(json.networks.map(({ name }: { name: string }) => name));
      const next = json.networks_links?.find(({ rel }: { rel: string }) => rel === "next")?.href;
      if (next === undefined) break;
      expect(next).toMatch(/^http:\/\/inner\.example:9\/v2\.0\/networks\?/);
      query = new URL(next).search;
    }
    expect(pages).toEqual([["public", "private"], ["a", "b"], []]);
    const last = await demo.network("GET", `/networks?limit=2&page_reverse=True`);
    expect(last.json.networks.map(({ name }: { name: string }) => name)).toEqual(["a", "b"]);
    expect(last.json.networks_links.map(({ rel }: { rel: string }) => rel)).toEqual(["next", "previous"]);
  });

  it("have no links without a limit", async () => {
    const { lab: cloud } = await lab();
    expect(Object.keys((await (await login(cloud)).network("GET", "/networks")).json)).toEqual(["networks"]);
  });
});

describe("tags", () => {
  it("are set, added, read, removed, and filter", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const { id } = (await demo.network("POST", "/networks", { network: { name: "t" } })).json.network;
    const at = `/networks/${id}/tags`;
    expect((await demo.network("PUT", at, { tags: ["red"] })).json).toEqual({ tags: ["red"] });
    const added = await demo.network("PUT", `${at}/green`);
    expect([added.status, added.json]).toEqual([201, null]);
    expect([(await demo.network("GET", `${at}/green`)).status, (await demo.network("GET", at)).json]).toEqual([
      204,
      { tags: ["green", "red"] },
    ]);
    expect(refused(await demo.network("GET", `${at}/blue`))).toEqual([404, "TagNotFound", "Tag blue could not be found."]);
    expect(refused(await demo.network("PUT", at, { tags: "x" }))[2]).toBe("Invalid input for operation: 'x' is not a list.");
    const count = async (query: string): Promise<number> => (await demo.network("GET", `/networks?${query}`)).json.networks.length;
    expect([
      await count("tags=red,green"),
      await count("tags=red,blue"),
      await count("tags-any=red,blue"),
      await count("not-tags=red"),
    ]).toEqual([1, 0, 1, 2]);
    expect((await demo.network("DELETE", `${at}/red`)).status).toBe(204);
    expect((await demo.network("DELETE", at)).status).toBe(204);
    expect((await demo.network("GET", `/networks/${id}?fields=tags&fields=revision_number`)).json).toEqual({
      network: { tags: [], revision_number: 5 },
    });
    const [open] = (await demo.network("GET", "/networks?name=public")).json.networks;
    expect((await demo.network("PUT", `/networks/${open.id}/tags`, { tags: [] })).status).toBe(403);
  });
});

describe("the service", () => {
  it("returns its version, resources and extensions", async () => {
    const { lab: cloud } = await lab();
    const root = await call(cloud, "network", "GET", "/");
    expect(root.json).toEqual({
      versions: [{ id: "v2.0", status: "CURRENT", links: [{ rel: "self", href: `${cloud.urls.network}/v2.0/` }] }],
    });
    const demo = await login(cloud);
    expect((await demo.network("GET", "")).status).toBe(404);
    expect((await demo.network("GET", "/")).json.resources.map(({ collection }: { collection: string }) => collection)).toContain(
      "security-groups",
    );
    const { extensions } = (await demo.network("GET", "/extensions")).json;
    expect(extensions.map(({ alias }: { alias: string }) => alias)).toContain("revision-if-match");
    expect((await demo.network("GET", "/extensions/router")).json.extension.name).toBe("Neutron L3 Router");
    const unknown = await demo.network("GET", "/extensions/nope");
    expect([unknown.status, unknown.text.includes("Extension with alias nope does not exist")]).toEqual([404, true]);
  });

  it("refuses unknown requests", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    expect(refused(await demo.network("GET", "/nope"))).toEqual([404, "HTTPNotFound", "The resource could not be found."]);
    expect(refused(await demo.network("PATCH", `/networks/${NOBODY}`, {})).slice(0, 2)).toEqual([405, "HTTPMethodNotAllowed"]);
    expect(refused(await demo.network("POST", "/networks", { foo: 1 }))[2]).toBe("Unable to find 'network' in request body");
    expect(refused(await demo.network("POST", "/networks", "{"))[2]).toBe("Body contains invalid data");
    expect(refused(await demo.network("GET", "/networks", undefined, { accept: "text/xml" }))[0]).toBe(406);
    expect(refused(await demo.network("PUT", `/networks/${NOBODY}`, { network: { name: "x" } }))[1]).toBe("NetworkNotFound");
  });

  it("notifies others about networks and subnets", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const seen: WorldEvent[] = [];
    const stop = cloud.world.events.on((event) => seen.push(event));
    const { id } = (await demo.network("POST", "/networks", { network: { name: "n" } })).json.network;
    await demo.network("POST", "/subnets", { subnet: { network_id: id, ip_version: 4, cidr: "10.1.0.0/24" } });
    await demo.network("PUT", `/networks/${id}`, { network: { name: "m" } });
    await demo.network("DELETE", `/networks/${id}`);
    const told = [
      "network create",
      "subnet create",
      "network update",
      "network update",
      "subnet delete",
      "network update",
      "network delete",
    ];
    expect(seen.map(({ kind, action }) => `${kind} ${action}`)).toEqual(told);
    expect(seen[0]?.object).toMatchObject({ id, name: "n" });
    stop();
    await demo.network("POST", "/networks", { network: {} });
    expect(seen).toHaveLength(7);
  });
});
