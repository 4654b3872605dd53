import { expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

// A heal is a change like any other: it would shrink a server again that an administrator resized.

const config = (more: string) => `networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }
servers: { web: { image: cirros, flavor: m1.tiny, networks: [{ network: n }]${more} } }`;

it("stops no server for a change in place, including a heal, without permission in the document or the run", async () => {
  const world = (await CloudWorld.start()).want(config(""));
  await world.reconciled();
  const { compute } = world.lab.world;
  const [server] = compute.servers(world.lab.world.as("demo").projectId);
  const act = (body: object) => {
    expect(world.act("POST", `/v2.1/servers/${server?.id}/action`, body).status).toBeLessThan(300);
    world.clock.advance(5000);
  };
  // With one disk, so that the host can shrink it again.
  for (const [id, flavor] of compute.flavors) compute.flavors.set(id, { ...flavor, disk: 1 });
  act({ resize: { flavorRef: "2" } });
  act({ confirmResize: null });
  const since = world.lab.journal.length;
  const refused = await world.reconcile();
  expect(exitCode([refused])).toBe(3);
  expect(refused.plan?.refusals).toMatchObject([{ guard: "down", allow: "--allow down" }]);
  expect(world.writesSince(since)).toEqual([]);
  expect(compute.get(server?.id ?? "", world.lab.world.as("demo"))).toMatchObject({ flavor: { name: "m1.small" }, vmState: "active" });
  world.want(config(", $down: true"));
  await world.reconciled();
  expect(compute.get(server?.id ?? "", world.lab.world.as("demo"))).toMatchObject({ flavor: { name: "m1.tiny" }, vmState: "active" });
});
