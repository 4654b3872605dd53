import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const WEB = "networks: { web: { subnets: { web-a: { cidr: 10.1.0.0/24 } } } }";

const networkNamed = ({ lab }: CloudWorld, name: string) =>
  lab.world.network.visible("network", lab.world.as("demo")).find((network) => network.name === name);

describe("during a run", () => {
  it.each(["POST", "PUT", "GET"])("a token that is revoked before a %s is renewed, and nothing is done twice", async (method) => {
    const world = (await CloudWorld.start()).want(
      `${WEB}\nservers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: web }] } }`,
    );
    for (const service of ["network", "compute"] as const) {
      world.lab.fault({ match: { service, method }, effect: { kind: "expire-token" } });
    }
    await world.reconciled();
    const made = world.lab.journal.filter((entry) => entry.method === "POST" && entry.status !== 401 && entry.service !== "identity");
    expect(made.map(({ path }) => path)).toEqual(["/v2.0/networks", "/v2.0/subnets", "/v2.1/servers"]);
  });

  it("a deleted network is an error of its own, the rest stays, and the next run creates it again", async () => {
    const world = (await CloudWorld.start()).want(`${WEB.replace("web: {", "web: { description: one,")}`);
    await world.reconciled();
    const { id = "" } = networkNamed(world, "web") ?? {};
    world.want("networks: { web: { description: two, subnets: { web-a: { cidr: 10.1.0.0/24 } } }, other: {} }");
    const remove = () => {
      for (const subnet of networkNamed(world, "web")?.subnets ?? []) world.act("DELETE", `/v2.0/subnets/${subnet}`);
      world.act("DELETE", `/v2.0/networks/${id}`);
    };
    world.lab.fault({ match: { method: "GET", path: `/networks/${id}` }, effect: { kind: "call", run: remove } });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error).toMatchObject({
      message: expect.stringContaining('"web" was deleted since the plan'),
      where: { xpath: expect.stringContaining("/openstack/networks/entry[@name='web']") },
    });
    expect(networkNamed(world, "other")).toBeDefined();
    await world.reconciled();
    expect(networkNamed(world, "web")).toMatchObject({ description: "two", subnets: [expect.any(String)] });
  });

  it("a field that another user sets first is not overwritten unnoticed", async () => {
    const world = (await CloudWorld.start()).want("networks: { web: { description: one } }");
    await world.reconciled();
    const { id = "" } = networkNamed(world, "web") ?? {};
    world.want("networks: { web: { description: two } }");
    const change = () => void world.act("PUT", `/v2.0/networks/${id}`, { network: { description: "theirs" } });
    world.lab.fault({ match: { method: "PUT", path: `/networks/${id}` }, effect: { kind: "call", run: change } });
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain("description");
    expect(networkNamed(world, "web")).toMatchObject({ description: "theirs" });
    await world.reconciled();
    expect(networkNamed(world, "web")).toMatchObject({ description: "two" });
  });

  it("another field that another user sets is kept, and the own one is written with the new revision", async () => {
    const world = (await CloudWorld.start()).want("networks: { web: { description: one } }");
    await world.reconciled();
    const { id = "" } = networkNamed(world, "web") ?? {};
    world.want("networks: { web: { description: two } }");
    const change = () => void world.act("PUT", `/v2.0/networks/${id}`, { network: { mtu: 1300 } });
    world.lab.fault({ match: { method: "PUT", path: `/networks/${id}` }, effect: { kind: "call", run: change } });
    await world.reconciled();
    expect(networkNamed(world, "web")).toMatchObject({ description: "two", mtu: 1300 });
    expect(world.lab.journal.some(({ status }) => status === 412)).toBe(true);
  });

  it("an update with a lost reply is read back, and not sent again", async () => {
    const world = (await CloudWorld.start()).want("networks: { web: { description: one } }");
    await world.reconciled();
    world.want("networks: { web: { description: two } }");
    const since = world.lab.journal.length;
    world.lab.fault({ match: { method: "PUT", path: "/networks" }, effect: { kind: "drop-reply" } });
    await world.reconciled();
    expect(world.writesSince(since)).toEqual(["PUT /v2.0/networks/ID"]);
  });

  it("a delete with a lost reply is finished", async () => {
    const world = (await CloudWorld.start()).want("networks: { web: {}, last: {} }\nkeypairs: { k: { saveTo: k.pem } }");
    await world.reconciled();
    world.want("networks: { last: {} }");
    for (const path of ["/networks", "/os-keypairs"])
      world.lab.fault({ match: { method: "DELETE", path }, effect: { kind: "drop-reply" } });
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(networkNamed(world, "web")).toBeUndefined();
    expect(world.writesSince(since).sort()).toEqual(["DELETE /v2.0/networks/ID", "DELETE /v2.1/os-keypairs/k"]);
  });
});

