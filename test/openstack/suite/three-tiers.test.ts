import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import {
  disksOf,
  floatingIpKeyed,
  freeAddresses,
  interfacesOf,
  networkNamed,
  portsOfServer,
  serverNamed,
  volumeNamed,
  wholeServerNamed,
} from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";

const LONGEST = 3_600_000;
const CONFIGURATION = `format: 1
owner: conformance
documents: [cloud, world]
targets:
  cloud: { kind: openstack, cloud: lab, mode: enforce }
  world: { kind: openstack, cloud: world, mode: enforce }
guards: { updates: 100%, deletes: 100%, deletesPerDay: 500, short: 100%, emptyList: allow }
`;

const many = (count: number, each: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => each(index)).join("\n");

/** Differences between two states of the project. Omitted fields keep the first declaration. */
interface Said {
  /** Keys of `network-3` in addition to its subnet, and of its subnet. */
  readonly network: string;
  readonly subnet: string;
  readonly edge: string;
  readonly rule: string;
  readonly port: string;
  readonly address: string;
  readonly group: string;
  readonly volume: string;
  readonly pool: string;
  readonly inner: string;
  readonly vlan: number;
  /** Keys of `network-8` in addition to its subnet; additional rules of `group-1`. */
  readonly share: string;
  readonly office: string;
  /** By server number: its interfaces, if they differ from its network. */
  readonly joined: Readonly<Record<number, string>>;
  /** By server number: additional keys. */
  readonly servers: Readonly<Record<number, string>>;
}

const FIRST: Said = {
  network: "network-3: {",
  subnet: "",
  edge: "",
  rule: "port_range_min: 5432, port_range_max: 5432",
  port: "fixed_ips: [{ subnet: subnet-0, ip_address: 10.20.0.10 }]",
  address: "server: server-1",
  group: "app: { policy: soft-anti-affinity }",
  volume: "data: { size: 1, metadata: { role: db } }\n  logs: { size: 1 }\n  kept: { size: 1 }",
  pool: "prefixes: [10.30.0.0/16], default_prefixlen: 24",
  inner: "interfaces: [subnet-5, subnet-6, subnet-7, subnet-8, subnet-9]",
  vlan: 10,
  share: "",
  office: "",
  joined: { 18: "{ network: network-8 }, { network: network-9 }" },
  servers: {
    1: "volumes: [data]",
    2: "server_group: app",
    9: "scheduler_hints: { same_host: [server-0] }",
    11: 'user_data: "#!/bin/sh"',
  },
};

/**
 * Every kind changed in each way: in place, by resize, by rebuild, by replacement, by another name. `TYPE` and `OTHER` are known at run
 * time.
 */
const CHANGED: Said = {
  network: "network-three: { $was: network-3, description: of the application,",
  subnet: ", dns_nameservers: [192.0.2.53], host_routes: [{ destination: 198.51.100.0/24, nexthop: 10.20.3.9 }]",
  edge: ", routes: [{ destination: 192.0.2.0/24, nexthop: 10.20.0.99 }], description: to the world",
  rule: "port_range_min: 3306, port_range_max: 3306",
  port: "fixed_ips: [{ subnet: subnet-0, ip_address: 10.20.0.10 }, { subnet: subnet-0, ip_address: 10.20.0.11 }], allowed_address_pairs: [{ ip_address: 10.20.0.200 }]",
  address: "server: server-20, description: moved",
  group: "app: { policy: soft-affinity, $replace: true }",
  volume: `data: { size: 2, description: grown, metadata: { role: web } }
  logs: { size: 1, volume_type: TYPE }
  kept: { size: 1 }
  restored: { size: 1, snapshot: "\${cloud:snapshots/entry[description='each night']/@name}" }`,
  pool: "prefixes: [10.30.0.0/16, 10.32.0.0/24], default_prefixlen: 25, description: wider",
  inner: "interfaces: [subnet-5, subnet-7, subnet-8, subnet-9], interface_ports: [gate]",
  vlan: 20,
  share: "shared_with: [OTHER],",
  office: ", { direction: ingress, remote_address_group: office }",
  joined: { 16: "{ network: network-6 }, { port: spare }", 18: "{ network: network-8 }" },
  servers: {
    1: "$down: true, volumes: { $exclude: [data] }",
    2: "$replace: true, server_group: app",
    4: "$down: true, flavor: m1.small, tags: [big], metadata: { tier: web }",
    5: "$down: true, volumes: [data]",
    6: "power: off, description: asleep",
    7: "$replace: true, key_name: admin",
    9: "scheduler_hints: { same_host: [server-0] }",
    11: 'user_data: "#!/bin/sh"',
    18: "$down: true",
    22: "$rebuild: true, image: second",
    24: "security_groups: [group-4, group-5]",
    30: "$down: true",
  },
};

