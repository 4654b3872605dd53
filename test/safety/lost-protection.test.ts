import { expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

// A port of which the document names no groups once lost them, and its port security, without a word.

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

it("other groups than the first, which no document declares, stay nobody's business", async () => {
  const world = await standing();
  const web = world.lab.world.network.all("security_group").find(({ name }) => name === "web");
  strip(world, "p", { security_groups: [web?.id] });
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
