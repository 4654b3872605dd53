import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json/value.js";
import { Inventory } from "../../../../src/targets/openstack/read/inventory.js";
import type { OpenstackClient } from "../../../../src/targets/openstack-client/client/client.js";

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

const network = (id: string, name: string, tags: readonly string[] = []): JsonObject => ({
  id,
  name,
  project_id: PROJECT,
  tags: [...tags],
});
const mark = (key: string) => ["plumbline:owner=o", `plumbline:key=${key}`];

describe("an inventory", () => {
  it("uses the same names for read objects, whatever is written in the meantime", async () => {
    const inventory = await inventoryOf({ networks: [network("aaaaaaaa-1", "twin"), network("bbbbbbbb-2", "twin")], subnets: [] });
    expect(inventory.idsOf("networks", "twin~aaaaaaaa")).toEqual(["aaaaaaaa-1"]);
    inventory.put("networks", network("aaaaaaaa-1", "twin", mark("twin~aaaaaaaa")));
    expect(inventory.idsOf("networks", "twin~bbbbbbbb")).toEqual(["bbbbbbbb-2"]);
    expect(inventory.idsOf("networks", "twin")).toEqual([]);
    inventory.remove("networks", "aaaaaaaa-1");
    expect(inventory.called("networks", "bbbbbbbb-2").name).toBe("twin~bbbbbbbb");
  });

  it("finds new objects by name, and no deleted ones", async () => {
    const inventory = await inventoryOf({ networks: [network("aaaaaaaa-1", "one")], subnets: [] });
    inventory.put("networks", network("bbbbbbbb-2", "two", mark("two")));
    expect(inventory.idsOf("networks", "two")).toEqual(["bbbbbbbb-2"]);
    inventory.remove("networks", "aaaaaaaa-1");
    expect(inventory.idsOf("networks", "one")).toEqual([]);
    inventory.put("networks", network("cccccccc-3", "one", mark("one")));
    expect(inventory.idsOf("networks", "one")).toEqual(["cccccccc-3"]);
  });

  it("groups objects by the current state", async () => {
    const subnet = (id: string, network_id: string): JsonObject => ({ id, name: id, network_id, project_id: PROJECT, tags: [] });
    const inventory = await inventoryOf({ networks: [network("n", "n")], subnets: [subnet("a", "n"), subnet("b", "m")] });
    const ids = (of: string) => inventory.where("subnets", "network_id", of).map(({ id }) => id);
    expect(ids("n")).toEqual(["a"]);
    inventory.put("subnets", subnet("b", "n"));
    inventory.put("subnets", subnet("c", "m"));
    expect([ids("n"), ids("m")]).toEqual([["a", "b"], ["c"]]);
    inventory.remove("subnets", "a");
    expect(ids("n")).toEqual(["b"]);
  });
});