/** 10 networks, 2 routers, 40 servers of which half start from volumes, 10 floating IPs, 20 groups that name each other. */
function project(said: Said): string {
  const { network, subnet, edge, rule, port, address, group, volume, servers, joined } = said;
  const named = (index: number) => (index === 3 ? network : `network-${index}: {${index === 8 ? said.share : ""}`);
  const ofNetwork = (index: number) => (index === 3 ? (/^\S+(?=:)/.exec(network)?.[0] ?? "") : `network-${index}`);
  const server = (index: number): string => {
    const more = servers[index] ?? "";
    const unless = (key: string, text: string) => (more.includes(`${key}:`) ? [] : [text]);
    const keys = [
      ...(index % 2 === 0 ? unless("image", "image: cirros") : [`boot_volume: root-${index}`]),
      ...unless("flavor", "flavor: m1.tiny"),
      ...unless("key_name", "key_name: deploy"),
      `networks: [${joined[index] ?? (index === 0 ? "{ port: vip }" : `{ network: ${ofNetwork(index % 10)} }`)}]`,
      ...(index === 0 ? [] : unless("security_groups", `security_groups: [group-${index % 20}]`)),
      ...(more === "" ? [] : [more]),
    ];
    return `  server-${index}: { ${keys.join(", ")} }`;
  };
  const floating = (index: number): string => {
    const to = index === 0 ? "port: vip" : index === 1 ? address : `server: server-${index < 5 ? index : index + 5}`;
    return `  address-${index}: { pool: public, ${to} }`;
  };
  const range = (index: number) => (index === 9 ? "subnetpool: own" : `cidr: 10.20.${index}.0/24${index === 3 ? subnet : ""}`);
  return `subnetpools: { own: { ${said.pool} } }
networks:
${many(10, (index) => `  ${named(index)} subnets: { subnet-${index}: { ${range(index)} } } }`)}
routers:
  edge: { external_network: public, interfaces: [subnet-0, subnet-1, subnet-2, subnet-3, subnet-4]${edge} }
  inner: { ${said.inner} }
security_groups:
${many(20, (index) => {
  const from = (group: number) => `remote_group: group-${group % 20}`;
  const second = index === 0 ? rule : "port_range_min: 443, port_range_max: 443";
  return `  group-${index}: { rules: [{ direction: ingress, ${from(index + 1)} }, { direction: ingress, protocol: tcp, ${second}, ${from(index + 19)} }${index === 1 ? said.office : ""}] }`;
})}
ports:
  vip: { network: network-0, security_groups: [group-0], ${port} }
  spare: { network: network-1, security_groups: [group-1] }
  gate: { network: network-6, fixed_ips: [{ subnet: subnet-6, ip_address: 10.20.6.254 }] }
  up: { network: network-5 }
  tagged: { network: network-6 }
trunks: { up: { port: up, sub_ports: [{ port: tagged, segmentation_id: ${said.vlan} }] } }
keypairs:
  deploy: { public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g deploy }
  admin: { public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g admin }
server_groups: { ${group} }
floatingips:
${many(10, floating)}
volumes:
  ${volume}
${many(20, (index) => `  root-${2 * index + 1}: { size: 1, image: cirros }`)}
servers:
${many(40, server)}
`;
}

