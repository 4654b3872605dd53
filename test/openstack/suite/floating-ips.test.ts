import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { floatingIpKeyed, portsOfServer } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";

const BASE = `networks: { web: { subnets: { web-a: { cidr: 192.0.2.0/24 } } } }
routers: { edge: { external_network: public, interfaces: [web-a] } }
ports: { vip: { network: web, fixed_ips: [{ subnet: web-a, ip_address: 192.0.2.10 }] } }
servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: web }] } }
`;
const FLOATING = `${BASE}floatingips:
  front: { pool: public, server: s, description: what the world calls }
  back: { pool: public, port: vip }
`;

/** A project that matches the documents. */
async function standing(rig: Rig, config = FLOATING): Promise<Repository> {
  const repository = Repository.create(rig, { "cloud/main.yaml": document(config) });
  const done = await repository.plumbline("reconcile");
  expect(done, done.err + done.out).toMatchObject({ code: 0 });
  return repository;
}

async function reconciled(repository: Repository, ...words: readonly string[]): Promise<void> {
  const done = await repository.plumbline("reconcile", ...words);
  expect(done, done.err + done.out).toMatchObject({ code: 0 });
  const plan = await repository.plumbline("plan");
  expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
}

const addresses = async ({ user }: Rig): Promise<string[]> =>
  (await user.list("network", "/v2.0/floatingips", "floatingips")).map((each) => each.floating_ip_address).sort();

onEachCloud("floating IPs", (open) => {
  it("are made on a server and on a port, kept when the server is replaced, moved, described and taken down", async () => {
    const rig = await open();
    const { user } = rig;
    const repository = await standing(rig);
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
    const front = await floatingIpKeyed(user, "front");
    expect([front.port_id]).toEqual(await portsOfServer(user, "s"));
    expect(front).toMatchObject({ description: "what the world calls" });
    expect(await floatingIpKeyed(user, "back")).toMatchObject({ fixed_ip_address: "192.0.2.10", description: "" });

    repository.declare(FLOATING.replace("flavor: m1.tiny", "flavor: m1.small, $replace: true"));
    await reconciled(repository);
    const kept = await floatingIpKeyed(user, "front");
    expect([kept.id, kept.floating_ip_address]).toEqual([front.id, front.floating_ip_address]);
    expect([kept.port_id]).toEqual(await portsOfServer(user, "s"));
    expect(kept.port_id).not.toBe(front.port_id);

    repository.declare(
      `${BASE.replace("m1.tiny", "m1.small")}floatingips: { front: { pool: public, port: vip, description: moved }, back: { pool: public } }`,
    );
    await reconciled(repository);
    expect(await floatingIpKeyed(user, "front")).toMatchObject({ fixed_ip_address: "192.0.2.10", description: "moved", id: front.id });
    expect(await floatingIpKeyed(user, "back")).toMatchObject({ port_id: null });

    const theirs = await rig.somebody.createFloatingIp("public", "moved");
    repository.declare("networks: { last: {} }");
    await reconciled(repository, "--allow", "empty-list=5");
    expect(await addresses(rig)).toEqual([theirs]);
  });

  it("are healed if detached or deleted; one with the same description is not owned", async () => {
    const rig = await open();
    const { user, somebody } = rig;
    const repository = await standing(rig);
    const front = await floatingIpKeyed(user, "front");
    await somebody.takeOffFloatingIp(front.floating_ip_address);
    await somebody.deleteFloatingIp((await floatingIpKeyed(user, "back")).floating_ip_address);
    const theirs = await somebody.createFloatingIp("public", "what the world calls");
    const drift = await repository.plumbline("drift");
    expect(drift, drift.err + drift.out).toMatchObject({ code: 2 });
    expect(drift.out).toContain("front");
    expect(drift.out).toContain("back");
    await reconciled(repository);
    expect([(await floatingIpKeyed(user, "front")).port_id]).toEqual(await portsOfServer(user, "s"));
    expect(await floatingIpKeyed(user, "front")).toMatchObject({ id: front.id });
    expect(await floatingIpKeyed(user, "back")).toMatchObject({ fixed_ip_address: "192.0.2.10" });
    expect(await addresses(rig)).toHaveLength(3);
    expect(await addresses(rig)).toContain(theirs);
  });

  it("of others are taken over by their address, and imported with it", async () => {
    const rig = await open();
    const { user, somebody } = rig;
    const address = await somebody.createFloatingIp("public", "by hand");
    const repository = await standing(rig, BASE);
    const imported = await repository.plumbline("import", "cloud", "--out", "mine");
    expect(imported, imported.err + imported.out).toMatchObject({ code: 0 });
    const text = readFileSync(join(repository.folder, "mine/cloud/floatingips.yaml"), "utf8");
    for (const part of [address, "$adopt: true", "pool: public", "by hand"]) expect(text).toContain(part);
    repository.declare(`${BASE}floatingips: { "${address}": { $adopt: true, pool: public, port: vip } }`);
    await reconciled(repository);
    repository.declare(`${BASE}floatingips: { mine: { $was: "${address}", pool: public, port: vip } }`);
    await reconciled(repository);
    expect(await floatingIpKeyed(user, "mine")).toMatchObject({ floating_ip_address: address, fixed_ip_address: "192.0.2.10" });
    expect(await addresses(rig)).toEqual([address]);
  });

  it("provide a firewall with their address in the run that creates them", async () => {
    const rig = await open();
    const targets = "{ cloud: { kind: openstack, cloud: lab, mode: enforce }, edge: { kind: memory, file: edge.xml, mode: enforce } }";
    const repository = Repository.create(rig, {
      ".gitignore": "edge.xml\n",
      "plumbline.yaml": `format: 1\nowner: conformance\ndocuments: [cloud, edge]\ntargets: ${targets}\n`,
      "cloud/main.yaml": document("floatingips: { front: { pool: public } }"),
      "edge/front.yaml":
        "target: edge\nscope: vsys1\nconfig: { address: { front: { ip-netmask: \"${cloud:floatingips/entry[@name='front']/floating_ip_address}\" } } }\n",
    });
    const file = join(repository.folder, "edge.xml");
    writeFileSync(
      file,
      '<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><address><entry name="printer"><ip-netmask>10.9.9.9</ip-netmask></entry></address></entry></vsys></entry></devices></config>',
    );
    await reconciled(repository);
    expect(readFileSync(file, "utf8")).toContain((await floatingIpKeyed(rig.user, "front")).floating_ip_address);
  });
});