describe("a refusal of the cloud names the line to change, and the rest stays", () => {
  const server = (more: string) => `servers: { bad: { flavor: m1.tiny, networks: [{ network: private }], ${more} } }`;
  const PLACE = "/openstack/servers/entry[@name='bad']";

  it.each([
    ["an unknown image", server("image: nope"), 'no image called "nope"', `${PLACE}/image`],
    ["an unknown flavor", server("image: cirros").replace("m1.tiny", "nope"), 'no flavor called "nope"', `${PLACE}/flavor`],
    ["an unknown key pair", server("image: cirros, key_name: nope"), "Invalid key_name", PLACE],
    ["no flavor at all", server("image: cirros").replace("flavor: m1.tiny, ", ""), "needs its flavor", PLACE],
    [
      "an address in use",
      "ports:\n  bad: { network: private, fixed_ips: [{ subnet: private-subnet, ip_address: 10.0.0.1 }] }",
      "10.0.0.1",
      "/openstack/ports/entry[@name='bad']",
    ],
    ["what a member may not set", "networks: { bad: { shared: true } }", "disallowed by policy", "/openstack/networks/entry[@name='bad']"],
    ["a subnet without cidr", "networks: { bad: { subnets: { s: {} } } }", "needs its cidr", "/subnets/entry[@name='s']"],
  ])("%s", async (_, config, words, place) => {
    const world = await CloudWorld.start();
    const lists = config.startsWith("networks")
      ? config.replace("networks: {", "networks: { good: {},")
      : `networks: { good: {} }\n${config}`;
    world.want(lists);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain(words);
    expect(outcome.error?.where.xpath).toContain(place);
    expect(outcome.error?.next).toBeDefined();
    expect(networkNamed(world, "good")).toBeDefined();
  });

  it("a quota", async () => {
    const world = await CloudWorld.start();
    const demo = world.lab.world.as("demo");
    world.act("PUT", `/v2.0/quotas/${demo.projectId}`, { quota: { network: 2 } }, "admin");
    world.want("networks: { a: {}, b: {} }");
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("Quota exceeded for resources: ['network'].");
    expect(outcome.error?.next).toContain("Raise the quota");
  });

  it("a network in use, with its users", async () => {
    const world = (await CloudWorld.start()).want("networks: { web: {}, last: {} }");
    await world.reconciled();
    const { id = "" } = networkNamed(world, "web") ?? {};
    world.act("POST", "/v2.0/ports", { port: { network_id: id, name: "x", device_owner: "compute:nova", device_id: "server-9" } });
    world.want("networks: { last: {} }");
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toMatch(/It is used by port [0-9a-f-]{36} of compute:nova server-9/);
    expect(networkNamed(world, "web")).toBeDefined();
  });

  it("a hidden existing key pair", async () => {
    const world = (await CloudWorld.start()).want("keypairs: { demo-key: { saveTo: k.pem } }");
    const hide = { kind: "refuse", status: 404, type: "itemNotFound", message: "Keypair demo-key not found" } as const;
    world.lab.fault({ match: { method: "GET", path: "/os-keypairs/demo-key" }, effect: hide, count: 10 });
    const pairs = world.lab.world.compute.keyPairs;
    const all = pairs.of.bind(pairs);
    pairs.of = (user) => all(user).filter(({ name }) => name !== "demo-key");
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({
      message: expect.stringContaining("is hidden from this account"),
      next: expect.stringContaining("role"),
    });
  });

  it("a proxy's page in place of the service", async () => {
    const world = (await CloudWorld.start()).want(WEB);
    world.lab.fault({ match: { method: "GET", path: "/networks" }, effect: { kind: "html", status: 502 }, count: 100 });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(1);
    expect(world.writesSince(0)).toEqual([]);
  });
});

describe("secrets", () => {
  it("are written to the documented file, readable only by its owner, and nowhere else", async () => {
    const world = (await CloudWorld.start()).want(
      "servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], saveTo: secrets/s.password } }\nkeypairs: { k: { saveTo: secrets/k.pem } }",
    );
    const outcome = await world.reconciled();
    const password = join(world.folder, "secrets/s.password");
    const key = join(world.folder, "secrets/k.pem");
    for (const file of [password, key]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(key, "utf8")).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
    const shown = JSON.stringify([outcome, world.injected.logged, world.injected.warnings], (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(readFileSync(password, "utf8").length).toBeGreaterThan(8);
    expect(shown).not.toContain(readFileSync(password, "utf8"));
    expect(shown).not.toContain(readFileSync(key, "utf8").split("\n")[1]);
  });

  it("in documents are sent, and not read back", async () => {
    const world = (await CloudWorld.start()).want(
      'servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], adminPass: "${env:ADMIN_PASS}", user_data: "#!/bin/sh" } }',
    );
    world.environment = { ADMIN_PASS: "open sesame 123" };
    await world.reconciled();
    expect(world.lab.journal.find(({ path, method }) => path.endsWith("/servers") && method === "POST")?.body).toMatchObject({
      server: { adminPass: "…", user_data: "…" },
    });
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});

describe("a security group without declared rules", () => {
  it("keeps the service's default rules, and loses added ones", async () => {
    const world = (await CloudWorld.start()).want("security_groups: { g: {} }");
    await world.reconciled();
    const { network } = world.lab.world;
    const demo = world.lab.world.as("demo");
    const id = network.visible("security_group", demo).find(({ name }) => name === "g")?.id;
    world.act("POST", "/v2.0/security-group-rules", { security_group_rule: { security_group_id: id, direction: "ingress" } });
    await world.reconciled();
    const rules = network.visible("security_group_rule", demo).filter((rule) => rule.security_group_id === id);
    expect(rules.map(({ direction }) => direction)).toEqual(["egress", "egress"]);
  });
});
