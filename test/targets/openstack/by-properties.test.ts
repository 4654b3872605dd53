import { describe, expect, it } from "vitest";
import { CloudWorld } from "./cloud-world.js";

const NETWORK = "networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }\n";
const server = (image: string, flavor: string) =>
  `${NETWORK}servers: { w: { image: "\${cloud:images/entry${image}/@name}", flavor: "\${cloud:flavors/entry${flavor}/@name}", availability_zone: "\${cloud:availability_zones/entry[available='true']/@name}", networks: [{ network: n }] } }`;

async function cloud(): Promise<CloudWorld> {
  const world = await CloudWorld.start();
  const { images } = world.lab.world;
  const admin = world.lab.world.as("admin").projectId ?? "";
  images.add("of-today", admin, { os_distro: "debian", release: "12" } as object);
  images.add("of-yesterday", admin, { os_distro: "debian", release: "11" } as object);
  return world;
}

describe("references to existing objects of a cloud", () => {
  it("find an image by its properties, a flavor by its size and a zone that is up, and survive a rename of the image", async () => {
    const world = (await cloud()).want(server("[os_distro='debian'][release='12']", "[ram='2048'][vcpus='1']"));
    await world.reconciled();
    const [made] = world.lab.world.compute.servers(undefined, true);
    expect(made).toMatchObject({ name: "w", flavor: { name: "m1.small" }, availabilityZone: "nova" });
    expect(world.lab.world.images.get(made?.imageId ?? "", undefined, true)?.name).toBe("of-today");
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("also find objects by name, in the project of the documents", async () => {
    const world = (await cloud()).want(`networks: { n: { description: "\${cloud:projects/entry[@name='demo']/id}" } }`);
    await world.reconciled();
    const [made] = world.lab.world.network.all("network").filter(({ name }) => name === "n");
    expect(made?.description).toBe(world.lab.world.as("demo").projectId);
    world.want("networks: { n: { description: \"${cloud:networks/entry[@name='private']/id}\" } }");
    await expect(world.plan()).rejects.toThrow(/resolves to nothing/);
  });

  it.each([
    ["[os_distro='plan9']", "[ram='2048']"],
    ["[os_distro='debian']", "[ram='2048']"],
    ["[release='12']", "[ram='3']"],
  ])("that lead to nothing, or to several (%s, %s), stop the plan and are named", async (image, flavor) => {
    const world = (await cloud()).want(server(image, flavor));
    const since = world.lab.journal.length;
    const outcome = await world.reconcile().catch((error: Error) => ({ error }));
    expect(outcome.error?.message).toContain("entry[");
    expect(world.writesSince(since)).toEqual([]);
  });
});
