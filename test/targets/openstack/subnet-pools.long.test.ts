import { describe, expect, it } from "vitest";
import type { Subnet } from "../../../src/lab/openstack/network/subnet.js";
import type { SubnetPool } from "../../../src/lab/openstack/network/subnet-pools.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const POOL = "subnetpools: { inner: { prefixes: [10.5.0.0/24, 10.6.0.0/24], default_prefixlen: 26, description: ours } }\n";
const NETWORKS = `networks:
  web: { subnets: { web-a: { subnetpool: inner } } }
  db: { subnets: { db-a: { subnetpool: inner, cidr: 10.6.0.0/25 }, db-b: { subnetpool: inner, prefixlen: 27, gateway_ip: "null" } } }
`;
const DECLARED = POOL + NETWORKS;

const changed = (outcome: TargetOutcome) =>
  (outcome.drift?.items.map(({ change }) => change) ?? outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`).sort();

function pool({ lab }: CloudWorld): SubnetPool {
  const [found, ...others] = lab.world.network.all("subnetpool").filter(({ tags }) => tags.includes("plumbline:key=inner"));
  if (found === undefined || others.length > 0) throw new Error(`${others.length} more than one subnet pool are inner`);
  return found;
}

function subnet({ lab }: CloudWorld, name: string): Subnet {
  const found = lab.world.network.all("subnet").find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no subnet ${name}`);
  return found;
}

async function standing(documents = DECLARED): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(documents);
  await world.reconciled();
  return world;
}

const AT = "/openstack/subnetpools/entry[@name='inner']";

