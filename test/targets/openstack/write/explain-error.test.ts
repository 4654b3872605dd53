import { expect, it } from "vitest";
import { CloudWorld } from "../cloud-world.js";

it.each(["pause", "suspend", "rescue", "shelve"])("names the commands for a server after %s", async (action) => {
  const world = await CloudWorld.start();
  world.want("servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], power: on } }");
  await world.reconciled();
  const [server] = world.lab.world.compute.servers(undefined, true);
  world.act("POST", `/v2.1/servers/${server?.id}/action`, { [action]: null });
  world.clock.advance(5000);
  const { error } = await world.reconcile();
  expect(error).toMatchObject({ code: "partly-applied", next: expect.stringContaining("bring it back (openstack server unpause, resume") });
});
