import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { disksOf, floatingIpKeyed, networkNamed, portsOfServer, serverNamed, volumeNamed, wholeServerNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";

const LONGEST = 3_600_000;
const CONFIGURATION = `format: 1
owner: conformance
documents: [cloud]
targets:
  cloud: { kind: openstack, cloud: lab, mode: enforce }
guards: { updates: 100%, deletes: 100%, deletesPerDay: 500, emptyList: allow }
`;

const many = (count: number, each: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => each(index)).join("\n");

/** What differs between two states of the project; each is what was declared first where it is left out. */
interface Said {
  /** Keys of `network-3` beside its subnet, of its subnet. */
  readonly network: string;
  readonly subnet: string;
  readonly edge: string;
  readonly rule: string;
  readonly port: string;
  readonly address: string;
  readonly group: string;
  readonly volume: string;
  /** By the server's number: keys beside those that all have. */
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
  volume: "data: { size: 1, metadata: { role: db } }",
  servers: { 1: "volumes: [data]", 2: "server_group: app" },
};

/** Every kind changed in each of its ways: in place, by resize, by replacement, by another name. */
const CHANGED: Said = {
  network: "network-three: { $was: network-3, description: of the application,",
  subnet: ", dns_nameservers: [192.0.2.53], host_routes: [{ destination: 198.51.100.0/24, nexthop: 10.20.3.9 }]",
  edge: ", routes: [{ destination: 192.0.2.0/24, nexthop: 10.20.0.99 }], description: to the world",
  rule: "port_range_min: 3306, port_range_max: 3306",
  port: "fixed_ips: [{ subnet: subnet-0, ip_address: 10.20.0.10 }, { subnet: subnet-0, ip_address: 10.20.0.11 }], allowed_address_pairs: [{ ip_address: 10.20.0.200 }]",
  address: "server: server-20, description: moved",
  group: "app: { policy: soft-affinity, $replace: true }",
  volume: "data: { size: 2, description: grown, metadata: { role: web } }",
  servers: {
    1: "$down: true, volumes: { $exclude: [data] }",
    2: "$replace: true, server_group: app",
    4: "$down: true, flavor: m1.small, tags: [big], metadata: { tier: web }",
    5: "$down: true, volumes: [data]",
    6: "power: off, description: asleep",
    7: "$replace: true, key_name: admin",
  },
};

/** 10 networks, 2 routers, 40 servers of which half start from volumes, 10 floating IPs, 20 groups that name each other. */
function project({ network, subnet, edge, rule, port, address, group, volume, servers }: Said): string {
  const named = (index: number) => (index === 3 ? network : `network-${index}: {`);
  const ofNetwork = (index: number) => (index === 3 ? (/^\S+(?=:)/.exec(network)?.[0] ?? "") : `network-${index}`);
  const server = (index: number): string => {
    const said = servers[index] ?? "";
    const flavor = said.includes("flavor:") ? "" : ", flavor: m1.tiny";
    const key = said.includes("key_name:") ? "" : ", key_name: deploy";
    const disk = index % 2 === 0 ? "image: cirros" : `boot_volume: root-${index}`;
    const joined = index === 0 ? "{ port: vip }" : `{ network: ${ofNetwork(index % 10)} }`;
    const groups = index === 0 ? "" : `, security_groups: [group-${index % 20}]`;
    return `  server-${index}: { ${disk}${flavor}${key}, networks: [${joined}]${groups}${said === "" ? "" : `, ${said}`} }`;
  };
  const floating = (index: number): string => {
    const to = index === 0 ? "port: vip" : index === 1 ? address : `server: server-${index < 5 ? index : index + 5}`;
    return `  address-${index}: { pool: public, ${to} }`;
  };
  return `networks:
${many(10, (index) => `  ${named(index)} subnets: { subnet-${index}: { cidr: 10.20.${index}.0/24${index === 3 ? subnet : ""} } } }`)}
routers:
  edge: { external_network: public, interfaces: [subnet-0, subnet-1, subnet-2, subnet-3, subnet-4]${edge} }
  inner: { interfaces: [subnet-5, subnet-6, subnet-7, subnet-8, subnet-9] }
security_groups:
${many(20, (index) => {
  const from = (group: number) => `remote_group: group-${group % 20}`;
  const second = index === 0 ? rule : "port_range_min: 443, port_range_max: 443";
  return `  group-${index}: { rules: [{ direction: ingress, ${from(index + 1)} }, { direction: ingress, protocol: tcp, ${second}, ${from(index + 19)} }] }`;
})}
ports: { vip: { network: network-0, security_groups: [group-0], ${port} } }
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

async function enlarge({ admin, user }: Rig): Promise<void> {
  const id = await user.projectId();
  await admin.demand("network", "PUT", `/v2.0/quotas/${id}`, { quota: { security_group: 50, security_group_rule: 500, floatingip: 20 } });
  await admin.demand("compute", "PUT", `/os-quota-sets/${id}`, { quota_set: { instances: 50, cores: 100, ram: 200_000 } });
  await admin.demand("volumev3", "PUT", `/os-quota-sets/${id}`, { quota_set: { volumes: 30, gigabytes: 100 } });
}

onEachCloud("a project of three tiers", (open) => {
  it(
    "is made, changed in every way that its kinds have, drifted by somebody, healed and taken down",
    async () => {
      const rig = await open();
      const { user, somebody } = rig;
      await enlarge(rig);
      const repository = Repository.create(rig, { "plumbline.yaml": CONFIGURATION, "cloud/main.yaml": document(project(FIRST)) });
      const reconciled = async (...flags: string[]) => {
        const done = await repository.plumbline("reconcile", ...flags);
        expect(done, done.err + done.out).toMatchObject({ code: 0 });
      };
      const idOf = async (name: string) => (await serverNamed(user, name)).id;
      const servers = async () => await user.list("compute", "/servers/detail", "servers");
      await reconciled();
      expect((await servers()).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => "ACTIVE"));
      expect((await servers()).filter(({ image }) => image === "")).toHaveLength(20);
      expect(await disksOf(user, "server-1")).toEqual(["a root-1", "b data"]);
      const ids = new Map((await servers()).map(({ name, id }) => [name, id]));
      const network = (await networkNamed(user, "network-3")).id;

      repository.declare(project(CHANGED));
      await reconciled();
      const again = (await servers()).filter(({ name, id }) => ids.get(name) !== id).map(({ name }) => name);
      expect(again.sort()).toEqual(["server-2", "server-7"]);
      expect(await networkNamed(user, "network-three")).toMatchObject({ id: network, description: "of the application" });
      expect(await wholeServerNamed(user, "server-4")).toMatchObject({ status: "ACTIVE", flavor: { id: "2" }, tags: ["big"] });
      expect(await wholeServerNamed(user, "server-6")).toMatchObject({ status: "SHUTOFF", description: "asleep" });
      expect([await disksOf(user, "server-1"), await disksOf(user, "server-5")]).toEqual([["a root-1"], ["a root-5", "b data"]]);
      expect(await volumeNamed(user, "data")).toMatchObject({ size: 2, status: "in-use" });
      const moved = await floatingIpKeyed(user, "address-1");
      expect([moved.port_id]).toEqual(await portsOfServer(user, "server-20"));

      await somebody.describeNetwork("network-5", "somebody's");
      await somebody.setNameServers("subnet-3", ["192.0.2.99"]);
      await somebody.switchServer("server-6", "start");
      await somebody.tagServer("server-4", "odd");
      await somebody.detachVolume("server-5", "data");
      await somebody.takeOffFloatingIp(moved.floating_ip_address);
      await somebody.deleteFloatingIp((await floatingIpKeyed(user, "address-2")).floating_ip_address);
      await somebody.deleteServer("server-8");
      await somebody.createNetwork("theirs");
      await expect.poll(async () => (await volumeNamed(user, "data")).status, { timeout: 60_000 }).toBe("available");
      const drift = await repository.plumbline("drift", "--format", "json");
      const paths = JSON.parse(drift.out).targets[0].drift.items.map(({ xpath }: { xpath: string }) => xpath.replace("/openstack/", ""));
      expect(paths.sort()).toEqual([
        "floatingips/entry[@name='address-1']/server",
        "floatingips/entry[@name='address-2']",
        "networks/entry[@name='network-5']/description",
        "networks/entry[@name='network-three']/subnets/entry[@name='subnet-3']/dns_nameservers",
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
      expect(await idOf("server-8")).not.toBe(ids.get("server-8"));

      repository.declare("networks: { last: {} }");
      const volumes = ["data", ...Array.from({ length: 20 }, (_, index) => `root-${2 * index + 1}`)];
      await reconciled(...volumes.flatMap((name) => ["--allow", `data=/openstack/volumes/entry[@name='${name}']`]));
      expect([await servers(), await user.list("volumev3", "/volumes/detail", "volumes")]).toEqual([[], []]);
      expect(await user.list("network", "/v2.0/floatingips", "floatingips")).toEqual([]);
      const own = (await user.list("network", "/v2.0/networks", "networks")).filter((each) => each["router:external"] !== true);
      expect(own.map(({ name }) => name).sort()).toEqual(["last", "theirs"]);
    },
    LONGEST,
  );
});