onEachCloud("floating IPs that fail", (open) => {
  it("are reported, exist once, and converge: a quota, an empty pool, an address in use, no path to the port", async () => {
    const rig = await open();
    const { user, admin } = rig;
    const project = await user.projectId();
    await admin.demand("network", "PUT", `/v2.0/quotas/${project}`, { quota: { floatingip: 1 } });
    const repository = Repository.create(rig, { "cloud/main.yaml": document(FLOATING) });
    const full = await repository.plumbline("reconcile");
    expect(full.code, full.err + full.out).toBe(4);
    expect(full.err + full.out).toContain("Quota exceeded for resources: ['floatingip'].");
    await admin.demand("network", "DELETE", `/v2.0/quotas/${project}`);
    await reconciled(repository);
    expect(await addresses(rig)).toHaveLength(2);

    const pool = `tiny-${project.slice(0, 8)}`;
    const { network } = await admin.demand("network", "POST", "/v2.0/networks", { network: { name: pool, "router:external": true } });
    const subnet = { network_id: network.id, ip_version: 4, cidr: "198.51.100.0/30", enable_dhcp: false };
    await admin.demand("network", "POST", "/v2.0/subnets", { subnet });
    const tiny = `${FLOATING}  one: { pool: ${pool} }\n  two: { pool: ${pool} }\n`;
    repository.declare(tiny);
    const empty = await repository.plumbline("reconcile");
    expect(empty.code, empty.err + empty.out).toBe(4);
    expect(empty.err + empty.out).toContain("No more IP addresses available");
    repository.declare(tiny.replace(/ {2}two:.*\n/, "").replace(`one: { pool: ${pool} }`, `one: { pool: ${pool}, port: vip }`));
    const unreachable = await repository.plumbline("reconcile");
    expect(unreachable.code, unreachable.err + unreachable.out).not.toBe(0);
    expect(unreachable.err + unreachable.out).toContain("is not reachable from subnet");
    repository.declare(FLOATING);
    await reconciled(repository);
    await admin.demand("network", "DELETE", `/v2.0/networks/${network.id}`);

    repository.declare(
      FLOATING.replace("pool: public, server: s,", "pool: public, port: vip,").replace(/ {2}back:.*\n/, "  back: { pool: public }\n"),
    );
    await reconciled(repository);
    const taken = await floatingIpKeyed(user, "front");
    repository.declare(FLOATING.replace("pool: public, server: s,", "pool: public, port: vip,"));
    const refused = await repository.plumbline("reconcile");
    expect([1, 4], refused.err + refused.out).toContain(refused.code);
    expect(refused.err + refused.out).toContain(`floating IP ${taken.floating_ip_address}`);
    repository.declare(FLOATING);
    await reconciled(repository);
  });

  it("require an administrator for a chosen address, and report it", async () => {
    const rig = await open();
    const chosen = "floatingips: { front: { pool: public, floating_ip_address: 203.0.113.77 } }";
    const repository = Repository.create(rig, { "cloud/main.yaml": document(chosen) });
    const refused = await repository.plumbline("reconcile");
    expect(refused.code, refused.err + refused.out).toBe(1);
    expect(refused.err + refused.out).toContain("Only an administrator may choose the address");
    expect(await addresses(rig)).toEqual([]);
  });
});