/** A router of the administrator, who alone may choose its external addresses: a separate target. */
function outer(name: string, ...addresses: string[]): string {
  const rows = addresses.map((each) => `{ subnet: public-subnet, ip_address: ${each} }`);
  return `target: world\nscope: project\nconfig: { routers: { ${name}: { external_network: public, external_fixed_ips: [${rows.join(", ")}] } } }\n`;
}

/** A `clouds.yaml` with the project's user and the administrator. */
function cloudsOfBoth({ cloudsFile, access: { authUrl: auth_url } }: Rig): string {
  const { clouds } = JSON.parse(readFileSync(cloudsFile, "utf8"));
  const auth = { ...clouds.lab.auth, auth_url, username: "admin", password: "secret", project_name: "admin" };
  const file = join(dirname(cloudsFile), "both.yaml");
  writeFileSync(file, JSON.stringify({ clouds: { ...clouds, world: { ...clouds.lab, auth } } }));
  return file;
}

async function enlarge({ admin, user }: Rig): Promise<void> {
  const id = await user.projectId();
  await admin.demand("network", "PUT", `/v2.0/quotas/${id}`, { quota: { security_group: 50, security_group_rule: 500, floatingip: 20 } });
  await admin.demand("compute", "PUT", `/os-quota-sets/${id}`, { quota_set: { instances: 50, cores: 100, ram: 200_000 } });
  await admin.demand("volumev3", "PUT", `/os-quota-sets/${id}`, { quota_set: { volumes: 30, gigabytes: 100 } });
}

