import { expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { formatAuthor } from "../../src/report/format-counts.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

const CONFIG = `servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }] } }
networks: { n: {} }`;

async function standing(): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(CONFIG);
  await world.reconciled();
  return world;
}

it("a deleted server is drift with author, time and request", async () => {
  const world = await standing();
  const [server] = world.lab.world.compute.servers(undefined, true);
  expect(world.act("DELETE", `/v2.1/servers/${server?.id}`, undefined, "admin").status).toBe(204);
  world.clock.advance(5000);
  const { items = [] } = (await world.drift()).drift ?? {};
  const journal = world.lab.journal.find(({ method, path }) => method === "DELETE" && path.includes("/servers/"));
  const attribution = items.find(({ change }) => change.path.name === "s")?.attribution;
  expect(attribution).toMatchObject({
    admin: world.lab.world.as("admin").userId,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    request: journal?.requestId,
  });
  expect(formatAuthor(attribution)).toContain(` (${journal?.requestId})`);
});

it("no author is named if the service does not report one: a deleted network, an old compute service, missing records", async () => {
  const world = await standing();
  const network = world.lab.world.network.all("network").find(({ name }) => name === "n");
  const [server] = world.lab.world.compute.servers(undefined, true);
  world.act("DELETE", `/v2.0/networks/${network?.id}`);
  world.act("PUT", `/v2.1/servers/${server?.id}`, { server: { name: "other" } });
  world.lab.fault({ match: { method: "GET", path: "/os-instance-actions" }, effect: { kind: "status", status: 404 }, count: 100 });
  const drift = await world.drift();
  expect(exitCode([drift])).toBe(2);
  const told = drift.drift?.items.map(({ change, attribution }) => [change.path.name ?? change.path.tag, attribution?.admin]);
  expect(told).toEqual([
    ["name", "unknown"],
    ["n", undefined],
  ]);
});
