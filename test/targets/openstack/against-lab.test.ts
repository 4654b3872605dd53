import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { formatAuthor } from "../../../src/report/format-counts.js";
import { CloudWorld } from "./cloud-world.js";

const SMALL = `
networks:
  web:
    subnets:
      web-a: { cidr: 10.1.0.0/24, dns_nameservers: [192.0.2.53] }
  db:
    description: no way in from outside
    subnets:
      db-a: { cidr: 10.2.0.0/24, gateway_ip: "null", host_routes: [{ destination: 192.0.2.0/24, nexthop: 10.2.0.1 }] }
routers:
  edge:
    external_network: public
    interfaces: [web-a]
    routes: [{ destination: 198.51.100.0/24, nexthop: 10.1.0.77 }]
security_groups:
  web:
    description: what the world may ask
    rules:
      - { direction: ingress, protocol: tcp, port_range_min: 443, port_range_max: 443, remote_ip_prefix: 192.0.2.0/24 }
      - { direction: ingress, remote_group: web }
ports:
  web-vip:
    network: web
    fixed_ips: [{ subnet: web-a, ip_address: 10.1.0.10 }]
    security_groups: [web]
keypairs:
  ops: { public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g ops@example }
servers:
  web-1: { image: cirros, flavor: m1.tiny, key_name: ops, networks: [{ port: web-vip }], metadata: { role: web } }
  web-2: { image: cirros, flavor: m1.tiny, networks: [{ network: web, fixed_ip: 10.1.0.11 }], security_groups: [web] }
`;

