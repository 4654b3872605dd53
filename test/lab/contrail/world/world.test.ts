import { describe, expect, it } from "vitest";
import { ControllerError } from "../../../../src/lab/contrail/world/controller-error.js";
import { ContrailWorld, type WorldEvent } from "../../../../src/lab/contrail/world/world.js";

function demoWorld(): ContrailWorld {
  const world = new ContrailWorld();
  world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain", quota: { network_policy: 1 } });
  return world;
}

const policy = (name: string, more = {}) => ({ fq_name: ["default-domain", "demo", name], parent_type: "project", ...more });

function status(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    if (error instanceof ControllerError) return error.status;
    throw error;
  }
  return 200;
}

describe("the world of a controller", () => {
  it("creates one object per name, and counts against the quota of its project", () => {
    const world = demoWorld();
    const made = world.create("network-policy", policy("p"));
    expect(status(() => world.create("network-policy", policy("p")))).toBe(409);
    expect(status(() => world.create("network-policy", policy("q")))).toBe(412);
    world.delete("network-policy", made.uuid);
    expect(status(() => world.create("network-policy", policy("q")))).toBe(200);
  });

  it("stores nothing of a refused request", () => {
    const world = demoWorld();
    const network = policy("n", { virtual_network_properties: { forwarding_mode: "l9" } });
    expect(status(() => world.create("virtual-network", network))).toBe(400);
    expect(world.store.named("virtual-network", network.fq_name)).toBeUndefined();
    const made = world.create("virtual-network", policy("n"));
    const before = JSON.stringify(made.properties, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
    expect(status(() => world.update("virtual-network", made.uuid, { display_name: "x", is_shared: "yes" }))).toBe(400);
    expect(JSON.stringify(made.properties, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value))).toBe(before);
  });

  it("stores a copy: a later change of the document has no effect", () => {
    const world = demoWorld();
    const annotations = { key_value_pair: [{ key: "a", value: "1" }] };
    const made = world.create("virtual-network", policy("n", { annotations }));
    annotations.key_value_pair[0] = { key: "b", value: "2" };
    expect(made.properties.annotations).toEqual({ key_value_pair: [{ key: "a", value: "1" }] });
  });

  it("deletes routing instances with a network, and keeps a project that has children of others", () => {
    const world = demoWorld();
    const network = world.create("virtual-network", policy("n"));
    const project = world.store.named("project", ["default-domain", "demo"]);
    expect(status(() => world.delete("project", project?.uuid ?? ""))).toBe(409);
    world.delete("virtual-network", network.uuid);
    expect(world.store.named("routing-instance", [...network.fqName, "n"])).toBeUndefined();
    world.delete("project", project?.uuid ?? "");
    expect(world.store.named("application-policy-set", ["default-domain", "demo", "default-application-policy-set"])).toBeUndefined();
  });

  it("updates the time of a parent with its children, not of references", () => {
    const world = demoWorld();
    const time = (name: string[], type: string): string => {
      const object = world.store.named(type, name);
      return object === undefined ? "" : String((object.properties.id_perms as { last_modified: string }).last_modified);
    };
    const project = ["default-domain", "demo"];
    const before = time(project, "project");
    const made = world.create("network-policy", policy("p"));
    expect(time(project, "project") > before).toBe(true);
    const own = time([...project, "p"], "network-policy");
    const reference = { uuid: made.uuid, attr: { sequence: { major: 0, minor: 0 } } };
    world.create("virtual-network", policy("n", { network_policy_refs: [reference] }));
    expect(time([...project, "p"], "network-policy")).toBe(own);
  });

  it("refuses a reference without the attribute that its kind requires", () => {
    const world = demoWorld();
    const made = world.create("network-policy", policy("p"));
    expect(() => world.create("virtual-network", policy("n", { network_policy_refs: [{ uuid: made.uuid }] }))).toThrow(
      /Bad reference in create: .* 'attr'$/,
    );
  });

  it("notifies watchers until they stop", () => {
    const world = demoWorld();
    const events: WorldEvent["kind"][] = [];
    const stop = world.watch(({ kind, object }) => {
      if (object.type === "network-policy") events.push(kind);
    });
    const made = world.create("network-policy", policy("p"));
    world.update("network-policy", made.uuid, { display_name: "x" });
    world.update("network-policy", made.uuid, {});
    stop();
    world.delete("network-policy", made.uuid);
    expect(events).toEqual(["create", "update"]);
  });
});
