import { describe, expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

// `$replace` of a subnet in use once never worked: its delete was refused by the service, in every run.

const config = (cidr: string, more: { net?: string; port?: string; server?: string } = {}) => `networks:
  n: { subnets: { a: { ${more.net ?? ""} cidr: ${cidr} }, b: { cidr: 10.7.0.0/24 } } }
routers: { r: { interfaces: [a, b] } }
ports: { p: { network: n, ${more.port ?? "fixed_ips: [{ subnet: a }]"} } }
servers: { s: { ${more.server ?? ""} image: cirros, flavor: m1.tiny, networks: [{ port: p }] } }`;

const idsOf = ({ lab }: CloudWorld): Record<string, string> => {
  const as = lab.world.as("demo");
  const networks = (["network", "subnet", "port", "router"] as const).flatMap((kind) => lab.world.network.visible(kind, as));
  const all = [...networks, ...lab.world.compute.servers(undefined, true)] as { name: string; id: string }[];
  return Object.fromEntries(all.filter(({ name }) => name !== "").map(({ name, id }) => [name, id]));
};

const changesOf = (world: CloudWorld, since: number): string[] =>
  world.writesSince(since).filter((write) => !write.endsWith("/tags") && !write.startsWith("PUT /v2.0/subnets"));

async function standing(text: string): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(text);
  await world.reconciled();
  return world;
}

describe("a subnet that is replaced while in use", () => {
  it("is removed from its router and port, recreated and put back, in that order, and the plan lists the interruption", async () => {
    const world = await standing(config("10.9.0.0/24"));
    const ids = idsOf(world);
    world.want(config("10.8.0.0/24", { net: "$replace: true," }));
    const { plan } = await world.plan();
    expect(plan?.refusals).toEqual([]);
    expect(plan?.findings.map(({ kind, path }) => `${kind} ${path.name}`)).toEqual(["made-again a", "detached r", "detached p"]);
    expect(plan?.findings[2]?.message).toContain('is interrupted in between ("s" uses it)');
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(changesOf(world, since)).toEqual([
      "PUT /v2.0/routers/ID/remove_router_interface",
      "PUT /v2.0/ports/ID",
      "DELETE /v2.0/subnets/ID",
      "POST /v2.0/subnets",
      "PUT /v2.0/routers/ID/add_router_interface",
      "PUT /v2.0/ports/ID",
    ]);
    const { a: was, ...others } = ids;
    const { a: is, ...now } = idsOf(world);
    expect(now).toEqual(others);
    expect(is).not.toBe(was);
    expect((await world.plan()).plan?.operations).toEqual([]);
    const port = world.lab.world.network.all("port").find(({ name }) => name === "p");
    expect(port?.fixed_ips.map(({ ip_address }) => ip_address)).toEqual([expect.stringMatching(/^10\.8\.0\./)]);
  });

  it("gives a port the new address in the write that puts it back", async () => {
    const world = await standing(config("10.9.0.0/24", { port: "fixed_ips: [{ subnet: a, ip_address: 10.9.0.77 }]" }));
    world.want(
      config("10.8.0.0/24", { net: "$replace: true,", port: "description: moved, fixed_ips: [{ subnet: a, ip_address: 10.8.0.77 }]" }),
    );
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(changesOf(world, since).filter((write) => write.includes("/ports/"))).toHaveLength(2);
    expect((await world.plan()).plan?.operations).toEqual([]);
  });

  it.each([
    ["an address that no document declares", config("10.9.0.0/24", { port: "" }), /port|"p".*declare fixed_ips/s, undefined],
    ["somebody's port", config("10.9.0.0/24"), /in use.*"hers"/, { name: "hers" }],
    [
      "a server that stands in it by itself",
      config("10.9.0.0/24").replace("[{ port: p }]", "[{ port: p }, { network: n, fixed_ip: 10.9.0.99 }]"),
      /in use.*server "s"/,
      undefined,
    ],
  ])("is refused before anything is sent: %s", async (_, text, words, port) => {
    const world = await standing(text);
    const subnet = world.lab.world.network.all("subnet").find(({ name }) => name === "a");
    if (port !== undefined)
      world.act("POST", "/v2.0/ports", { port: { ...port, network_id: subnet?.network_id, fixed_ips: [{ subnet_id: subnet?.id }] } });
    world.want(text.replace("cidr: 10.9.0.0/24", "$replace: true, cidr: 10.8.0.0/24"));
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.plan?.refusals.map(({ message }) => message).join("\n")).toMatch(words);
    expect(world.writesSince(since)).toEqual([]);
  });

  it("leaves router and port unchanged if the service does not delete it, and creates nothing over it", async () => {
    const world = await standing(config("10.9.0.0/24"));
    const ids = idsOf(world);
    world.want(config("10.8.0.0/24", { net: "$replace: true," }));
    world.lab.fault({
      match: { method: "DELETE", path: "/subnets" },
      effect: { kind: "refuse", status: 409, type: "SubnetInUse", message: "no" },
    });
    expect(exitCode([await world.reconcile()])).toBe(4);
    expect(idsOf(world)).toEqual(ids);
    expect((await world.plan()).plan?.changes.map(({ path }) => path.name)).toEqual(["a"]);
    await world.reconciled();
    expect((await world.plan()).plan?.operations).toEqual([]);
  });
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])("a run that dies after its write %i leaves work that the next one completes", async (atWrite) => {
  const world = await standing(config("10.9.0.0/24"));
  world.want(config("10.8.0.0/24", { net: "$replace: true," }));
  world.death = { atWrite, when: "after" };
  await world.reconcile();
  world.death = undefined;
  await world.reconciled();
  expect((await world.plan()).plan?.operations).toEqual([]);
  const port = world.lab.world.network.all("port").find(({ name }) => name === "p");
  expect(port?.fixed_ips.map(({ ip_address }) => ip_address)).toEqual([expect.stringMatching(/^10\.8\.0\./)]);
});

