import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { portsOfServer, serverNamed, subnetNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";

const NET = (fields: string) => `networks: { web: { subnets: { web-a: { cidr: 192.0.2.0/24${fields} } } } }\n`;
const GROUP = "security_groups: { front: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 443, port_range_max: 443 }] } }\n";
const PORT = (fields: string) => `ports: { gate: { network: web, fixed_ips: [{ subnet: web-a, ip_address: 192.0.2.50 }]${fields} } }\n`;

async function reconciled(repository: Repository, ...words: readonly string[]): Promise<void> {
  const done = await repository.plumbline("reconcile", ...words);
  expect(done, done.err + done.out).toMatchObject({ code: 0 });
  const plan = await repository.plumbline("plan");
  expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
}

const portNamed = ({ user }: Rig, name: string) => user.named("network", "/v2.0/ports", "ports", name);

onEachCloud("values as the services store them", (open) => {
  it("keeps the order of dns_nameservers, and heals a swap", async () => {
    const rig = await open();
    const servers = ["192.0.2.9", "192.0.2.1", "192.0.2.77"];
    const repository = Repository.create(rig, { "cloud/main.yaml": document(NET(`, dns_nameservers: [${servers.join(", ")}]`)) });
    await reconciled(repository);
    const { id, dns_nameservers } = await subnetNamed(rig.user, "web-a");
    expect(dns_nameservers).toEqual(servers);
    await rig.user.demand("network", "PUT", `/v2.0/subnets/${id}`, { subnet: { dns_nameservers: servers.toReversed() } });
    expect(await repository.plumbline("drift")).toMatchObject({ code: 2 });
    await reconciled(repository);
    expect((await subnetNamed(rig.user, "web-a")).dns_nameservers).toEqual(servers);
  });

  it("converges for IPv6 addresses in any spelling, and changes nothing if only the spelling changes", async () => {
    const rig = await open();
    const text = (address: (last: string) => string) => `networks:
  web:
    subnets:
      web-a: { ip_version: 6, cidr: "${address("")}/64", gateway_ip: "${address("1")}", allocation_pools: [{ start: "${address("10")}", end: "${address("ff")}" }], host_routes: [{ destination: "2001:DB8:5::/48", nexthop: "${address("9")}" }] }
ports: { gate: { network: web, fixed_ips: [{ subnet: web-a, ip_address: "${address("20")}" }] } }
routers: { edge: { interfaces: [web-a], routes: [{ destination: "2001:db8:77::/48", nexthop: "${address("20")}" }] } }\n`;
    const repository = Repository.create(rig, { "cloud/main.yaml": document(text((last) => `2001:DB8::${last.toUpperCase()}`)) });
    await reconciled(repository);
    const before = await portNamed(rig, "gate");
    expect(before.fixed_ips).toMatchObject([{ ip_address: "2001:db8::20" }]);
    repository.declare(text((last) => (last === "" ? "2001:db8:0::" : `2001:0db8:0:0::${last}`)));
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
    await reconciled(repository);
    expect(await portNamed(rig, "gate")).toEqual(before);
    const { routes } = await rig.user.named("network", "/v2.0/routers", "routers", "edge");
    expect(routes).toEqual([{ destination: "2001:db8:77::/48", nexthop: "2001:db8::20" }]);
  });

  it("removes a floating IP with its router, a port's groups with their line, and turns port security off, each in one run", async () => {
    const rig = await open();
    const full = `${NET("")}${GROUP}${PORT(", security_groups: [front]")}routers: { edge: { external_network: public, interfaces: [web-a] } }
floatingips: { entry: { pool: public, port: gate } }\n`;
    const repository = Repository.create(rig, { "cloud/main.yaml": document(full) });
    await reconciled(repository);
    repository.declare(`${NET("")}${PORT("")}floatingips: { entry: { pool: public } }\n`);
    await reconciled(repository, "--allow", "empty-list=5");
    expect(await rig.user.named("network", "/v2.0/routers", "routers", "edge")).toBeUndefined();
    expect(await rig.user.named("network", "/v2.0/security-groups", "security_groups", "front")).toBeUndefined();
    repository.declare(`${NET("")}${PORT(", port_security_enabled: false")}`);
    await reconciled(repository, "--allow", "empty-list=5");
    expect(await portNamed(rig, "gate")).toMatchObject({ port_security_enabled: false, security_groups: [] });
  });

  it("writes and reads metadata keys with every accepted character, and heals port security of a server", async () => {
    const rig = await open();
    const metadata = { "role:db": "1", "0day": "2", "cost center": "3", "-x": "4" };
    const config = `${NET("")}servers: { own: { image: cirros, flavor: m1.tiny, networks: [{ network: web }], metadata: ${JSON.stringify(metadata)} } }\n`;
    const repository = Repository.create(rig, { "cloud/main.yaml": document(config) });
    await reconciled(repository);
    const { id } = await serverNamed(rig.user, "own");
    expect((await rig.user.demand("compute", "GET", `/servers/${id}/metadata`)).metadata).toMatchObject(metadata);
    const [port = ""] = await portsOfServer(rig.user, "own");
    const off = { port: { security_groups: [], port_security_enabled: false } };
    await rig.user.demand("network", "PUT", `/v2.0/ports/${port}`, off);
    expect(await repository.plumbline("drift")).toMatchObject({ code: 2 });
    await reconciled(repository);
    const { port: healed } = await rig.user.demand("network", "GET", `/v2.0/ports/${port}`);
    expect(healed).toMatchObject({ port_security_enabled: true });
    expect(healed.security_groups).toHaveLength(1);
  });
});