onEachCloud("a project of three tiers", (open) => {
  it(
    "is created, changed in every way, changed manually, healed and removed",
    async () => {
      const rig = await open();
      const { user, somebody, admin } = rig;
      await rig.addImage("second");
      const type = `quick-${randomUUID().slice(0, 8)}`;
      await rig.addVolumeType(type);
      const other = await rig.admin.projectId();
      await user.demand("network", "POST", "/v2.0/address-groups", { address_group: { name: "office", addresses: ["192.0.2.0/24"] } });
      const [one = "", two = "", three = ""] = await freeAddresses(admin);
      const router = `outer-${randomUUID().slice(0, 8)}`;
      const outside = async () => {
        const { external_gateway_info: gateway } = await admin.named("network", "/v2.0/routers", "routers", router);
        return gateway.external_fixed_ips.map((each: { ip_address: string }) => each.ip_address).sort();
      };
      const repository = Repository.create(
        rig,
        { "plumbline.yaml": CONFIGURATION, "cloud/main.yaml": document(project(FIRST)), "world/main.yaml": outer(router, two, one) },
        { OS_CLIENT_CONFIG_FILE: cloudsOfBoth(rig) },
      );
      const early = await repository.plumbline("plan");
      expect(early, early.err + early.out).toMatchObject({ code: 2 });
      for (const [resource, more] of Object.entries({ instances: 40, cores: 40, security_group: 20, volumes: 23 }))
        expect(early.out).toMatch(
          new RegExp(`The quota leaves \\d+ of "${resource}" \\(\\d+, \\d+ used\\), and this plan takes ${more} more`),
        );
      await enlarge(rig);
      const reconciled = async (...flags: string[]) => {
        const done = await repository.plumbline("reconcile", ...flags);
        expect(done, done.err + done.out).toMatchObject({ code: 0, out: expect.not.stringContaining("The quota leaves") });
      };
      const idOf = async (name: string) => (await serverNamed(user, name)).id;
      const servers = async () => await user.list("compute", "/servers/detail", "servers");
      await reconciled();
      expect((await servers()).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => "ACTIVE"));
      expect((await servers()).filter(({ image }) => image === "")).toHaveLength(20);
      expect(await disksOf(user, "server-1")).toEqual(["a root-1", "b data"]);
      const ids = new Map((await servers()).map(({ name, id }) => [name, id]));
      const network = (await networkNamed(user, "network-3")).id;

      expect(await outside()).toEqual([one, two].sort());
      const snapshot = { volume_id: (await volumeNamed(user, "kept")).id, name: "nightly", description: "each night" };
      const { id: nightly } = (await user.demand("volumev3", "POST", "/snapshots", { snapshot })).snapshot;
      const statusOfSnapshot = async () => (await user.request("volumev3", "GET", `/snapshots/${nightly}`)).json.snapshot?.status;
      await expect.poll(statusOfSnapshot, { timeout: 60_000 }).toBe("available");

      repository.write({
        "cloud/main.yaml": document(project(CHANGED).replace("TYPE", type).replace("OTHER", other)),
        "world/main.yaml": outer(router, three, two, one),
      });
      await reconciled();
      expect(await outside()).toEqual([one, two, three].sort());
      expect(await volumeNamed(user, "restored")).toMatchObject({ snapshot_id: nightly, status: "available" });
      const again = (await servers()).filter(({ name, id }) => ids.get(name) !== id).map(({ name }) => name);
      expect(again.sort()).toEqual(["server-2", "server-7"]);
      expect(await networkNamed(user, "network-three")).toMatchObject({ id: network, description: "of the application" });
      expect(await wholeServerNamed(user, "server-4")).toMatchObject({ status: "ACTIVE", flavor: { id: "2" }, tags: ["big"] });
      expect(await wholeServerNamed(user, "server-6")).toMatchObject({ status: "SHUTOFF", description: "asleep" });
      expect([await disksOf(user, "server-1"), await disksOf(user, "server-5")]).toEqual([["a root-1"], ["a root-5", "b data"]]);
      expect(await volumeNamed(user, "data")).toMatchObject({ size: 2, status: "in-use" });
      expect((await wholeServerNamed(user, "server-22")).image.id).not.toBe((await wholeServerNamed(user, "server-20")).image.id);
      expect(await interfacesOf(user, "server-16")).toEqual(["network-6 group-16", "spare group-1"]);
      expect(await interfacesOf(user, "server-18")).toEqual(["network-8 group-18"]);
      expect(await interfacesOf(user, "server-24")).toEqual(["network-4 group-4 group-5"]);
      expect(await volumeNamed(user, "logs")).toMatchObject({ volume_type: type });
      const trunk = await user.named("network", "/v2.0/trunks", "trunks", "up");
      expect(trunk.sub_ports).toMatchObject([{ segmentation_id: 20 }]);
      const inner = await user.named("network", "/v2.0/routers", "routers", "inner");
      const gate = await user.named("network", "/v2.0/ports", "ports", "gate");
      expect(gate).toMatchObject({ device_id: inner.id, fixed_ips: [{ ip_address: "10.20.6.254" }] });
      const pool = await user.named("network", "/v2.0/subnetpools", "subnetpools", "own");
      expect(pool).toMatchObject({ description: "wider", prefixes: expect.arrayContaining(["10.32.0.0/24"]) });
      const shares = await user.list("network", "/v2.0/rbac-policies?object_type=network", "rbac_policies");
      expect(shares.map(({ target_tenant }) => target_tenant)).toEqual([other]);
      const moved = await floatingIpKeyed(user, "address-1");
      expect([moved.port_id]).toEqual(await portsOfServer(user, "server-20"));

      await somebody.describeNetwork("network-5", "somebody's");
      await somebody.setNameServers("subnet-3", ["192.0.2.99"]);
      await somebody.switchServer("server-6", "start");
      await somebody.tagServer("server-4", "odd");
      await somebody.detachVolume("server-5", "data");
      await somebody.detachPort("server-16", "spare");
      await somebody.attachNetwork("server-30", "network-5");
      await somebody.takeOffFloatingIp(moved.floating_ip_address);
      await somebody.deleteFloatingIp((await floatingIpKeyed(user, "address-2")).floating_ip_address);
      await somebody.deleteServer("server-8");
      await somebody.createNetwork("theirs");
      const { id: routerId, external_gateway_info: gateway } = await admin.named("network", "/v2.0/routers", "routers", router);
      const fewer = { network_id: gateway.network_id, external_fixed_ips: [{ ip_address: one }] };
      await admin.demand("network", "PUT", `/v2.0/routers/${routerId}`, { router: { external_gateway_info: fewer } });
      await expect.poll(async () => (await volumeNamed(user, "data")).status, { timeout: 60_000 }).toBe("available");
      const drift = await repository.plumbline("drift", "--format", "json");
      const pathsOf = (target: string) => {
        const { items } = JSON.parse(drift.out).targets.find((each: { target: string }) => each.target === target).drift;
        return items.map(({ xpath }: { xpath: string }) => xpath.replace("/openstack/", "")).sort();
      };
      expect(pathsOf("world")).toHaveLength(2);
      expect(pathsOf("cloud")).toEqual([
        "floatingips/entry[@name='address-1']/server",
        "floatingips/entry[@name='address-2']",
        "networks/entry[@name='network-5']/description",
        "networks/entry[@name='network-three']/subnets/entry[@name='subnet-3']/dns_nameservers",
        "servers/entry[@name='server-16']/networks/entry[@name='* spare']",
        "servers/entry[@name='server-30']/networks/entry[@name='network-5 *']",
        "servers/entry[@name='server-30']/security_groups",
        "servers/entry[@name='server-4']/tags",
        "servers/entry[@name='server-5']/volumes",
        "servers/entry[@name='server-6']/power",
        "servers/entry[@name='server-8']",
      ]);
      const kept = await idOf("server-4");
      await reconciled();
      const healed = await repository.plumbline("plan");
      expect(healed, healed.err + healed.out).toMatchObject({ code: 0 });
      expect(await idOf("server-4")).toBe(kept);
      expect(await outside()).toEqual([one, two, three].sort());
      expect(await interfacesOf(user, "server-16")).toEqual(["network-6 group-16", "spare group-1"]);
      expect(await interfacesOf(user, "server-30")).toEqual(["network-0 group-10"]);
      expect(await idOf("server-8")).not.toBe(ids.get("server-8"));

      repository.write({
        "cloud/main.yaml": document("networks: { last: {} }"),
        "world/main.yaml": "target: world\nscope: project\nconfig: { security_groups: { last: {} } }\n",
      });
      const volumes = ["data", "logs", "kept", "restored", ...Array.from({ length: 20 }, (_, index) => `root-${2 * index + 1}`)];
      const allowed = volumes.flatMap((name) => ["--allow", `data=/openstack/volumes/entry[@name='${name}']`]);
      const held = await repository.plumbline("reconcile", ...allowed);
      expect(held, held.err + held.out).toMatchObject({ code: 4, out: expect.stringMatching(/(have|dependent) snapshots/) });
      expect((await user.list("volumev3", "/volumes/detail", "volumes")).map(({ name }) => name)).toEqual(["kept"]);
      await user.demand("volumev3", "DELETE", `/snapshots/${nightly}`);
      await expect.poll(statusOfSnapshot, { timeout: 60_000 }).toBeUndefined();
      await reconciled(...allowed);
      expect(await admin.named("network", "/v2.0/routers", "routers", router)).toBeUndefined();
      expect([await servers(), await user.list("volumev3", "/volumes/detail", "volumes")]).toEqual([[], []]);
      expect(await user.list("network", "/v2.0/floatingips", "floatingips")).toEqual([]);
      const own = (await user.list("network", "/v2.0/networks", "networks")).filter((each) => each["router:external"] !== true);
      expect(own.map(({ name }) => name).sort()).toEqual(["last", "theirs"]);
    },
    LONGEST,
  );
});
