import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

const document = (server: string) => `networks: { n: { subnets: { s: { cidr: 10.4.0.0/24 } } } }
servers: { web: { image: cirros, flavor: m1.tiny, networks: [{ network: n }], ${server} } }`;

const changed = ({ plan }: TargetOutcome) => plan?.changes.map(({ path }) => path.tag);
const serverOf = ({ lab }: CloudWorld) => lab.world.compute.servers(lab.world.as("demo").projectId)[0];

/** Publishes a new image under the name of the old one. */
function rotate({ lab }: CloudWorld): void {
  const [old] = lab.world.images.visible(undefined, true);
  if (old === undefined) throw new Error("no image");
  Object.assign(old, { name: "cirros-2025" });
  lab.world.images.add("cirros", old.owner);
}

describe("a new image under the name of the image that a server was made from", () => {
  it.each([["metadata: { role: front }"], ["metadata: { role: front }, $rebuild: true"], ["metadata: { role: front }, $replace: true"]])(
    "changes nothing, and other edits are applied: %s",
    async (words) => {
      const world = (await CloudWorld.start()).want(document(words));
      await world.reconciled();
      rotate(world);
      expect(changed(await world.plan())).toEqual([]);
      const { id, imageId } = serverOf(world) ?? {};
      world.want(document(words.replace("front", "back")));
      expect(exitCode([await world.reconcile()])).toBe(0);
      expect(serverOf(world)).toMatchObject({ id, imageId, metadata: { role: "back" } });
    },
  );

  it("is used after the documents have named another image", async () => {
    const world = (await CloudWorld.start()).want(document("$rebuild: true"));
    await world.reconciled();
    const first = serverOf(world)?.imageId;
    rotate(world);
    const other = world.lab.world.images.add("other", "x").id;
    world.want(document("$rebuild: true").replace("image: cirros", "image: other"));
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(serverOf(world)?.imageId).toBe(other);
    expect(changed(await world.plan())).toEqual([]);
    world.want(document("$rebuild: true"));
    expect(changed(await world.plan())).toEqual(["image"]);
    await world.reconciled();
    expect([first, other]).not.toContain(serverOf(world)?.imageId);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("is still drift when an administrator rebuilds the server on it", async () => {
    const world = (await CloudWorld.start()).want(document("description: d"));
    await world.reconciled();
    const other = world.lab.world.images.add("other", "x").id;
    expect(world.act("POST", `/v2.1/servers/${serverOf(world)?.id}/action`, { rebuild: { imageRef: other } }).status).toBe(202);
    world.clock.advance(60_000);
    expect((await world.plan()).plan?.refusals.map(({ guard }) => guard)).toEqual(["replace"]);
  });
});
