import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/json/value.js";
import type { OpenstackClient } from "../../../../src/targets/openstack/client/client.js";
import { Inventory } from "../../../../src/targets/openstack/read/inventory.js";

const PROJECT = "p";

async function inventoryOf(objects: Readonly<Record<string, readonly JsonObject[]>>): Promise<Inventory> {
  const client = {
    list: async ({ collection }: { collection: string }) => objects[collection] ?? [],
    session: async () => ({ project: { id: PROJECT } }),
  };
  const inventory = new Inventory(client as unknown as OpenstackClient);
  await inventory.load(["networks", "subnets"]);
  return inventory;
}

/** Numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe("an inventory that objects are put in and taken from", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("calls and groups them as one that is read anew (%i)", async (seed) => {
    const any = numbers(seed);
    const networks = new Map(["n0", "n1"].map((id) => [id, { id, name: id, project_id: PROJECT, tags: [] as string[] }]));
    const subnets = new Map<string, JsonObject>();
    const inventory = await inventoryOf({ networks: [...networks.values()], subnets: [] });
    for (let step = 0; step < 60; step++) {
      const id = `s${any(8)}-0000-0000`;
      if (subnets.has(id) && any(3) === 0) {
        subnets.delete(id);
        inventory.remove("subnets", id);
      } else {
        const name = `name${any(3)}`;
        const tags = any(2) === 0 ? ["plumbline:owner=o", `plumbline:key=${name}`] : [];
        const subnet = { id, name, network_id: subnets.get(id)?.network_id ?? `n${any(2)}`, project_id: PROJECT, tags };
        subnets.set(id, subnet);
        inventory.put("subnets", subnet);
      }
      const anew = await inventoryOf({ networks: [...networks.values()], subnets: [...subnets.values()] });
      for (const each of subnets.keys()) {
        expect(inventory.called("subnets", each)).toEqual(anew.called("subnets", each));
        expect(inventory.keyOf("subnets", each)).toBe(anew.keyOf("subnets", each));
      }
      for (const name of ["name0", "name1", "name2"])
        expect([...inventory.idsOf("subnets", name)].sort()).toEqual([...anew.idsOf("subnets", name)].sort());
      for (const network of networks.keys()) {
        const ids = (of: Inventory) =>
          of
            .where("subnets", "network_id", network)
            .map((subnet) => subnet.id)
            .sort();
        expect(ids(inventory)).toEqual(ids(anew));
      }
    }
  });
});
