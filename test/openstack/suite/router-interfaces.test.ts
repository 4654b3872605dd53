import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { freeAddresses } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";

const BASE = "networks: { web: { subnets: { web-a: { cidr: 192.0.2.0/24 }, web-b: { cidr: 198.51.100.0/24 } } } }\n";
const PORT = "ports: { gate: { network: web, fixed_ips: [{ subnet: web-a, ip_address: 192.0.2.254 }] } }\n";
const edge = (fields: string) => `${BASE}${PORT}routers: { edge: { ${fields} } }\n`;
const BY_PORT = edge("interface_ports: [gate], interfaces: [web-b]");

async function reconciled(repository: Repository, ...words: readonly string[]): Promise<void> {
  const done = await repository.plumbline("reconcile", ...words);
  expect(done, done.err + done.out).toMatchObject({ code: 0 });
  const plan = await repository.plumbline("plan");
  expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
}

const portNamed = ({ user }: Rig, name: string) => user.named("network", "/v2.0/ports", "ports", name);

/** Addresses of the router's interfaces. */
async function interfaces({ user }: Rig): Promise<string[]> {
  const { id } = await user.named("network", "/v2.0/routers", "routers", "edge");
  const ports = await user.list("network", `/v2.0/ports?device_id=${id}`, "ports");
  return ports.flatMap((port) => port.fixed_ips.map((each: { ip_address: string }) => each.ip_address)).sort();
}

onEachCloud("a router's interface by a port", (open) => {
  it("is created, healed, exchanged with one by the subnet and back, and deleted without its port", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(BY_PORT) });
    await reconciled(repository);
    expect(await interfaces(rig)).toEqual(["192.0.2.254", "198.51.100.1"]);
    const { id } = await rig.user.named("network", "/v2.0/routers", "routers", "edge");
    const port_id = (await portNamed(rig, "gate")).id;
    await rig.user.demand("network", "PUT", `/v2.0/routers/${id}/remove_router_interface`, { port_id });
    expect(await portNamed(rig, "gate")).toBeUndefined();
    await reconciled(repository);
    expect(await interfaces(rig)).toEqual(["192.0.2.254", "198.51.100.1"]);

    repository.declare(edge("interfaces: [web-a, web-b]"));
    await reconciled(repository);
    expect(await interfaces(rig)).toEqual(["192.0.2.1", "198.51.100.1"]);
    expect(await portNamed(rig, "gate")).toMatchObject({ device_id: "", fixed_ips: [{ ip_address: "192.0.2.254" }] });
    repository.declare(edge("interface_ports: [gate]"));
    await reconciled(repository);
    expect(await interfaces(rig)).toEqual(["192.0.2.254"]);

    repository.declare("networks: { last: {} }");
    await reconciled(repository, "--allow", "empty-list=5");
    expect(await portNamed(rig, "gate")).toBeUndefined();
  });

  it("on a port that belongs to a service is refused with its text, and a second run converges", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(`${BASE}${PORT}`) });
    await reconciled(repository);
    const { id } = await portNamed(rig, "gate");
    await rig.user.demand("network", "PUT", `/v2.0/ports/${id}`, { port: { device_id: "balancer", device_owner: "compute:elsewhere" } });
    repository.declare(BY_PORT);
    const refused = await repository.plumbline("reconcile");
    expect(refused.code, refused.err + refused.out).toBe(4);
    expect(refused.err + refused.out).toContain("Port already has an attached device balancer");
    await rig.user.demand("network", "PUT", `/v2.0/ports/${id}`, { port: { device_id: "", device_owner: "" } });
    await reconciled(repository);
    expect(await interfaces(rig)).toEqual(["192.0.2.254", "198.51.100.1"]);
  });
});

onEachCloud("several external addresses of a router", (open) => {
  it("are set by an administrator, without order, and are changed in place", async () => {
    const rig = await open();
    const member = Repository.create(rig, {
      "cloud/main.yaml": document("routers: { edge: { external_network: public, external_fixed_ips: [{ ip_address: 203.0.113.99 }] } }"),
    });
    const refused = await member.plumbline("reconcile");
    expect(refused.code, refused.err + refused.out).not.toBe(0);
    expect(refused.err + refused.out).toContain("Only an administrator");

    const { authUrl: auth_url } = rig.access;
    const auth = {
      auth_url,
      username: "admin",
      password: "secret",
      project_name: "admin",
      user_domain_id: "default",
      project_domain_id: "default",
    };
    const clouds = join(dirname(rig.cloudsFile), "administrator.yaml");
    writeFileSync(clouds, JSON.stringify({ clouds: { lab: { auth, region_name: "RegionOne" } } }));
    const gateway = (...addresses: string[]) =>
      `routers: { outer: { external_network: public, external_fixed_ips: [${addresses.map((each) => `{ subnet: public-subnet, ip_address: ${each} }`).join(", ")}] } }`;
    const [one = "", two = "", three = ""] = await freeAddresses(rig.admin);
    const repository = Repository.create(rig, { "cloud/main.yaml": document(gateway(two, one)) }, { OS_CLIENT_CONFIG_FILE: clouds });
    await reconciled(repository);
    const shown = async (): Promise<string[]> => {
      const outer = await rig.admin.named("network", "/v2.0/routers", "routers", "outer");
      return outer.external_gateway_info.external_fixed_ips.map((each: { ip_address: string }) => each.ip_address).sort();
    };
    expect(await shown()).toEqual([one, two].sort());
    repository.declare(gateway(three, two, one));
    await reconciled(repository);
    expect(await shown()).toEqual([one, two, three].sort());
    repository.declare("security_groups: { only: {} }");
    await reconciled(repository, "--allow", "empty-list=5");
    repository.declare("networks: {}");
    await repository.plumbline("reconcile", "--allow", "empty-list=5");
  });
});
