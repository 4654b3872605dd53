import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectsAt } from "../../../../src/core/json/value.js";
import { NO_AUTH_CALLER } from "../../../../src/lab/contrail/access/caller.js";
import { listObjects } from "../../../../src/lab/contrail/lists/list-objects.js";
import { readListQuery } from "../../../../src/lab/contrail/lists/list-query.js";
import { ContrailWorld } from "../../../../src/lab/contrail/world/world.js";

function worldOf(count: number): ContrailWorld {
  const world = new ContrailWorld();
  world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  for (let index = 0; index < count; index++) {
    const body = { fq_name: ["default-domain", "demo", `n${index}`], display_name: `d${index % 3}`, router_external: index % 2 === 0 };
    world.create("virtual-network", body);
  }
  return world;
}

function ask(world: ContrailWorld, query: string, type = "virtual-network") {
  const params = new URLSearchParams(query);
  return listObjects(
    world,
    type,
    readListQuery((name) => params.get(name) ?? undefined),
    NO_AUTH_CALLER,
    "http://lab",
  );
}

function names(world: ContrailWorld, query: string): unknown[] {
  return objectsAt(ask(world, query), "virtual-networks").map(({ fq_name: name }) => (Array.isArray(name) ? name.at(-1) : name));
}

describe("lists", () => {
  it("are complete in pages of any size, with and without an anchor", () => {
    const world = worldOf(11);
    for (const anchor of ["", "parent_fq_name_str=default-domain:demo&"]) {
      const whole = objectsAt(ask(world, anchor), "virtual-networks");
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 20 }), (limit) => {
          const pages: unknown[] = [];
          let marker: unknown = "None";
          while (typeof marker === "string") {
            const page = ask(world, `${anchor}page_marker=${encodeURIComponent(marker)}&page_limit=${limit}`);
            pages.push(...objectsAt(page, "virtual-networks"));
            marker = page.marker;
          }
          expect(pages).toEqual(whole);
        }),
        { numRuns: 20 },
      );
    }
  });

  it("are filtered by equal properties: one of those with the same key, all of the keys", () => {
    const world = worldOf(6);
    expect(names(world, "filters=display_name==d0,display_name==d1,router_external==true")).toEqual(["n0", "n4"]);
    expect(names(world, "filters=router_external==1")).toEqual([]);
    expect(() => ask(world, "filters=annotations=={}")).toThrow("Invalid filter annotations=={}");
  });

  it("are filtered by references", () => {
    const world = worldOf(2);
    const policy = world.create("network-policy", { fq_name: ["default-domain", "demo", "p"], parent_type: "project" });
    const network = world.store.named("virtual-network", ["default-domain", "demo", "n1"]);
    world.updateReference({
      type: "virtual_network",
      uuid: network?.uuid ?? "",
      referenceType: "network_policy",
      referenceUuid: policy.uuid,
      referenceName: undefined,
      operation: "ADD",
      attr: { sequence: { major: 0, minor: 0 } },
    });
    expect(names(world, `back_ref_id=${policy.uuid}`)).toEqual(["n1"]);
    expect(() => world.delete("network-policy", policy.uuid)).toThrow("Delete when resource still referred: ");
  });

  it("show with detail every property and reference, but children and back references only on request", () => {
    const world = worldOf(1);
    const item = (query: string) =>
      objectsAt(ask(world, `parent_fq_name_str=default-domain:demo&detail=True${query}`), "virtual-networks")[0]?.["virtual-network"];
    expect(item("")).toMatchObject({ display_name: "d0", name: "n0", parent_type: "project" });
    expect(item("")).not.toHaveProperty("routing_instances");
    expect(item("&fields=routing_instances")).toHaveProperty("routing_instances");
    expect(item("&exclude_hrefs=1")).not.toHaveProperty("href");
  });

  it.each(["page_limit=0", "page_limit=x", "page_marker=zz"])("refuse %s", (query) => {
    expect(() => ask(worldOf(0), query)).toThrow("Invalid page_");
  });
});
