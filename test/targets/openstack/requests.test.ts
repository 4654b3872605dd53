import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

/** Requests of typical changes to the network service: an object is read once and written once. */

async function counted(world: CloudWorld, config: string): Promise<Record<string, number>> {
  world.want(config);
  const since = world.lab.journal.length;
  await world.reconciled();
  const counts: Record<string, number> = {};
  for (const { method, path, service } of world.lab.journal.slice(since)) {
    const isObject = /[0-9a-f]{8}-[0-9a-f-]{27}/.test(path) || method !== "GET";
    if (service !== "network" || !isObject) continue;
    const words = `${method} ${path.replace(/\?.*/, "").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")}`;
    counts[words] = (counts[words] ?? 0) + 1;
  }
  return counts;
}

const rules = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, at) =>
      `{ direction: ingress, protocol: tcp, port_range_min: ${from + at}, port_range_max: ${from + at}, remote_ip_prefix: 192.0.2.0/24 }`,
  ).join(", ");

describe("requests", () => {
  it("of a network of which four fields change and one is removed are one read and one write", async () => {
    const world = (await CloudWorld.start()).want("networks: { a: { description: old, admin_state_up: true, mtu: 1400 } }");
    await world.reconciled();
    expect(await counted(world, "networks: { a: { admin_state_up: false, mtu: 1300, port_security_enabled: false } }")).toEqual({
      "GET /v2.0/networks/ID": 1,
      "PUT /v2.0/networks/ID": 1,
    });
  });

  it("of twenty rules of a new group are one, and of twenty others one and the deletions", async () => {
    const world = await CloudWorld.start();
    expect(await counted(world, `security_groups: { g: { rules: [${rules(1, 20)}] } }`)).toEqual({
      "POST /v2.0/security-groups": 1,
      "PUT /v2.0/security-groups/ID/tags": 1,
      "PUT /v2.0/security-groups/ID": 1,
      "POST /v2.0/security-group-rules": 1,
    });
    expect(await counted(world, `security_groups: { g: { description: d, rules: [${rules(101, 20)}] } }`)).toEqual({
      "GET /v2.0/security-groups/ID": 2,
      "POST /v2.0/security-group-rules": 1,
      "PUT /v2.0/security-groups/ID": 1,
      "DELETE /v2.0/security-group-rules/ID": 20,
    });
  });

  it("of rules of which another user created one end with all of them", async () => {
    const world = (await CloudWorld.start()).want("security_groups: { g: {} }");
    await world.reconciled();
    world.want(`security_groups: { g: { rules: [${rules(1, 3)}] } }`);
    const id = world.lab.world.network.all("security_group").find(({ name }) => name === "g")?.id ?? "";
    const rule = { security_group_id: id, direction: "ingress", protocol: "tcp", port_range_min: 2, port_range_max: 2 };
    const body = { security_group_rule: { ...rule, remote_ip_prefix: "192.0.2.0/24" } };
    const act = { service: "network", method: "POST", path: "/v2.0/security-group-rules", user: "demo", body } as const;
    world.lab.fault({ match: { method: "POST", path: "security-group-rules" }, effect: { kind: "act", act } });
    await world.reconciled();
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("of rules of which one is invalid name it, and create the others", async () => {
    const world = await CloudWorld.start();
    world.want(
      `security_groups: { g: { rules: [${rules(1, 2)}, { direction: ingress, protocol: tcp, remote_ip_prefix: "2001:db8::/32" }] } }`,
    );
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error).toMatchObject({ code: "partly-applied", message: expect.stringContaining("security_groups/entry[@name='g']") });
    const group = world.lab.world.network.all("security_group").find(({ name }) => name === "g");
    const made = world.lab.world.network.all("security_group_rule").filter((rule) => rule.security_group_id === group?.id);
    expect(made.filter(({ direction }) => direction === "ingress")).toHaveLength(2);
  });

  it("of a router whose description changes do not read its ports", async () => {
    const config = (more: string) =>
      `networks: { a: { subnets: { a-1: { cidr: 10.9.1.0/24 } } } }\nrouters: { r: { ${more}interfaces: [a-1] } }`;
    const world = (await CloudWorld.start()).want(config(""));
    await world.reconciled();
    expect(await counted(world, config("description: d, "))).toEqual({ "GET /v2.0/routers/ID": 1, "PUT /v2.0/routers/ID": 1 });
  });
});
