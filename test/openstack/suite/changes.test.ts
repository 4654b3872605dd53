import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { subnetNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Session } from "../harness/session.js";

const BEFORE = `networks: { old: { subnets: { old-a: { cidr: 192.0.2.0/24 } } } }
security_groups: { group: {} }
ports: { nic: { network: old, security_groups: [group], fixed_ips: [{ subnet: old-a }] } }
routers: { gate: { interfaces: [old-a] } }
servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ port: nic }] } }`;

const AFTER = `networks: { new: { $was: old, subnets: { new-a: { $was: old-a, cidr: 192.0.2.0/24 } } } }
security_groups: { guard: { $was: group } }
ports: { eth: { $was: nic, network: new, security_groups: [guard], fixed_ips: [{ subnet: new-a }] } }
routers: { door: { $was: gate, interfaces: [new-a] } }
servers: { t: { $was: s, image: cirros, flavor: m1.tiny, networks: [{ port: eth }] } }`;

/** Ids and names of all that the project has, by name. */
async function objectsOf(user: Session): Promise<ReadonlyMap<string, string>> {
  const project = await user.projectId();
  const found = new Map<string, string>();
  for (const list of ["networks", "subnets", "ports", "routers", "security-groups"]) {
    const objects = await user.list("network", `/v2.0/${list}`, list.replace("-", "_"));
    for (const { id, name, project_id } of objects) if (project_id === project && name !== "default") found.set(id, name);
  }
  for (const { id, name } of await user.list("compute", "/servers", "servers")) found.set(id, name);
  return found;
}

onEachCloud("a rename", (open) => {
  it("keeps every object and its references", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(BEFORE) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const before = await objectsOf(rig.user);
    repository.declare(AFTER);
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    const after = await objectsOf(rig.user);
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    const named = [...before].filter(([, name]) => name !== "").map(([id, name]) => [name, after.get(id)]);
    expect(Object.fromEntries(named)).toEqual({ old: "new", "old-a": "new-a", group: "guard", nic: "eth", gate: "door", s: "t" });
    const plan = await repository.plumbline("plan");
    expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
  });
});

onEachCloud("a change of many parts", (open) => {
  const subnet = (first: number, dns: string) =>
    `web-a: { cidr: 192.0.2.0/24, allocation_pools: [{ start: 192.0.2.${first}, end: 192.0.2.${first + 40} }], dns_nameservers: [${dns}] }`;

  it("is one write per object: an address range that overlaps the old one, next to other changes", async () => {
    const rig = await open();
    const text = `networks: { web: { subnets: { ${subnet(10, "198.51.100.1")} } } }\nsecurity_groups: { one: {} }\nports: { p: { network: web, security_groups: [one] } }`;
    const repository = Repository.create(rig, { "cloud/main.yaml": document(text) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const { id } = await subnetNamed(rig.user, "web-a");
    repository.declare(
      `networks: { web: { subnets: { ${subnet(30, "198.51.100.2")} } }, more: {} }\nsecurity_groups: { two: {} }\nports: { p: { network: web, security_groups: [two] } }`,
    );
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    const pools = [{ start: "192.0.2.30", end: "192.0.2.70" }];
    expect(await subnetNamed(rig.user, "web-a")).toMatchObject({ id, allocation_pools: pools, dns_nameservers: ["198.51.100.2"] });
  });

  it("creates groups that reference each other, and deletes them", async () => {
    const rig = await open();
    const group = (name: string, other: string) => `${name}: { rules: [{ direction: ingress, protocol: tcp, remote_group: ${other} }] }`;
    const text = `security_groups: { ${group("a", "b")}, ${group("b", "a")} }`;
    const repository = Repository.create(rig, { "cloud/main.yaml": document(text) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    repository.declare("security_groups: {}");
    const gone = await repository.plumbline("reconcile", "--allow", "deletes=100%", "--allow", "empty-list=1");
    expect(gone, gone.err + gone.out).toMatchObject({ code: 0 });
    expect([...(await objectsOf(rig.user)).values()]).toEqual([]);
  });
});

onEachCloud("a subnet that is replaced while in use", (open) => {
  const text = (subnet: string, more = "") => `networks: { web: { subnets: { web-a: { ${subnet} } } } }
routers: { gate: { interfaces: [web-a] } }
ports: { nic: { network: web, fixed_ips: [{ subnet: web-a }] } }
servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ port: nic }${more}] } }`;

  it("is removed from its router and port, recreated and put back", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(text("cidr: 192.0.2.0/24")) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const before = await objectsOf(rig.user);
    const { id } = await subnetNamed(rig.user, "web-a");
    repository.declare(text("$replace: true, cidr: 198.51.100.0/24"));
    const plan = await repository.plumbline("plan");
    expect(plan.code, plan.err + plan.out).toBe(2);
    expect(plan.out).toContain("Its traffic is interrupted in between");
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    const after = await objectsOf(rig.user);
    const kept = [...before].filter(([each, name]) => each !== id && name !== "");
    expect(kept.filter(([each]) => !after.has(each))).toEqual([]);
    const { id: now, cidr } = await subnetNamed(rig.user, "web-a");
    expect([now === id, cidr]).toEqual([false, "198.51.100.0/24"]);
    const [nic] = (await rig.user.list("network", "/v2.0/ports", "ports")).filter(({ name }) => name === "nic");
    expect(nic.fixed_ips).toMatchObject([{ subnet_id: now }]);
    const again = await repository.plumbline("plan");
    expect(again, again.err + again.out).toMatchObject({ code: 0 });
  });

  it("is refused before a request if something prevents it", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(text("cidr: 192.0.2.0/24", ", { network: web }")) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const before = await objectsOf(rig.user);
    repository.declare(text("$replace: true, cidr: 198.51.100.0/24", ", { network: web }"));
    const refused = await repository.plumbline("reconcile");
    expect(refused.code, refused.err + refused.out).toBe(3);
    expect(refused.out).toContain('in use by remaining objects: server "s"');
    expect(await objectsOf(rig.user)).toEqual(before);
  });
});

onEachCloud("manually removed parts", (open) => {
  const text = `networks: { web: { subnets: { web-a: { cidr: 192.0.2.0/24 } } } }
ports: { nic: { network: web } }
servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ port: nic }] } }`;

  it("are drift and are restored: groups and port security of a port without declared ones; and a server, with its author", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(text) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const nic = async () => (await rig.user.list("network", "/v2.0/ports", "ports")).find(({ name }) => name === "nic");
    const before = await nic();
    expect(before.security_groups).toHaveLength(1);
    await rig.user.demand("network", "PUT", `/v2.0/ports/${before.id}`, { port: { security_groups: [], port_security_enabled: false } });
    await rig.somebody.deleteServer("s");
    const drift = await repository.plumbline("drift", "--format", "json");
    expect(drift.code, drift.err + drift.out).toBe(2);
    const { items } = JSON.parse(drift.out).targets[0].drift;
    expect(items.map(({ xpath }: { xpath: string }) => xpath.replace(/^.*\//, "")).sort()).toEqual([
      "entry[@name='s']",
      "port_security_enabled",
      "security_groups",
    ]);
    const server = items.find(({ xpath }: { xpath: string }) => xpath.includes("/servers/"));
    expect(server.attribution).toMatchObject({ admin: rig.access.username, request: expect.stringMatching(/^req-/) });
    const healed = await repository.plumbline("reconcile");
    expect(healed, healed.err + healed.out).toMatchObject({ code: 0 });
    const { security_groups, port_security_enabled } = before;
    expect(await nic()).toMatchObject({ id: before.id, security_groups, port_security_enabled });
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
  });
});
