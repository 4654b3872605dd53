import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json/value.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { tokens } from "../targets/contrail/fixtures.js";
import { OTHERS, withRoles } from "../targets/contrail/roles.js";
import { ControllerWorld, type WorldOptions } from "../targets/contrail/world.js";

/** Dangers of docs/contributing/architecture.md that concern the controller, by number. */

const BLUE = "default-domain:demo:blue";
const GREEN = "default-domain:demo:green";
const IPAM = "default-domain:default-project:default-network-ipam";

function network(name: string, ...cidrs: string[]): string {
  const subnets = cidrs.map((cidr) => `${cidr}: {}`).join(", ");
  return `  ${name}: { network_ipam_refs: { ${IPAM}: { ipam_subnets: { ${subnets} } } } }\n`;
}

const WANTED = `virtual-networks:\n${network(BLUE, "10.1.0.0/24", "10.2.0.0/24")}${network(GREEN, "10.3.0.0/24")}`;

async function reconciled(config = WANTED, options: WorldOptions = {}): Promise<ControllerWorld> {
  const world = await ControllerWorld.start(options);
  await world.reconciled(config);
  return world;
}

function subnetIds(world: ControllerWorld, name: string): Map<string, string> {
  const references = world.object("virtual-network", name)?.references.get("network_ipam_refs") ?? [];
  const subnets = references.flatMap(
    ({ attr }) => (attr as unknown as { ipam_subnets: { subnet: { ip_prefix: string }; subnet_uuid: string }[] }).ipam_subnets,
  );
  return new Map(subnets.map(({ subnet, subnet_uuid }) => [subnet.ip_prefix, subnet_uuid]));
}

/** The references of a network to IPAMs as a careless client sends them back: without `subnet_uuid`. */
function careless(...cidrs: string[]): JsonObject {
  const ipam_subnets = cidrs.map((cidr) => {
    const [prefix = "", length] = cidr.split("/");
    return { subnet: { ip_prefix: prefix, ip_prefix_len: Number(length) } };
  });
  return { network_ipam_refs: [{ to: IPAM.split(":"), attr: { ipam_subnets } }] };
}

describe("1: a truncated list", () => {
  it.each([0.1, 0.5, 0.9, 0.99])("at %d of its length never reads as deleted networks", async (share) => {
    const world = await reconciled();
    const since = world.lab.journal.length;
    world.lab.fault({ match: { path: "/virtual-networks" }, effect: { kind: "cut", share, announced: "sent" }, count: 1000 });
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) {
      expect(outcome.error).toMatchObject({ code: "controller-reply-broken" });
      expect(outcome.plan?.operations ?? []).toEqual([]);
      expect(exitCode([outcome])).toBe(1);
    }
    expect(world.writes(since)).toEqual([]);
  });
});

describe("3: a list that failed, or that a proxy answered", () => {
  it.each([
    { kind: "status", status: 500, text: "no" },
    { kind: "html", status: 200 },
    { kind: "html", status: 404 },
  ] as const)("is no empty list: $kind $status", async (effect) => {
    const world = await reconciled();
    const since = world.lab.journal.length;
    world.lab.fault({ match: { path: "/virtual-networks" }, effect, count: 1000 });
    for (const outcome of [await world.plan(), await world.reconcile()]) expect(exitCode([outcome])).toBe(1);
    expect(world.writes(since)).toEqual([]);
  });
});

describe("4: objects hidden by access rules", () => {
  it("are a permission error when created, and no drift", async () => {
    const { world } = await withRoles();
    const hidden = world.lab.world.create("virtual-network", { fq_name: BLUE.split(":"), parent_type: "project", ...OTHERS });
    world.want(`virtual-networks:\n${network(BLUE, "10.1.0.0/24")}`);
    const planned = await world.plan();
    expect(planned.plan?.changes.map(({ kind }) => kind)).toEqual(["missing"]);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(1);
    expect(outcome.error?.message).toContain("this account may not read it");
    expect(hidden.references.get("network_ipam_refs")).toBeUndefined();
    expect([...world.lab.world.store.ofType("virtual-network")].filter(({ fqName }) => fqName.join(":") === BLUE)).toEqual([hidden]);
  });

  it("are not treated as deleted if the ledger has several", async () => {
    const { world } = await withRoles();
    await world.reconciled(WANTED);
    for (const name of [BLUE, GREEN]) world.lab.world.update("virtual-network", world.object("virtual-network", name)?.uuid ?? "", OTHERS);
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.error).toMatchObject({ code: "object-hidden", message: expect.stringContaining(`"${BLUE}", "${GREEN}"`) });
    expect(world.writes(since)).toEqual([]);
  });

  it("with a token that expires during the run stop nothing: it is renewed once", async () => {
    const source = tokens();
    const world = await ControllerWorld.start({
      aaaMode: "cloud-admin",
      tokens: source,
      checkToken: (token) => (token === `token-${source.renewals + 1}` ? { user: "plumbline", roles: ["admin"] } : undefined),
    });
    world.want(WANTED);
    world.lab.fault({
      match: { method: "POST", path: "/virtual-networks", nth: 1 },
      effect: {
        kind: "call",
        when: "before",
        run: () => {
          source.renewals += 1;
        },
      },
    });
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(source.renewals).toBe(2);
  });

  it("with a token that is no longer accepted are an error, with nothing planned", async () => {
    const { world } = await withRoles();
    await world.reconciled(WANTED);
    world.lab.gate.mode = "cloud-admin";
    const outcome = await world.plan();
    expect(outcome.error).toMatchObject({ code: "controller-permission" });
    expect(outcome.plan).toBeUndefined();
  });
});

