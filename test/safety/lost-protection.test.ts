import { expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

// A document that lists no groups still means the groups and the port security that a new port gets.

const PORTS = `p: { network: n }, g: { network: n, security_groups: [web] }, open: { network: n, port_security_enabled: false }`;
const CONFIG = `networks: { n: { subnets: { a: { cidr: 10.9.0.0/24 } } }, free: { port_security_enabled: false } }
security_groups: { web: {} }
ports: { ${PORTS}, f: { network: free } }`;

const portNamed = (world: CloudWorld, name: string) => world.lab.world.network.all("port").find((port) => port.name === name);

const strip = (world: CloudWorld, name: string, port: object): void => {
  expect(world.act("PUT", `/v2.0/ports/${portNamed(world, name)?.id}`, { port }).status).toBe(200);
};

async function standing(): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(CONFIG);
  await world.reconciled();
  return world;
}

it.each([
  ["its groups", { security_groups: [] }, ["security_groups"]],
  ["its groups and its port security", { security_groups: [], port_security_enabled: false }, ["port_security_enabled", "security_groups"]],
])("a declared port that lost %s is drift, and gets them back in one write", async (_, change, tags) => {
  const world = await standing();
  expect((await world.plan()).plan?.changes).toEqual([]);
  const before = ["p", "g"].map((name) => portNamed(world, name)?.security_groups);
  for (const name of ["p", "g"]) strip(world, name, change);
  const drift = await world.drift();
  expect(exitCode([drift])).toBe(2);
  const paths = drift.drift?.items.map(({ change: { path } }) => `${path.parent?.name} ${path.tag}`).sort();
  expect(paths).toEqual(["g", "p"].flatMap((name) => tags.map((tag) => `${name} ${tag}`)));
  const since = world.lab.journal.length;
  await world.reconciled();
  expect(world.writesSince(since)).toEqual(["PUT /v2.0/ports/ID", "PUT /v2.0/ports/ID"]);
  expect(["p", "g"].map((name) => portNamed(world, name)?.security_groups)).toEqual(before);
  expect(["p", "g", "open", "f"].map((name) => portNamed(world, name)?.port_security_enabled)).toEqual([true, true, false, false]);
  expect((await world.plan()).plan?.changes).toEqual([]);
});

it("a group that an administrator adds to a port whose document lists no groups is drift", async () => {
  const world = await standing();
  const web = world.lab.world.network.all("security_group").find(({ name }) => name === "web");
  const before = portNamed(world, "p")?.security_groups;
  strip(world, "p", { security_groups: [web?.id] });
  expect((await world.plan()).plan?.changes.map(({ path }) => path.tag)).toEqual(["security_groups"]);
  await world.reconciled();
  expect(portNamed(world, "p")?.security_groups).toEqual(before);
});

it("removing the line security_groups from a port removes its groups", async () => {
  const world = await standing();
  world.want(CONFIG.replace(", security_groups: [web]", ""));
  await world.reconciled();
  expect(portNamed(world, "g")?.security_groups).toEqual(portNamed(world, "p")?.security_groups);
  expect((await world.plan()).plan?.changes).toEqual([]);
});

it("a port that was taken over without groups keeps none", async () => {
  const world = (await CloudWorld.start()).want("networks: { n: { subnets: { a: { cidr: 10.9.0.0/24 } } } }");
  await world.reconciled();
  const network = world.lab.world.network.all("network").find(({ name }) => name === "n");
  world.act("POST", "/v2.0/ports", { port: { name: "vip", network_id: network?.id, security_groups: [] } });
  world.want("networks: { n: { subnets: { a: { cidr: 10.9.0.0/24 } } } }\nports: { vip: { $adopt: true, network: n } }");
  await world.reconciled();
  expect(portNamed(world, "vip")?.security_groups).toEqual([]);
  expect((await world.plan()).plan?.changes).toEqual([]);
});
