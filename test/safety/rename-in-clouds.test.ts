import { expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

// `$was` once deleted a server and created another, while the plan showed "1 to rename".

const BEFORE = `networks: { old: { subnets: { old-a: { cidr: 10.9.0.0/24 } } } }
security_groups: { group: {} }
ports: { nic: { network: old, security_groups: [group], fixed_ips: [{ subnet: old-a }] } }
routers: { gate: { interfaces: [old-a] } }
servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ port: nic }] } }`;

const AFTER = `networks: { new: { $was: old, subnets: { new-a: { $was: old-a, cidr: 10.9.0.0/24 } } } }
security_groups: { guard: { $was: group } }
ports: { eth: { $was: nic, network: new, security_groups: [guard], fixed_ips: [{ subnet: new-a }] } }
routers: { door: { $was: gate, interfaces: [new-a] } }
servers: { t: { $was: s, image: cirros, flavor: m1.tiny, networks: [{ port: eth }] } }`;

const idsOf = ({ lab }: CloudWorld) => {
  const as = lab.world.as("demo");
  const networks = (["network", "subnet", "security_group", "port", "router"] as const).flatMap((kind) =>
    (lab.world.network.visible(kind, as) as readonly { id: string }[]).map(({ id }) => id),
  );
  return [...networks, ...lab.world.compute.servers(undefined, true).map(({ id }) => id)].sort();
};

it("keeps every object, also referenced ones", async () => {
  const world = (await CloudWorld.start()).want(BEFORE);
  await world.reconciled();
  const ids = idsOf(world);
  world.want(AFTER);
  const plan = await world.plan();
  expect(plan.plan?.operations.map(({ operation }) => operation.action)).toEqual(Array(6).fill("rename"));
  const since = world.lab.journal.length;
  const outcome = await world.reconcile();
  expect({ code: exitCode([outcome]), error: outcome.error }).toEqual({ code: 0, error: undefined });
  expect(world.writesSince(since).filter((write) => /^DELETE|^POST (?!.*\/metadata$)/.test(write))).toEqual([]);
  expect(idsOf(world)).toEqual(ids);
  expect((await world.plan()).plan?.operations).toEqual([]);
});

it("does not change references to objects that only share the name", async () => {
  const config = (network: string) => `networks: { ${network} }
security_groups: { web: {} }
servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: NET }], security_groups: [web] } }`;
  const world = (await CloudWorld.start()).want(config("web: { subnets: { web-a: { cidr: 10.9.0.0/24 } } }").replace("NET", "web"));
  await world.reconciled();
  world.want(config("front: { $was: web, subnets: { web-a: { cidr: 10.9.0.0/24 } } }").replace("NET", "front"));
  const { plan } = await world.plan();
  expect({ refusals: plan?.refusals, actions: plan?.operations.map(({ operation }) => `${operation.action} ${operation.at}`) }).toEqual({
    refusals: [],
    actions: ["rename /openstack/networks/entry[@name='web']"],
  });
});

it("reports a key pair, which keeps its name, as another one, and requires the directive", async () => {
  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g";
  const world = (await CloudWorld.start()).want(`keypairs: { old: { public_key: "${key}" } }`);
  await world.reconciled();
  world.want(`keypairs: { new: { $was: old, public_key: "${key}" } }`);
  const refused = await world.plan();
  expect(refused.plan?.refusals).toMatchObject([{ guard: "replace", message: expect.stringContaining('"old" cannot be renamed') }]);
  world.want(`keypairs: { new: { $was: old, $replace: true, public_key: "${key}" } }`);
  expect((await world.plan()).plan?.findings).toMatchObject([{ kind: "made-again" }]);
  await world.reconciled();
});

it("deletes nothing whose replacement could not be created", async () => {
  const key = (end: string) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh${end}`;
  const world = (await CloudWorld.start()).want(`keypairs: { old: { public_key: "${key("8g")}" } }`);
  await world.reconciled();
  world.want(`keypairs: { new: { $was: old, $replace: true, public_key: "${key("8g")}" } }`);
  world.lab.fault({ match: { path: "/os-keypairs", method: "POST" }, effect: { kind: "status", status: 403 }, count: 100 });
  const since = world.lab.journal.length;
  expect(exitCode([await world.reconcile()])).not.toBe(0);
  expect(world.writesSince(since).filter((write) => write.startsWith("DELETE"))).toEqual([]);
});