describe("5: an object that another user changes between read and write", () => {
  const hand = (world: ControllerWorld, body: JsonObject) => () => {
    world.lab.world.update("virtual-network", world.object("virtual-network", BLUE)?.uuid ?? "", body);
  };

  it("is not overwritten in the field that both change", async () => {
    const world = await reconciled();
    world.want(WANTED.replace("10.2.0.0/24: {}", "10.2.0.0/24: { enable_dhcp: false }"));
    const added = { network_ipam_refs: [{ to: IPAM.split(":"), attr: { ipam_subnets: withIds(world, "10.9.0.0/24") } }] };
    world.lab.fault({
      match: { method: "GET", path: "/virtual-network/" },
      effect: { kind: "call", when: "before", run: hand(world, added) },
    });
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain("was changed after it was read");
    expect(exitCode([outcome])).toBe(1);
    expect(world.writes(since)).toEqual([]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect([...subnetIds(world, BLUE).keys()]).toContain("10.9.0.0");
  });

  it("keeps a subnet that was added between two requests", async () => {
    const world = await reconciled();
    const added = { network_ipam_refs: [{ to: IPAM.split(":"), attr: { ipam_subnets: withIds(world, "10.9.0.0/24") } }] };
    for (const path of ["/prop-collection-update", "/ref-update"])
      world.lab.fault({ match: { path }, effect: { kind: "call", when: "before", run: hand(world, added) } });
    world.lab.world.create("network-policy", { fq_name: ["default-domain", "demo", "a"] });
    const more = "annotations: { key_value_pair: { k: { value: v } } }, network_policy_refs: { default-domain:demo:a: {} }";
    const changed = WANTED.replace("10.2.0.0/24: {}", "10.2.0.0/24: { enable_dhcp: false }");
    world.want(changed.replace(" network_ipam_refs", ` ${more}, network_ipam_refs`));
    const since = world.lab.journal.length;
    await world.reconcile();
    expect(world.writes(since)).toHaveLength(3);
    expect([...subnetIds(world, BLUE).keys()]).toContain("10.9.0.0");
  });

  it("keeps a change in another field", async () => {
    const world = await reconciled();
    world.want(WANTED.replace("10.2.0.0/24: {}", "10.2.0.0/24: { enable_dhcp: false }"));
    const changed = { virtual_network_properties: { mirror_destination: true } };
    world.lab.fault({
      match: { method: "GET", path: "/virtual-network/" },
      effect: { kind: "call", when: "before", run: hand(world, changed) },
    });
    await world.reconcile();
    expect(world.object("virtual-network", BLUE)?.properties.virtual_network_properties).toEqual({ mirror_destination: true });
  });

  it("keeps a policy that was attached at the same time", async () => {
    const world = await reconciled();
    for (const name of ["a", "b"]) world.lab.world.create("network-policy", { fq_name: ["default-domain", "demo", name] });
    const attr = { sequence: { major: 9, minor: 0 } };
    const attach = hand(world, { network_policy_refs: [{ to: ["default-domain", "demo", "b"], attr }] });
    world.lab.fault({ match: { path: "/ref-update" }, effect: { kind: "call", when: "before", run: attach } });
    world.want(`virtual-networks:\n  ${BLUE}: { $partial: true, network_policy_refs: { default-domain:demo:a: {} } }\n`);
    await world.reconcile();
    expect(world.object("virtual-network", BLUE)?.references.get("network_policy_refs")?.length).toBe(2);
  });

  it("is not deleted once it has another owner's mark", async () => {
    const world = await reconciled();
    const pairs = [
      { key: "plumbline_owner", value: "somebody" },
      { key: "plumbline_key", value: BLUE },
    ];
    const taken = hand(world, { annotations: { key_value_pair: pairs } });
    world.lab.fault({ match: { method: "GET", path: "/virtual-network/" }, effect: { kind: "call", when: "before", run: taken } });
    world.want(`virtual-networks:\n${network(GREEN, "10.3.0.0/24")}`);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(world.object("virtual-network", BLUE)).toBeDefined();
  });
});

/** The subnets of BLUE as they are, with their ids, and another one. */
function withIds(world: ControllerWorld, cidr: string): JsonObject[] {
  const [prefix = "", length] = cidr.split("/");
  const there = [...subnetIds(world, BLUE)].map(([ip_prefix, subnet_uuid]) => ({ subnet: { ip_prefix, ip_prefix_len: 24 }, subnet_uuid }));
  return [...there, { subnet: { ip_prefix: prefix, ip_prefix_len: Number(length) } }];
}

describe("6: references to IPAMs without subnet_uuid", () => {
  it("are never sent: for any change of a network, each subnet keeps its id", async () => {
    const world = await reconciled();
    const ids = subnetIds(world, BLUE);
    for (const [from, to] of [
      ["10.2.0.0/24: {}", "10.2.0.0/24: { dns_nameservers: [9.9.9.9] }"],
      ["10.2.0.0/24: {}", "10.2.0.0/24: {}, 10.4.0.0/24: {}"],
      ["network_ipam_refs", "router_external: true, network_ipam_refs"],
    ] as const) {
      await world.reconciled(WANTED.replace(from, to));
      for (const [prefix, id] of ids) expect(subnetIds(world, BLUE).get(prefix)).toBe(id);
    }
    for (const { body } of world.lab.journal.filter(({ method, body }) => method === "PUT" && body.includes("network_ipam_refs"))) {
      for (const id of ids.values()) expect(body).toContain(id);
    }
  });

  it("from others are detected when the network is read back: exit 4", async () => {
    const world = await reconciled();
    const rekey = () => {
      world.lab.world.update("virtual-network", world.object("virtual-network", BLUE)?.uuid ?? "", careless("10.1.0.0/24", "10.2.0.0/24"));
    };
    world.lab.fault({ match: { method: "PUT", path: "/virtual-network/" }, effect: { kind: "call", when: "after", run: rekey } });
    world.want(WANTED.replace("10.2.0.0/24: {}", "10.2.0.0/24: { enable_dhcp: false }"));
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain("another subnet_uuid");
    expect(exitCode([outcome])).toBe(4);
  });
});

describe("7: hidden or reused names", () => {
  it("a renamed network is still the one that is deleted", async () => {
    const world = await reconciled();
    const blue = world.object("virtual-network", BLUE);
    world.lab.world.update("virtual-network", blue?.uuid ?? "", { display_name: "green" });
    world.want(`virtual-networks:\n${network(GREEN, "10.3.0.0/24")}`);
    const [refusal] = (await world.reconcile()).plan?.refusals ?? [];
    expect(refusal).toMatchObject({ guard: "not-as-left" });
    expect(world.lab.world.store.get(blue?.uuid ?? "")).toBeDefined();
    const done = await world.reconcile({ pass: { allow: new Map([["not-as-left", String(refusal?.path)]]) } });
    expect(done.error).toBeUndefined();
    expect(world.lab.world.store.get(blue?.uuid ?? "")).toBeUndefined();
    expect(world.object("virtual-network", GREEN)).toBeDefined();
  });

  it("another owner's network that took the name stays", async () => {
    const world = await reconciled();
    const swap = () => {
      world.lab.world.delete("virtual-network", world.object("virtual-network", BLUE)?.uuid ?? "");
      world.lab.world.create("virtual-network", { fq_name: BLUE.split(":") });
    };
    world.lab.fault({ match: { method: "GET", path: "/virtual-network/" }, effect: { kind: "call", when: "before", run: swap } });
    await world.reconciled(`virtual-networks:\n${network(GREEN, "10.3.0.0/24")}`);
    expect(world.object("virtual-network", BLUE)).toBeDefined();
  });
});

describe("8: a create with a lost reply", () => {
  const blues = (world: ControllerWorld) =>
    [...world.lab.world.store.ofType("virtual-network")].filter(({ fqName }) => fqName.at(-1) === "blue").length;

  it.each(["drop", "drop-reply"] as const)("makes one network (%s)", async (kind) => {
    const world = await ControllerWorld.start();
    world.want(WANTED);
    world.lab.fault({ match: { method: "POST", path: "/virtual-networks", body: 'demo", "blue' }, effect: { kind } });
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(exitCode([outcome])).toBe(0);
    expect(blues(world)).toBe(1);
  });

  it("creates one network even if the next run knows nothing: the id follows from owner and name", async () => {
    const world = await ControllerWorld.start();
    world.want(WANTED);
    world.lab.fault({ match: { method: "POST", path: "/virtual-networks" }, effect: { kind: "drop-reply" }, count: 1 });
    world.lab.fault({
      match: { method: "GET", path: "/virtual-network/" },
      effect: { kind: "status", status: 500, text: "no" },
      count: 100,
    });
    expect(exitCode([await world.reconcile()])).not.toBe(0);
    world.lab.clearFaults();
    world.emptyState();
    const outcome = await world.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(blues(world)).toBe(1);
  });
});

describe("11: system objects in the ordinary lists", () => {
  const SYSTEM = ["ip-fabric", "__link_local__", "default-virtual-network", "dci-network"].map(
    (name) => `default-domain:default-project:${name}`,
  );

  it("stay under an exclusive list, and so does every object without the owner's mark", async () => {
    const world = await ControllerWorld.start();
    const create = (name: string, more: JsonObject = {}) =>
      world.lab.world.create("virtual-network", { fq_name: ["default-domain", "demo", name], parent_type: "project", ...more });
    create("svc-vn-left");
    create("snat-si-left_1234", { id_perms: { user_visible: false } });
    create("somebodys");
    create("copied", {
      annotations: {
        key_value_pair: [
          { key: "plumbline_owner", value: "netops" },
          { key: "plumbline_key", value: BLUE },
        ],
      },
    });
    const header = "owns: { virtual-networks: exclusive }\n";
    world.want(WANTED, header);
    await world.adopt();
    await world.reconciled(WANTED, header);
    await world.reconciled(`virtual-networks:\n${network(GREEN, "10.3.0.0/24")}`, header);
    expect(world.object("virtual-network", BLUE)).toBeUndefined();
    const others = ["svc-vn-left", "snat-si-left_1234", "somebodys", "copied"].map((name) => `default-domain:demo:${name}`);
    for (const name of [...SYSTEM, ...others]) expect(world.object("virtual-network", name), name).toBeDefined();
  });

  it("are not taken over, whatever a document requests", async () => {
    const world = await ControllerWorld.start();
    world.want(`virtual-networks:\n  ${SYSTEM[0]}: { $adopt: true, router_external: true }\n`);
    const planned = await world.plan();
    expect(planned.plan?.refusals.map(({ guard }) => guard)).toContain("management");
    const outcome = await world.reconcile({ pass: { allow: new Map([["management", ""]]) } });
    expect(exitCode([outcome])).toBe(3);
    expect(world.writes()).toEqual([]);
  });
});

describe("no ledger, or another owner", () => {
  it("nothing is deleted that no ledger names", async () => {
    const world = await reconciled();
    world.emptyState();
    world.want(`virtual-networks:\n${network(GREEN, "10.3.0.0/24")}`);
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(outcome.plan?.deletionsUnknown).toBe(true);
    expect(world.writes(since)).toEqual([]);
  });

  it("an object of another owner is neither changed nor deleted", async () => {
    const world = await ControllerWorld.start();
    const theirs = world.lab.world.create("virtual-network", {
      fq_name: BLUE.split(":"),
      annotations: {
        key_value_pair: [
          { key: "plumbline_owner", value: "somebody" },
          { key: "plumbline_key", value: BLUE },
        ],
      },
    });
    world.want(`virtual-networks:\n  ${BLUE}: { $adopt: true, router_external: true }\n`);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.plan?.refusals[0]?.message).toContain('ownership mark of "somebody"');
    expect(theirs.properties.router_external).toBeUndefined();
  });

  it("an unmarked object is taken over only if the document requests it", async () => {
    const world = await ControllerWorld.start();
    world.lab.world.create("virtual-network", {
      fq_name: BLUE.split(":"),
      annotations: { key_value_pair: [{ key: "theirs", value: "1" }] },
    });
    world.want(`virtual-networks:\n  ${BLUE}: { router_external: true }\n`);
    expect(exitCode([await world.reconcile()])).toBe(3);
    await world.reconciled(`virtual-networks:\n  ${BLUE}: { $adopt: true, router_external: true }\n`);
    expect(world.object("virtual-network", BLUE)?.properties.annotations).toEqual({
      key_value_pair: [
        { key: "theirs", value: "1" },
        { key: "plumbline_owner", value: "netops" },
        { key: "plumbline_key", value: BLUE },
      ],
    });
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("a part of a missing object is not created", async () => {
    const world = await ControllerWorld.start();
    world.want(`virtual-networks:\n  ${BLUE}: { $partial: true, router_external: true }\n`);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.plan?.findings.map(({ kind }) => kind)).toContain("place-missing");
    expect(world.writes()).toEqual([]);
  });
});