const changed = (outcome: TargetOutcome) =>
  (outcome.drift?.items.map(({ change }) => change) ?? outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`).sort();

/** A world that matches `SMALL`. */
async function standing(): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(SMALL);
  await world.reconciled();
  return world;
}

describe("a project", () => {
  it("is created once: marked objects, servers ACTIVE, and no remaining difference", async () => {
    const world = await standing();
    const { network, compute } = world.lab.world;
    const demo = world.lab.world.as("demo");
    const web = network.visible("network", demo).find(({ name }) => name === "web");
    expect(web).toMatchObject({ description: "", tags: ["plumbline:key=web", "plumbline:owner=netops"] });
    const servers = compute.servers(demo.projectId);
    expect(servers.map(({ name, vmState }) => [name, vmState]).sort()).toEqual([
      ["web-1", "active"],
      ["web-2", "active"],
    ]);
    expect(servers.find(({ name }) => name === "web-1")?.metadata).toMatchObject({
      role: "web",
      plumbline_owner: "netops",
      plumbline_key: "web-1",
      plumbline_run: expect.stringMatching(/^[0-9a-f]{8}$/),
      plumbline_image: expect.stringMatching(/ cirros$/),
    });
    expect(compute.keyPairs.find(demo.userId, "ops")?.publicKey).toMatch(/ops@example plumbline:owner=netops plumbline:key=ops$/);
    const since = world.lab.journal.length;
    const second = await world.reconciled();
    expect(changed(second)).toEqual([]);
    expect(world.writesSince(since)).toEqual([]);
  });

  it("gets only differing fields, with the revision that was read", async () => {
    const world = await standing();
    world.want(SMALL.replace("no way in from outside", "inner"));
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(world.writesSince(since)).toEqual(["PUT /v2.0/networks/ID"]);
    expect(world.lab.journal.slice(since).find(({ method, service }) => method === "PUT" && service === "network")?.body).toEqual({
      network: { description: "inner" },
    });
  });

  it("is healed: fields, a rule, a route, an interface, a rename, metadata", async () => {
    const world = await standing();
    const demo = world.lab.world.as("demo");
    const { network, compute } = world.lab.world;
    const idOf = (kind: "network" | "router" | "security_group" | "subnet", name: string) =>
      network.visible(kind, demo).find((object) => object.name === name)?.id ?? "";
    world.act("PUT", `/v2.0/networks/${idOf("network", "db")}`, { network: { name: "renamed", description: "ticket 4711" } });
    const subnet = idOf("subnet", "web-a");
    world.act("PUT", `/v2.0/subnets/${subnet}`, { subnet: { dns_nameservers: ["192.0.2.99"] } });
    const group = idOf("security_group", "web");
    const rule = { security_group_id: group, direction: "ingress", protocol: "tcp", port_range_min: 22, port_range_max: 22 };
    world.act("POST", "/v2.0/security-group-rules", { security_group_rule: rule });
    world.act("PUT", `/v2.0/routers/${idOf("router", "edge")}`, { router: { routes: [] } });
    world.act("PUT", `/v2.0/routers/${idOf("router", "edge")}/remove_router_interface`, { subnet_id: subnet });
    const server = compute.servers(demo.projectId).find(({ name }) => name === "web-1")?.id ?? "";
    world.act("POST", `/v2.1/servers/${server}/metadata`, { metadata: { role: "db", more: "1" } });
    world.act("PUT", `/v2.1/servers/${server}`, { server: { name: "other" } });

    expect(changed(await world.drift())).toEqual([
      "differs /openstack/networks/entry[@name='db']/description",
      "differs /openstack/networks/entry[@name='web']/subnets/entry[@name='web-a']/dns_nameservers",
      "differs /openstack/servers/entry[@name='web-1']/metadata/role",
      "extra /openstack/networks/entry[@name='db']/name",
      "extra /openstack/security_groups/entry[@name='web']/rules/entry[@name='ingress IPv4 tcp 22 22 * * *']",
      "extra /openstack/servers/entry[@name='web-1']/metadata/more",
      "extra /openstack/servers/entry[@name='web-1']/name",
      "missing /openstack/routers/entry[@name='edge']/interfaces",
      "missing /openstack/routers/entry[@name='edge']/routes",
    ]);
    const [first] = (await world.drift()).drift?.items ?? [];
    expect(first?.attribution).toEqual({ admin: "unknown", time: expect.stringMatching(/^\.\.\/2026-01-05T08:\d\d:\d\dZ$/) });
    expect(formatAuthor(first?.attribution)).toMatch(/^by unknown no later than 2026-/);
    await world.reconciled();
    expect(changed(await world.plan())).toEqual([]);
    expect(network.visible("network", demo).map(({ name }) => name)).toContain("db");
    expect(compute.servers(demo.projectId).map(({ name }) => name)).toContain("web-1");
  });

  it("is deleted in a valid order, without unmanaged objects", async () => {
    const world = await standing();
    world.act("POST", "/v2.0/networks", { network: { name: "theirs" } });
    world.want("networks: { last: {} }");
    await world.reconciled();
    const demo = world.lab.world.as("demo");
    const names = (kind: "network" | "router" | "security_group" | "port") =>
      world.lab.world.network.visible(kind, demo).map(({ name }) => name);
    expect(names("network").sort()).toEqual(["last", "private", "public", "theirs"]);
    expect(names("router")).toEqual(["router1"]);
    expect(names("security_group")).toEqual(["default"]);
    expect(world.lab.world.compute.servers(demo.projectId)).toEqual([]);
    expect(world.lab.world.compute.keyPairs.of(demo.userId).map(({ name }) => name)).toEqual(["demo-key"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("is read by a limited number of requests, for any content", async () => {
    const world = await standing();
    const since = world.lab.journal.length;
    await world.plan();
    const lists = world.lab.journal.slice(since).filter(({ service }) => service !== "identity").length;
    expect(lists).toBeLessThan(15);
    world.want(SMALL.replace("networks:", `networks:\n${Array.from({ length: 20 }, (_, at) => `  more-${at}: {}`).join("\n")}`));
    await world.reconciled();
    const later = world.lab.journal.length;
    await world.plan();
    expect(world.lab.journal.slice(later).filter(({ service }) => service !== "identity").length).toBe(lists);
  });
});

describe("a fixed field", () => {
  const one = (more: string) => `servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }]${more} } }`;

  it("requires a replacement, and recreates a server if the document permits it", async () => {
    const world = (await CloudWorld.start()).want(one(""));
    await world.reconciled();
    const demo = world.lab.world.as("demo");
    const [before] = world.lab.world.compute.servers(demo.projectId);
    world.want(one(", key_name: demo-key"));
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.plan?.refusals).toMatchObject([{ guard: "replace", message: expect.stringContaining("$replace: true") }]);
    world.want(one(", key_name: demo-key, $replace: true"));
    await world.reconciled();
    const [after, ...others] = world.lab.world.compute.servers(demo.projectId);
    expect(others).toEqual([]);
    expect(after?.keyName).toBe("demo-key");
    expect(after?.id).not.toBe(before?.id);
  });

  it("includes the ERROR state of a server, as a difference that requires the same", async () => {
    const world = (await CloudWorld.start()).want(one(""));
    world.lab.fault({ match: { path: "/servers", method: "POST" }, effect: { kind: "server-fails", message: "No valid host was found." } });
    const failed = await world.reconcile();
    expect(exitCode([failed])).toBe(4);
    expect(failed.error).toMatchObject({ code: "partly-applied", message: expect.stringContaining("No valid host was found.") });
    const plan = await world.plan();
    expect(changed(plan)).toEqual(["extra /openstack/servers/entry[@name='s']/fault"]);
    expect(exitCode([plan])).toBe(3);
    world.want(one(", $replace: true"));
    await world.reconciled();
    expect(world.lab.world.compute.servers(world.lab.world.as("demo").projectId).map(({ vmState }) => vmState)).toEqual(["active"]);
  });
});
