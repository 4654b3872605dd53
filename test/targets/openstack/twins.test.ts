import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

/** Unmarked networks and subnets with the same name. */
async function twins() {
  const world = await CloudWorld.start();
  const ids: string[] = [];
  for (const third of [1, 2, 3]) {
    const { body } = world.act("POST", "/v2.0/networks", { network: { name: "twin" } });
    const network = (body as { network: { id: string } }).network.id;
    ids.push(network);
    for (const fourth of [0, 128])
      world.act("POST", "/v2.0/subnets", {
        subnet: { network_id: network, ip_version: 4, cidr: `10.9.${third}.${fourth}/25`, name: "same" },
      });
  }
  const { network: store } = world.lab.world;
  const subnetsOf = (network: string) => store.all("subnet").filter(({ network_id }) => network_id === network);
  const entry = (id: string) => {
    const inner = subnetsOf(id).map((subnet) => `same~${subnet.id.slice(0, 8)}: { $adopt: true, name: same, cidr: ${subnet.cidr} }`);
    return `twin~${id.slice(0, 8)}: { $adopt: true, name: twin, subnets: { $entries: { ${inner.join(", ")} } } }`;
  };
  world.want(`networks: { $entries: { ${ids.map(entry).join(", ")} } }`);
  return {
    world,
    ids,
    all: () => store.all("network").filter(({ project_id }) => project_id === world.lab.world.as("demo").projectId),
    subnetsOf,
  };
}

describe("objects that share a name", () => {
  it("are taken over separately: nothing is created, and no name changes", async () => {
    const { world, ids, all, subnetsOf } = await twins();
    const before = all().length;
    await world.reconciled();
    expect(all()).toHaveLength(before);
    for (const id of ids) {
      expect(all().find((each) => each.id === id)).toMatchObject({
        name: "twin",
        tags: expect.arrayContaining(["plumbline:owner=netops"]),
      });
      expect(subnetsOf(id).map(({ name }) => name)).toEqual(["same", "same"]);
    }
    const again = await world.plan();
    expect(again.plan?.changes).toEqual([]);
    expect(exitCode([again])).toBe(0);
  });

  it("are deleted one by one, by their marks", async () => {
    const { world, ids, all } = await twins();
    await world.reconciled();
    const [first = "", ...others] = ids;
    world.want(`networks: { "twin~${first.slice(0, 8)}": { $partial: true } }`);
    await world.reconciled();
    expect(
      all()
        .filter(({ name }) => name === "twin")
        .map(({ id }) => id),
    ).toEqual([first]);
    expect(others).toHaveLength(2);
  });

  it("that disappeared since the plan are not created by a planned change", async () => {
    const { world, ids, all } = await twins();
    world.lab.fault({
      match: { method: "GET", path: "/v2.0/networks/" },
      effect: { kind: "call", run: () => void world.act("DELETE", `/v2.0/networks/${ids[0]}`) },
    });
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ message: expect.stringContaining("was deleted since the plan") });
    expect(all().filter(({ name }) => name.startsWith("twin"))).toHaveLength(2);
  });
});