describe("subnet pools", () => {
  it("are created before their subnets, and no difference remains", async () => {
    const world = await standing();
    const { id } = pool(world);
    expect(pool(world)).toMatchObject({ prefixes: ["10.5.0.0/24", "10.6.0.0/24"], default_prefixlen: 26, description: "ours" });
    expect(subnet(world, "web-a")).toMatchObject({ subnetpool_id: id, cidr: expect.stringMatching(/^10\.[56]\.0\.\d+\/26$/) });
    expect(subnet(world, "db-a")).toMatchObject({ subnetpool_id: id, cidr: "10.6.0.0/25" });
    expect(subnet(world, "db-b")).toMatchObject({ subnetpool_id: id, gateway_ip: null, cidr: expect.stringMatching(/\/27$/) });
    const since = world.lab.journal.length;
    expect(changed(await world.reconciled())).toEqual([]);
    expect(world.writesSince(since)).toEqual([]);
  });

  it("grow and shrink in place; prefixes that merge into a larger one are no difference", async () => {
    const world = await standing();
    const { id } = pool(world);
    const prefixes = async (said: string, shown: string[]) => {
      world.want(DECLARED.replace("10.5.0.0/24, 10.6.0.0/24", said));
      await world.reconciled();
      expect(pool(world)).toMatchObject({ id, prefixes: shown });
      expect(changed(await world.plan())).toEqual([]);
    };
    await prefixes("10.5.0.0/24, 10.6.0.0/24, 10.6.1.0/24", ["10.5.0.0/24", "10.6.0.0/23"]);
    await prefixes("10.5.0.0/24, 10.6.0.0/24, 10.6.1.128/25", ["10.5.0.0/24", "10.6.0.0/24", "10.6.1.128/25"]);
    world.want(DECLARED.replace("10.5.0.0/24, 10.6.0.0/24", "10.5.0.0/24"));
    const used = await world.reconcile();
    expect(exitCode([used])).toBe(1);
    expect(used.error?.message).toContain("One or more the prefixes to be removed is in use by a subnet");
    expect(pool(world).prefixes).toContain("10.6.0.0/24");
  });

  it("change lengths, quota, description and name in place, and are healed", async () => {
    const world = await standing();
    const { id } = pool(world);
    world.want(
      DECLARED.replace(
        "default_prefixlen: 26, description: ours",
        "default_prefixlen: 28, min_prefixlen: 24, default_quota: 4096, tags: [a]",
      ),
    );
    await world.reconciled();
    expect(pool(world)).toMatchObject({ id, default_prefixlen: 28, min_prefixlen: 24, default_quota: 4096, description: "" });
    world.act("PUT", `/v2.0/subnetpools/${id}`, { subnetpool: { default_prefixlen: 30, description: "theirs", name: "theirs" } });
    expect(changed(await world.drift())).toEqual([`differs ${AT}/default_prefixlen`, `extra ${AT}/description`, `extra ${AT}/name`]);
    await world.reconciled();
    expect(pool(world)).toMatchObject({ default_prefixlen: 28, description: "", name: "inner" });
    world.want(DECLARED.replaceAll("inner", "outer").replace("outer: { prefixes", "outer: { $was: inner, prefixes"));
    await world.reconciled();
    expect(world.lab.world.network.all("subnetpool")).toMatchObject([{ id, name: "outer" }]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are deleted by ledger and mark, after their subnets; those of others stay", async () => {
    const world = await standing();
    world.act("POST", "/v2.0/subnetpools", { subnetpool: { name: "theirs", prefixes: ["10.9.0.0/24"] } });
    world.want("networks: { last: {} }");
    await world.reconciled();
    expect(world.lab.world.network.all("subnetpool").map(({ name }) => name)).toEqual(["theirs"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("stay while an unmanaged subnet uses them: the plan names it", async () => {
    const world = await standing();
    const { network } = world.act("POST", "/v2.0/networks", { network: { name: "theirs" } }).body as { network: { id: string } };
    world.act("POST", "/v2.0/subnets", { subnet: { network_id: network.id, name: "t", ip_version: 4, subnetpool_id: pool(world).id } });
    world.want("networks: { last: {} }");
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(JSON.stringify(refused.plan?.refusals)).toContain("theirs");
    expect(pool(world).name).toBe("inner");
  });

  it("of others are taken over with $adopt, and may be used without", async () => {
    const world = await CloudWorld.start();
    world.act("POST", "/v2.0/subnetpools", { subnetpool: { name: "inner", prefixes: ["10.5.0.0/24"], min_prefixlen: 24 } });
    world.want("networks: { web: { subnets: { web-a: { subnetpool: inner } } } }");
    await world.reconciled();
    expect(subnet(world, "web-a").cidr).toBe("10.5.0.0/24");
    world.want("subnetpools: { inner: { prefixes: [10.5.0.0/24] } }");
    expect(exitCode([await world.reconcile()])).toBe(3);
    world.want("subnetpools: { inner: { $adopt: true, prefixes: [10.5.0.0/24] } }");
    await world.reconciled();
    expect(pool(world).name).toBe("inner");
  });

  it("that another project shares are used, and are never extra", async () => {
    const world = await CloudWorld.start();
    world.act(
      "POST",
      "/v2.0/subnetpools",
      { subnetpool: { name: "all", prefixes: ["10.5.0.0/24"], shared: true, min_prefixlen: 26 } },
      "admin",
    );
    world.want("networks: { web: { subnets: { web-a: { subnetpool: all } } } }");
    await world.reconciled();
    expect(subnet(world, "web-a").cidr).toBe("10.5.0.0/26");
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are exchanged only by replacing the subnet", async () => {
    const world = await standing();
    world.want(`${DECLARED.replace("web-a: { subnetpool: inner }", "web-a: { cidr: 10.6.0.128/27 }")}`);
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.plan?.refusals).toMatchObject([{ guard: "replace", message: expect.stringContaining('"cidr" of "web-a"') }]);
  });
});

describe("failing subnet pools", () => {
  it.each([
    ["no room", "prefixlen: 20", "Insufficient prefix space to allocate subnet size /20", "The pool has no room"],
    ["outside", "cidr: 192.0.2.0/24", "Cannot allocate requested subnet from the available set", "Correct cidr"],
    ["too short", "prefixlen: 4", "minimum allowed prefix is 8", "Correct the value that the service names"],
  ])("%s: refused once, told, and what stands is made at the next run", async (_, said, words, next) => {
    const world = (await CloudWorld.start()).want(
      DECLARED.replace("web-a: { subnetpool: inner }", `web-a: { subnetpool: inner, ${said} }`),
    );
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    const told = JSON.stringify([outcome.error?.message, outcome.error?.next]);
    expect(told).toContain(words);
    expect(told).toContain(next);
    expect(world.writesSince(0).filter((each) => each === "POST /v2.0/subnets")).toHaveLength(1 + 3);
    world.want(DECLARED);
    await world.reconciled();
    expect(subnet(world, "web-a").subnetpool_id).toBe(pool(world).id);
  });

  it("an unknown name, a pool without prefixes, a subnet with neither", async () => {
    const world = (await CloudWorld.start()).want("networks: { web: { subnets: { web-a: { subnetpool: nowhere } } } }");
    expect((await world.reconcile()).error?.message).toContain('there is no subnet pool called "nowhere"');
    world.want("subnetpools: { empty: { description: x } }");
    expect((await world.reconcile()).error?.message).toContain("a subnet pool needs its prefixes");
    world.want("networks: { web: { subnets: { web-a: { enable_dhcp: false } } } }");
    expect((await world.reconcile()).error?.message).toContain("a subnet needs its cidr or its subnetpool");
  });

  it("a cloud without the extension is reported at plan if one is declared, and read otherwise", async () => {
    const world = (await CloudWorld.start()).want("networks: { web: {} }");
    const refusal = { kind: "refuse" as const, status: 404, type: "HTTPNotFound", message: "The resource could not be found." };
    world.lab.fault({ match: { path: "/subnetpools" }, effect: refusal, count: 100 });
    await world.reconciled();
    world.want(POOL);
    expect((await world.plan()).error).toMatchObject({
      code: "cloud-extension-missing",
      message: expect.stringContaining("no subnetpools"),
    });
  });

  it.each([1, 2, 4, 6])("a run killed after write %i is continued from a new clone: one of each", async (atWrite) => {
    const world = (await CloudWorld.start()).want(DECLARED);
    world.death = { atWrite, when: "after" };
    expect((await world.reconcile()).error).toBeDefined();
    await world.resurrect().cloneAnew().reconciled();
    expect(world.lab.world.network.all("subnetpool")).toHaveLength(1);
    expect(changed(await world.plan())).toEqual([]);
  });
});
