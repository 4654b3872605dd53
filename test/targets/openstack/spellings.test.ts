import { describe, expect, it } from "vitest";
import type { PlumblineErrors } from "../../../src/core/errors.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const changed = (outcome: TargetOutcome) => (outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`);

/** Two spellings of each value: one that people write, and the one that the service compares. */
const SPELLINGS: readonly (readonly [string, string])[] = [
  ["2001:DB8:9:0:0::/64", "2001:db8:9::/64"],
  ["2001:DB8:9:0::1", "2001:db8:9::1"],
  ["2001:DB8::53", "2001:db8::53"],
  ["2001:DB8:77::/48", "2001:db8:77::/48"],
  ["2001:DB8:9::0009", "2001:db8:9::9"],
  ["2001:DB8:9::0010", "2001:db8:9::10"],
  ["2001:DB8:9::FF", "2001:db8:9::ff"],
  ["2001:DB8:78:0::/48", "2001:db8:78::/48"],
  ["2001:DB8:9::20", "2001:db8:9::20"],
  ["2001:DB8:9:0:0::/80", "2001:db8:9::/80"],
  ["2001:DB8:9::0021", "2001:db8:9::21"],
  ["2001:DB8:AA::/40", "2001:db8:aa::/40"],
  ["FA:16:3E:AA:BB:CC", "fa:16:3e:aa:bb:cc"],
  ["FA:16:3E:00:AA:01", "fa:16:3e:00:aa:01"],
];

const [CIDR, GATEWAY, DNS, ROUTE, HOP, START, END, FAR, FIXED, PAIR, SERVED, PREFIX, PAIR_MAC, MAC] = SPELLINGS.map(([typed]) => typed);

const TYPED = `
subnetpools:
  pool: { prefixes: ["${PREFIX}"], default_prefixlen: 64 }
networks:
  n:
    subnets:
      s:
        cidr: "${CIDR}"
        ip_version: 6
        gateway_ip: "${GATEWAY}"
        dns_nameservers: ["${DNS}"]
        host_routes: [{ destination: "${ROUTE}", nexthop: "${HOP}" }]
        allocation_pools: [{ start: "${START}", end: "${END}" }]
routers:
  r: { interfaces: [s], routes: [{ destination: "${FAR}", nexthop: "${HOP}" }] }
ports:
  p:
    network: n
    mac_address: "${MAC}"
    fixed_ips: [{ subnet: s, ip_address: "${FIXED}" }]
    allowed_address_pairs: [{ ip_address: "${PAIR}" }, { ip_address: "${FIXED}", mac_address: "${PAIR_MAC}" }]
security_groups:
  g: { rules: [{ direction: ingress, ethertype: IPv6, protocol: tcp, remote_ip_prefix: "${PAIR}" }] }
servers:
  web: { image: cirros, flavor: m1.tiny, networks: [{ network: n, fixed_ip: "${SERVED}" }] }
`;

const CANONICAL = SPELLINGS.reduce((text, [typed, canonical]) => text.replaceAll(`"${typed}"`, `"${canonical}"`), TYPED);

describe("spellings of addresses, prefixes and MAC addresses", () => {
  it.each([
    ["as typed, then canonical", TYPED, CANONICAL],
    ["canonical, then as typed", CANONICAL, TYPED],
  ])("converge in one run and plan nothing when git respells them: %s", async (_, first, second) => {
    const world = (await CloudWorld.start()).want(first);
    await world.reconciled();
    expect(changed(await world.plan())).toEqual([]);
    const since = world.lab.journal.length;
    world.want(second);
    expect(changed(await world.plan())).toEqual([]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.writesSince(since)).toEqual([]);
  });

  it("plan nothing for live values that another client wrote in another spelling", async () => {
    const world = (await CloudWorld.start()).want(CANONICAL);
    await world.reconciled();
    const { network } = world.lab.world;
    const subnet = network.all("subnet").find(({ name }) => name === "s");
    const port = network.all("port").find(({ name }) => name === "p");
    const respelled = [
      world.act("PUT", `/v2.0/subnets/${subnet?.id}`, {
        subnet: { dns_nameservers: [DNS], host_routes: [{ destination: ROUTE, nexthop: HOP }] },
      }),
      world.act("PUT", `/v2.0/ports/${port?.id}`, {
        port: { allowed_address_pairs: [{ ip_address: PAIR }, { ip_address: FIXED, mac_address: PAIR_MAC }] },
      }),
    ];
    expect(respelled.map(({ status }) => status)).toEqual([200, 200]);
    expect(changed(await world.plan())).toEqual([]);
  });
});

it("converges for a public key that ends with a newline, as it does in a file", async () => {
  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g ops@example";
  const world = (await CloudWorld.start()).want(`keypairs: { k: { public_key: "${key}\\n" } }`);
  await world.reconciled();
  expect(changed(await world.plan())).toEqual([]);
  world.want(`keypairs: { k: { public_key: "${key}" } }`);
  expect(changed(await world.plan())).toEqual([]);
});

it("the order of dns_nameservers is written and compared", async () => {
  const servers = ["10.0.0.9", "10.0.0.1", "10.0.0.77"];
  const document = (order: readonly string[]) =>
    `networks: { n: { subnets: { s: { cidr: 10.9.1.0/24, dns_nameservers: [${order.join(", ")}] } } } }`;
  const world = (await CloudWorld.start()).want(document(servers));
  await world.reconciled();
  const subnet = () => world.lab.world.network.all("subnet").find(({ name }) => name === "s");
  expect(subnet()?.dns_nameservers).toEqual(servers);
  expect(changed(await world.plan())).toEqual([]);
  const swapped = servers.toReversed();
  world.act("PUT", `/v2.0/subnets/${subnet()?.id}`, { subnet: { dns_nameservers: swapped } });
  expect((await world.drift()).drift?.items.map(({ change: { path } }) => path.tag)).toEqual(["dns_nameservers"]);
  await world.reconciled();
  expect(subnet()?.dns_nameservers).toEqual(servers);
  world.want(document(swapped));
  expect(changed(await world.plan())).toHaveLength(1);
  await world.reconciled();
  expect(subnet()?.dns_nameservers).toEqual(swapped);
  expect(changed(await world.plan())).toEqual([]);
});

it('external_network: "null" is an error in the document', async () => {
  const world = (await CloudWorld.start()).want('routers: { r: { external_network: "null" } }');
  const codes = await world.plan().then(
    () => [],
    ({ errors }: PlumblineErrors) => errors.map(({ code }) => code),
  );
  expect(codes).toEqual(["value-type"]);
});
