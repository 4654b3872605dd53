import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { networkNamed, ownNetworks, serverNamed, subnetNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const WEB = "networks: { web: { subnets: { web-a: { cidr: 192.0.2.0/24 } } } }";
const server = (name: string, more: string) => `servers: { ${name}: { image: cirros, flavor: m1.tiny, ${more} } }`;

onEachCloud("refusals of the cloud", (open) => {
  it("leave the rest applied: a server that cannot be built is reported with the cloud's reason", async () => {
    const rig = await open();
    const lost = server("lost", "networks: [{ network: web, fixed_ip: 203.0.113.200 }]");
    const repository = Repository.create(rig, { "cloud/main.yaml": document(`${WEB}\n${lost}`) });
    const done = await repository.plumbline("reconcile");
    expect(done.code, done.err + done.out).toBe(4);
    expect(done.err + done.out).toContain("lost");
    expect(await serverNamed(rig.user, "lost")).toMatchObject({ status: "ERROR", fault: { code: 500 } });
    expect(await subnetNamed(rig.user, "web-a")).toBeDefined();
    const { message } = (await serverNamed(rig.user, "lost")).fault;
    expect(done.out).toContain(message);
    const plan = await repository.plumbline("plan");
    expect(plan.code, "a failed server is not what was wanted").toBe(3);
    expect(plan.out).toContain(message);
    expect((await repository.plumbline("drift")).out).toContain(message);
    expect((await repository.plumbline("drift", "--format", "json")).out).toContain(JSON.stringify(message).slice(1, -1));
    await repository.plumbline("report", "--html", `${repository.folder}-page`);
    expect(readFileSync(join(`${repository.folder}-page`, "index.html"), "utf8")).toContain(message);
  });

  it("leave the rest applied: a quota", async () => {
    const rig = await open();
    await rig.admin.demand("network", "PUT", `/v2.0/quotas/${await rig.user.projectId()}`, { quota: { network: 2 } });
    const repository = Repository.create(rig, { "cloud/main.yaml": document("networks: { a: {}, b: {}, c: {} }") });
    const plan = await repository.plumbline("plan");
    expect(plan, plan.err + plan.out).toMatchObject({
      code: 2,
      out: expect.stringContaining('The quota leaves 2 of "network" (2, 0 used)'),
    });
    const done = await repository.plumbline("reconcile");
    expect(done.code, done.err + done.out).toBe(4);
    expect(done.err + done.out).toContain("Quota exceeded for resources: ['network'].");
    expect(await ownNetworks(rig.user)).toHaveLength(2);
    await rig.admin.demand("network", "PUT", `/v2.0/quotas/${await rig.user.projectId()}`, { quota: { network: 3 } });
    const rest = await repository.plumbline("reconcile");
    expect(rest, rest.err + rest.out).toMatchObject({ code: 0 });
    expect(await ownNetworks(rig.user)).toEqual(["a", "b", "c"]);
  });

  it("are reported before a create: a missing image", async () => {
    const rig = await open();
    const text = `${WEB}\nservers: { s: { image: no-such-image, flavor: m1.tiny, networks: [{ network: web }] } }`;
    const repository = Repository.create(rig, { "cloud/main.yaml": document(text) });
    const done = await repository.plumbline("reconcile");
    expect([1, 3, 4], done.err + done.out).toContain(done.code);
    expect(done.err + done.out).toContain("no-such-image");
    expect(await rig.user.list("compute", "/servers", "servers")).toEqual([]);
  });

  it("are reported: an address in use", async () => {
    const rig = await open();
    await rig.somebody.createNetwork("theirs");
    const taken =
      "ports:\n  one: { network: web, fixed_ips: [{ subnet: web-a, ip_address: 192.0.2.9 }] }\n  two: { network: web, fixed_ips: [{ subnet: web-a, ip_address: 192.0.2.9 }] }";
    const repository = Repository.create(rig, { "cloud/main.yaml": document(`${WEB}\n${taken}`) });
    const done = await repository.plumbline("reconcile");
    expect(done.code, done.err + done.out).toBe(4);
    expect(done.err + done.out).toContain("192.0.2.9");
    const ports = await rig.user.list("network", "/v2.0/ports", "ports");
    expect(ports.map(({ name }) => name)).toHaveLength(1);
    expect(await ownNetworks(rig.user)).toEqual(["theirs", "web"]);
  });

  // Why ports are made one by one (docs/contributing/devices/openstack.md#network).
  it("leak addresses of ports that are refused together, until their subnet is deleted", async () => {
    const { user } = await open();
    const { id: network_id } = (await user.demand("network", "POST", "/v2.0/networks", { network: { name: "n" } })).network;
    const subnet = { network_id, ip_version: 4, cidr: "192.0.2.0/29", enable_dhcp: false };
    const { id } = (await user.demand("network", "POST", "/v2.0/subnets", { subnet })).subnet;
    const port = (ip_address?: string) => ({ network_id, ...(ip_address === undefined ? {} : { fixed_ips: [{ ip_address }] }) });
    const asked = async (body: object) => await user.request("network", "POST", "/v2.0/ports", body);
    const taken = { status: 409, json: { NeutronError: { type: "IpAddressAlreadyAllocated" } } };
    expect(await asked({ ports: [port("192.0.2.3"), port("192.0.2.4"), port("192.0.2.4")] })).toMatchObject(taken);
    expect(await asked({ ports: [port(), port("192.0.2.3")] })).toMatchObject(taken);
    for (const address of ["192.0.2.3", "192.0.2.4"]) expect(await asked({ port: port(address) })).toMatchObject(taken);
    expect(await user.list("network", "/v2.0/ports", "ports")).toEqual([]);
    const left = [await asked({ port: port() }), await asked({ port: port() })];
    expect(left).toMatchObject([{ status: 201 }, { status: 201 }]);
    expect(await asked({ port: port() })).toMatchObject({ status: 409, json: { NeutronError: { type: "IpAddressGenerationFailure" } } });
    for (const { json } of left) await user.demand("network", "DELETE", `/v2.0/ports/${json.port.id}`);
    await user.demand("network", "DELETE", `/v2.0/subnets/${id}`);
    await user.demand("network", "POST", "/v2.0/subnets", { subnet });
    expect(await asked({ port: port("192.0.2.3") })).toMatchObject({ status: 201 });
  });
});

onEachCloud("fixed fields", (open) => {
  it("require a replacement, which the document can permit", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(WEB) });
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    const network = (await networkNamed(rig.user, "web")).id;
    const before = (await subnetNamed(rig.user, "web-a")).id;

    repository.declare(WEB.replace("192.0.2.0/24", "198.51.100.0/24"));
    const refused = await repository.plumbline("plan");
    expect(refused.code, refused.err + refused.out).toBe(3);
    expect(refused.err + refused.out).toContain("$replace: true");
    expect(await subnetNamed(rig.user, "web-a")).toMatchObject({ id: before, cidr: "192.0.2.0/24" });

    repository.declare(WEB.replace("cidr: 192.0.2.0/24", "$replace: true, cidr: 198.51.100.0/24"));
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(await subnetNamed(rig.user, "web-a")).toMatchObject({ cidr: "198.51.100.0/24" });
    expect((await networkNamed(rig.user, "web")).id).toBe(network);
  });
});
