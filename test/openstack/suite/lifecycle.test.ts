import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { networkNamed, serverNamed, subnetNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const WEB = `
networks:
  web:
    description: front
    subnets:
      web-a: { cidr: 192.0.2.0/24, dns_nameservers: [192.0.2.53] }
servers:
  web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: web }], metadata: { role: web } }
  web-2: { image: cirros, flavor: m1.tiny, networks: [{ network: web }] }
`;

onEachCloud("a cloud that follows its documents", (open) => {
  it("is planned, reconciled, found in sync, changed by others, reported and healed", async () => {
    const { user, somebody, ...rig } = await open();
    const repository = Repository.create({ user, somebody, ...rig }, { "cloud/main.yaml": document(WEB) });

    const plan = await repository.plumbline("plan");
    expect(plan, plan.err).toMatchObject({ code: 2 });
    expect(await networkNamed(user, "web")).toBeUndefined();

    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    expect(await networkNamed(user, "web")).toMatchObject({ description: "front", status: "ACTIVE" });
    expect(await subnetNamed(user, "web-a")).toMatchObject({ cidr: "192.0.2.0/24", dns_nameservers: ["192.0.2.53"], ip_version: 4 });
    const server = await serverNamed(user, "web-1");
    expect(server).toMatchObject({ status: "ACTIVE", metadata: { role: "web" } });
    expect(server.addresses.web).toHaveLength(1);

    const second = await repository.plumbline("plan");
    expect(second, second.out + second.err).toMatchObject({ code: 0 });

    await somebody.describeNetwork("web", "temporary, ticket 4711");
    await somebody.setNameServers("web-a", ["192.0.2.99"]);
    const drift = await repository.plumbline("drift");
    expect(drift, drift.err).toMatchObject({ code: 2 });
    for (const named of ["web", "temporary, ticket 4711", "web-a", "192.0.2.99"]) expect(drift.out).toContain(named);

    const healed = await repository.plumbline("reconcile");
    expect(healed, healed.err + healed.out).toMatchObject({ code: 0 });
    expect(await networkNamed(user, "web")).toMatchObject({ description: "front" });
    expect(await subnetNamed(user, "web-a")).toMatchObject({ dns_nameservers: ["192.0.2.53"] });
    expect((await serverNamed(user, "web-1")).id).toBe(server.id);
    expect(await repository.plumbline("drift")).toMatchObject({ code: 0 });
  });

  it("gets deleted objects back, and nothing twice", async () => {
    const { user, somebody, ...rig } = await open();
    const repository = Repository.create({ user, somebody, ...rig }, { "cloud/main.yaml": document(WEB) });
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    const before = await serverNamed(user, "web-1");
    await somebody.deleteServer("web-1");
    const drift = await repository.plumbline("drift");
    expect(drift, drift.err).toMatchObject({ code: 2, out: expect.stringContaining("web-1") });
    const healed = await repository.plumbline("reconcile");
    expect(healed, healed.err + healed.out).toMatchObject({ code: 0 });
    const after = await serverNamed(user, "web-1");
    expect(after).toMatchObject({ status: "ACTIVE" });
    expect(after.id).not.toBe(before.id);
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
  });

  it("gets routers, security groups, ports and their servers, in an order that works in both directions", async () => {
    const rig = await open();
    const { user } = rig;
    const repository = Repository.create(rig, {
      "cloud/main.yaml": document(`
networks:
  app:
    subnets:
      app-a: { cidr: 198.51.100.0/24 }
routers:
  edge: { external_network: public, interfaces: [app-a] }
security_groups:
  web:
    description: from anywhere
    rules:
      - { direction: egress, ethertype: IPv4 }
      - { direction: ingress, protocol: tcp, port_range_min: 443, port_range_max: 443, remote_ip_prefix: 0.0.0.0/0 }
ports:
  app-1: { network: app, fixed_ips: [{ subnet: app-a, ip_address: 198.51.100.17 }], security_groups: [web] }
servers:
  app-1: { image: cirros, flavor: m1.tiny, networks: [{ port: app-1 }] }
`),
    });
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    const { addresses, security_groups: groups } = await serverNamed(user, "app-1");
    expect(addresses.app.map(({ addr }: { addr: string }) => addr)).toEqual(["198.51.100.17"]);
    expect(groups).toEqual([{ name: "web" }]);
    const second = await repository.plumbline("plan");
    expect(second, second.out + second.err).toMatchObject({ code: 0 });

    const edge = await user.named("network", "/v2.0/routers", "routers", "edge");
    await user.demand("network", "PUT", `/v2.0/routers/${edge.id}`, { router: { external_gateway_info: null } });
    const healed = await repository.plumbline("reconcile");
    expect(healed, healed.err + healed.out).toMatchObject({ code: 0 });
    expect((await user.named("network", "/v2.0/routers", "routers", "edge")).external_gateway_info).not.toBeNull();

    repository.declare("networks: {}");
    const emptied = await repository.plumbline("reconcile", "--allow", "empty-list=5");
    expect(emptied, emptied.err + emptied.out).toMatchObject({ code: 0 });
    const own = async (collection: string) =>
      (await user.list("network", `/v2.0/${collection}`, collection.replaceAll("-", "_"))).map(({ name }) => name);
    expect(await own("networks")).toEqual(["public"]);
    expect([await own("routers"), await own("ports"), await own("security-groups")]).toEqual([[], [], ["default"]]);
    expect(await user.list("compute", "/servers", "servers")).toEqual([]);
  });
});