describe("a port with which a server was created", () => {
  const other = (more: string, server = "") =>
    config("10.9.0.0/24", { port: `${more} fixed_ips: [{ subnet: a }], mac_address: "fa:16:3e:00:00:01"`, server });

  it("is detached, recreated and attached, and the server stays: the plan lists the interruption", async () => {
    const world = await standing(config("10.9.0.0/24"));
    const ids = idsOf(world);
    world.want(other("$replace: true,"));
    const { plan } = await world.plan();
    expect(plan?.refusals).toEqual([]);
    expect(plan?.findings.map(({ kind, path }) => `${kind} ${path.name}`)).toEqual(["made-again p", "detached s"]);
    expect(plan?.findings[1]?.message).toContain("is interrupted in between");
    const since = world.lab.journal.length;
    await world.reconciled();
    const writes = changesOf(world, since).filter((write) => /^(DELETE|POST) /.test(write));
    const [server, interfaces] = ["/v2.1/servers/ID", "os-interface"];
    expect(writes).toEqual([
      `DELETE ${server}/${interfaces}/ID`,
      "DELETE /v2.0/ports/ID",
      "POST /v2.0/ports",
      `POST ${server}/${interfaces}`,
    ]);
    const now = idsOf(world);
    expect([now.s === ids.s, now.p === ids.p, now.r === ids.r]).toEqual([true, false, true]);
    expect((await world.plan()).plan?.operations).toEqual([]);
  });
});

it("a key pair is recreated next to the servers that were created with it, which keep their copy", async () => {
  const key = (end: string) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh${end}`;
  const text = (more: string, end: string) =>
    `keypairs: { k: { ${more} public_key: "${key(end)}" } }\nservers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], key_name: k } }`;
  const world = await standing(text("", "8g"));
  const { s } = idsOf(world);
  world.want(text("$replace: true,", "8h"));
  await world.reconciled();
  expect(idsOf(world).s).toBe(s);
});
