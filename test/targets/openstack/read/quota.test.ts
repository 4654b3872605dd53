import { describe, expect, it } from "vitest";
import { exitCode } from "../../../../src/outcome/outcome.js";
import { CloudWorld } from "../cloud-world.js";

const projectOf = ({ lab }: CloudWorld) => lab.world.as("demo").projectId ?? "";

const told = async (world: CloudWorld) =>
  (await world.plan()).plan?.findings.filter(({ kind }) => kind === "no-room").map(({ message }) => message);

/** An existing project, with this much quota left in addition to the lab's initial usage. */
async function standing(config: string): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(config);
  await world.reconciled();
  return world;
}

describe("a plan that exceeds the quotas", () => {
  it("reports it before a request, at the line of the first, and creates what fits", async () => {
    const world = await standing("networks: { a: {} }");
    const { quotas } = world.lab.world.network.store;
    const used = quotas.used(projectOf(world), "network");
    quotas.set(projectOf(world), { network: used + 1 });
    world.want("networks: { a: {}, b: { subnets: { b-a: { cidr: 10.9.1.0/24 } } }, c: {} }");
    const planned = await world.plan();
    expect(exitCode([planned])).toBe(2);
    expect(planned.plan?.findings).toMatchObject([
      {
        kind: "no-room",
        message: `The quota leaves 1 of "network" (${used + 1}, ${used} used), and this plan takes 2 more.`,
        refuses: false,
        origin: expect.any(Number),
      },
    ]);
    const done = await world.reconcile();
    expect(exitCode([done])).toBe(4);
    expect(done.plan?.findings).toMatchObject([{ kind: "no-room" }]);
    quotas.set(projectOf(world), { network: -1 });
    expect(await told(world)).toEqual([]);
    await world.reconciled();
  });

  it("counts nested objects, the flavors of servers, growth of volumes, and deletions against creations", async () => {
    const subnets = "networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }";
    const base = (size: number, flavor: string, more = "") =>
      `${subnets}\nvolumes: { v: { size: ${size} } }\nservers: { w: { image: cirros, flavor: ${flavor}, $down: true, networks: [{ network: n }] }${more} }`;
    const world = await standing(base(1, "m1.tiny"));
    const { network, compute, volumes } = world.lab.world;
    const project = projectOf(world);
    const { cores } = compute.used(project);
    compute.setLimits(project, { cores: cores + 1, ram: -1 });
    volumes.setLimits(project, { gigabytes: volumes.used(project).gigabytes + 2 });
    network.store.quotas.set(project, { security_group_rule: network.store.quotas.used(project, "security_group_rule") });
    expect(await told(world)).toEqual([]);
    const two =
      ", x: { image: cirros, flavor: m1.tiny, networks: [{ network: n }] }, y: { image: cirros, flavor: m1.tiny, networks: [{ network: n }] }";
    world.want(
      `${base(4, "m1.tiny", two)}\nsecurity_groups: { g: { rules: [{ direction: ingress, protocol: tcp, remote_ip_prefix: 10.0.0.0/8 }] } }`,
    );
    expect((await told(world))?.map((each) => each.replace(/\(.*?\)/, "()")).sort()).toEqual([
      'The quota leaves 0 of "security_group_rule" (), and this plan takes 1 more.',
      'The quota leaves 1 of "cores" (), and this plan takes 2 more.',
      'The quota leaves 2 of "gigabytes" (), and this plan takes 3 more.',
    ]);
    world.want(
      base(3, "m1.tiny", two)
        .replace("w: {", "z: {")
        .replace(/, y: .*\] \}/, ""),
    );
    expect(await told(world)).toEqual([]);
    world.want(base(1, "m1.large"));
    expect((await told(world))?.join()).toContain('"cores"');
  });

  it("counts the ports that services create: of servers for each network without a declared port, of routers for each subnet", async () => {
    const networks = "networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } }, m: { subnets: { t: { cidr: 10.9.2.0/24 } } } }";
    const rest = "ports: { vip: { network: n } }\nrouters: { r: { interfaces: [s] } }";
    const world = await standing(`${networks}\n${rest}`);
    const { quotas } = world.lab.world.network.store;
    const used = quotas.used(projectOf(world), "port");
    quotas.set(projectOf(world), { port: used });
    const server = (rows: string) => `servers: { w: { image: cirros, flavor: m1.tiny, networks: [${rows}] } }`;
    world.want(`${networks}\n${rest}\n${server("{ port: vip }")}`);
    expect(await told(world)).toEqual([]);
    const more = (count: number) => [`The quota leaves 0 of "port" (${used}, ${used} used), and this plan takes ${count} more.`];
    world.want(`${networks}\n${rest}\n${server("{ port: vip }, { network: m }, { network: n }")}`);
    expect(await told(world)).toEqual(more(2));
    world.want(`${networks}\n${rest.replace("[s]", "[s, t]")}`);
    expect(await told(world)).toEqual(more(1));
    world.want(`${networks}\n${rest.replace("[s]", "[t]")}`);
    expect(await told(world)).toEqual([]);
    world.want(`${networks}\n${rest.replace("[s] }", "[s] }, q: { interfaces: [t] }")}`);
    expect(await told(world)).toEqual(more(1));
  });

  it("is not reported if a service does not return usage, and nothing is read without creations", async () => {
    const world = await standing("networks: { a: {} }");
    const asked = () => world.lab.journal.filter(({ path }) => /quotas|limits/.test(path)).length;
    const before = asked();
    await world.plan();
    world.want("networks: { a: { description: more } }");
    await world.reconciled();
    expect(asked()).toBe(before);
    world.lab.world.network.store.quotas.set(projectOf(world), { network: 1 });
    world.lab.fault({ match: { path: "/quotas" }, effect: { kind: "status", status: 403 }, count: 9 });
    world.want("networks: { a: { description: more }, b: {} }");
    expect(await told(world)).toEqual([]);
  });
});
