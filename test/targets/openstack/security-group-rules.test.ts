import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlumblineErrors } from "../../../src/core/errors.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { canonicalFields } from "../../../src/targets/openstack/canonical-rule.js";
import { CloudWorld } from "./cloud-world.js";

const changed = (outcome: TargetOutcome) => (outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path.name ?? path.tag}`);

/** A document with one group; the rules are YAML maps. */
const group = (rules: readonly object[]) => `security_groups: { web: { rules: ${JSON.stringify(rules)} } }`;

/** Live rules of the group, without the two that every group gets. */
function liveRules({ lab }: CloudWorld, direction = "ingress"): string[] {
  const { network } = lab.world;
  return network
    .all("security_group_rule")
    .filter((rule) => rule.direction === direction && network.store.get("security_group", rule.security_group_id).name === "web")
    .map(({ id }) => id)
    .sort();
}

const deletes = ({ lab }: CloudWorld) => lab.journal.filter(({ method }) => method === "DELETE").length;

const DATABASE = { direction: "ingress", protocol: "tcp", port_range_min: 5432, port_range_max: 5432 };
const INGRESS = { direction: "ingress" };

describe("security group rules in canonical form", () => {
  it("converge in one run if the service stores them in another spelling", async () => {
    const world = await CloudWorld.start();
    world.want(
      group([
        { ...INGRESS, protocol: "tcp", port_range_min: 1, port_range_max: 65535, remote_ip_prefix: "10.0.0.0/8" },
        { ...INGRESS, ethertype: "IPv6", protocol: "icmp" },
        { direction: "egress", remote_ip_prefix: "0.0.0.0/0" },
        { direction: "egress", ethertype: "IPv6", remote_ip_prefix: "::/0" },
      ]),
    );
    expect(exitCode([await world.reconcile()])).toBe(0);
    const live = liveRules(world);
    expect(live).toHaveLength(2);
    for (let run = 1; run <= 3; run++) {
      expect(changed(await world.plan())).toEqual([]);
      expect(exitCode([await world.reconcile()])).toBe(0);
    }
    expect(liveRules(world)).toEqual(live);
    expect(deletes(world)).toBe(0);
  });

  it("are ignored by the path that a drift report shows", async () => {
    const world = (await CloudWorld.start()).want(group([DATABASE]));
    await world.reconciled();
    const security_group_id = world.lab.world.network.all("security_group").find(({ name }) => name === "web")?.id;
    const rule = { security_group_id, ...INGRESS, protocol: "tcp", port_range_min: 22, port_range_max: 22, remote_ip_prefix: "0.0.0.0/0" };
    expect(world.act("POST", "/v2.0/security-group-rules", { security_group_rule: rule }).status).toBe(201);
    const paths = async () => ((await world.drift()).drift?.items ?? []).map(({ change }) => change.path.toString());
    const [path = "", ...others] = await paths();
    expect(others).toEqual([]);
    expect(path).toContain("entry[@name='ingress IPv4 tcp 22 22 * * *']");
    const ignore = `ignore: [{ path: "${path}", owner: netops, reason: console }]`;
    world.wantText(`target: cloud\nscope: project\n${ignore}\nconfig:\n  ${group([DATABASE])}\n`);
    expect(await paths()).toEqual([]);
  });

  it("get another description without $replace, although the service updates no rules", async () => {
    const described = (description: string) => group([{ ...DATABASE, description }]);
    const world = (await CloudWorld.start()).want(described("for: the old team"));
    await world.reconciled();
    const since = world.lab.journal.length;
    world.want(described("for the new team"));
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(liveRules(world)).toHaveLength(1);
    expect(world.writesSince(since)).toEqual(["DELETE /v2.0/security-group-rules/ID", "POST /v2.0/security-group-rules"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are two rules if only the host bits differ", async () => {
    const world = await CloudWorld.start();
    world.want(group(["10.0.0.0/24", "10.0.0.5/24"].map((remote_ip_prefix) => ({ ...INGRESS, remote_ip_prefix }))));
    await world.reconciled();
    expect(liveRules(world)).toHaveLength(2);
    expect(changed(await world.plan())).toEqual([]);
  });

  it.each([
    [
      { protocol: "tcp", port_range_min: 1, port_range_max: 65535 },
      { protocol: "6", remote_ip_prefix: "0.0.0.0/0" },
    ],
    [
      { protocol: "icmp", ethertype: "IPv6" },
      { protocol: "58", ethertype: "IPv6" },
    ],
    [{}, { protocol: "any", remote_ip_prefix: "0.0.0.0/0" }],
  ])("are refused when one group has the same rule twice: %j and %j", async (first, second) => {
    const world = (await CloudWorld.start()).want(`security_groups:
  web:
    rules:
      - ${JSON.stringify({ ...INGRESS, ...first })}
      - ${JSON.stringify(DATABASE)}
      - ${JSON.stringify({ ...INGRESS, ...second })}`);
    const { errors } = await world.plan().then(
      () => ({ errors: [] }),
      (error: PlumblineErrors) => error,
    );
    expect(errors.map(({ code, where, message }) => [code, where?.file, where?.line, message])).toEqual([
      ["declared-twice", "cloud/project.yaml", 9, expect.stringContaining("cloud/project.yaml:7")],
    ]);
  });

  it("keep a rule that the service called a duplicate in the same run", async () => {
    const world = (await CloudWorld.start()).want(group([{ ...INGRESS, protocol: "gre" }]));
    await world.reconciled();
    const [live] = liveRules(world);
    // A service that considers more rules equal than Plumbline does.
    const message = `Security group rule already exists. Rule id is ${live}.`;
    const effect = { kind: "refuse" as const, status: 409, type: "SecurityGroupRuleExists", message };
    world.lab.fault({ match: { method: "POST", path: "/security-group-rules" }, effect, count: 100 });
    world.want(group([{ ...INGRESS, protocol: "esp" }]));
    expect(exitCode([await world.reconcile()])).not.toBe(0);
    expect(liveRules(world)).toEqual([live]);
    expect(deletes(world)).toBe(0);
  });
});

it("the default rules that Contrail's plugin shows have the same canonical form as Neutron's", () => {
  for (const [ethertype, remote_ip_prefix] of [
    ["IPv4", "0.0.0.0/0"],
    ["IPv6", "::/0"],
  ]) {
    const shown: Record<string, string | undefined> = {
      ...{ ethertype, remote_ip_prefix, protocol: "any", port_range_min: "0", port_range_max: "65535" },
    };
    expect(Object.values(canonicalFields((tag) => shown[tag]))).toEqual([undefined, undefined, undefined, undefined]);
  }
});

it("rules as Contrail's plugin shows them are in sync, and the default rules stay", async () => {
  const world = await CloudWorld.start();
  const web = { ...INGRESS, protocol: "tcp", port_range_min: 443, port_range_max: 443 };
  const icmp = { ...INGRESS, protocol: "icmp", remote_ip_prefix: "10.0.0.0/8" };
  world.want(group([web, icmp]));
  await world.reconciled();
  const { network } = world.lab.world;
  for (const rule of network.all("security_group_rule"))
    Object.assign(rule, {
      protocol: rule.protocol ?? "any",
      port_range_min: rule.port_range_min ?? 0,
      port_range_max: rule.port_range_max ?? 65535,
      remote_ip_prefix: rule.remote_ip_prefix ?? (rule.ethertype === "IPv6" ? "::/0" : "0.0.0.0/0"),
    });
  expect(changed(await world.plan())).toEqual([]);
  world.want(group([web]));
  expect(changed(await world.plan())).toEqual(["extra ingress IPv4 icmp * * 10.0.0.0/8 * *"]);
  expect(exitCode([await world.reconcile()])).toBe(0);
  expect([liveRules(world).length, liveRules(world, "egress").length]).toEqual([1, 2]);
  expect(changed(await world.plan())).toEqual([]);
});

describe("an exclusive list of security group rules", () => {
  const DNS = { direction: "egress", protocol: "udp", port_range_min: 53, port_range_max: 53, remote_ip_prefix: "10.0.0.53/32" };
  const text = (rules: readonly object[], isExclusive: boolean) =>
    `target: cloud\nscope: project\n${
      isExclusive ? `owns: { "security_groups/entry[@name='web']/rules": exclusive }\n` : ""
    }config:\n  ${group(rules)}\n`;
  const egress = (world: CloudWorld) => liveRules(world, "egress").length;

  it("deletes the default egress rules of a new group in the first run", async () => {
    const world = (await CloudWorld.start()).wantText(text([DNS], true));
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(egress(world)).toBe(1);
    expect(changed(await world.plan())).toEqual([]);
  });

  const notes = (outcome: TargetOutcome) => (outcome.plan?.findings ?? []).map(({ message }) => message);

  it.each([false, true])("is suggested when a group restricts egress and keeps default rules, IPv6 too: %s", async (isIpv4Declared) => {
    const world = await CloudWorld.start();
    world.wantText(text(isIpv4Declared ? [DNS, { direction: "egress" }] : [DNS], false));
    const families = isIpv4Declared ? "IPv6" : "IPv4 and IPv6";
    const note = `Security group "web" still allows all ${families} egress: it keeps the default rules of the service. To delete them, write owns: { "security_groups/entry[@name='web']/rules": exclusive }.`;
    expect(notes(await world.plan())).toEqual([note]);
    expect(notes(await world.reconciled())).toEqual([note]);
    expect(notes(await world.plan())).toEqual([note]);
    world.wantText(text([DNS, DATABASE], true));
    await world.adopt();
    await world.reconciled();
    expect(notes(await world.plan())).toEqual([]);
    world.wantText(text([DATABASE], false));
    expect(notes(await world.plan())).toEqual([]);
  });

  it("deletes those of a group that exists, and keeps them when they are declared or the list is not exclusive", async () => {
    const world = (await CloudWorld.start()).wantText(text([DNS], false));
    await world.reconciled();
    expect(egress(world)).toBe(3);
    expect(changed(await world.plan())).toEqual([]);
    world.wantText(text([DNS, { direction: "egress" }], true));
    await world.adopt();
    expect(changed(await world.plan())).toEqual(["extra egress IPv6 * * * * * *"]);
    await world.reconciled();
    expect(egress(world)).toBe(2);
    expect(changed(await world.plan())).toEqual([]);
  });
});

interface Spellings {
  readonly fixed: object;
  readonly protocols: readonly (string | undefined)[];
  readonly ports: readonly (readonly [number, number] | undefined)[];
  readonly prefixes: readonly (string | undefined)[];
}

const TCP_UDP: readonly (readonly string[])[] = [
  ["tcp", "TCP", "6"],
  ["udp", "Udp", "17"],
];
const NAMES4: readonly (readonly (string | undefined)[])[] = [
  [undefined, "any"],
  ["icmp", "1", "ICMP"],
  ["gre", "47"],
  ["vrrp", "112"],
  ["200"],
  ["0", "ip"],
];
const NAMES6: readonly (readonly (string | undefined)[])[] = [
  [undefined, "any"],
  ["icmp", "icmpv6", "ipv6-icmp", "1", "58"],
  ["ipv6-frag", "44"],
];
const PREFIXES4: readonly (readonly (string | undefined)[])[] = [[undefined, "0.0.0.0/0"], ["10.0.0.5/24"], ["10.0.0.5/32"]];
const PREFIXES6: readonly (readonly (string | undefined)[])[] = [
  [undefined, "::/0", "0::0/0"],
  ["2001:db8::1/64", "2001:DB8:0::1/64"],
  ["fd00::7/128", "FD00:0:0::7/128"],
];
const ALL = [undefined, [1, 65535]] as const;
const SOME = [[22, 22]] as const;

/** One rule with all spellings that Neutron accepts for it. */
const spellings: fc.Arbitrary<Spellings> = fc
  .record({ direction: fc.constantFrom("ingress", "egress"), isSix: fc.boolean(), hasPorts: fc.boolean(), isAll: fc.boolean() })
  .chain(({ direction, isSix, hasPorts, isAll }) =>
    fc.record({
      fixed: fc.constant({ direction, ...(isSix ? { ethertype: "IPv6" } : {}) }),
      protocols: fc.constantFrom(...(hasPorts ? TCP_UDP : isSix ? NAMES6 : NAMES4)),
      ports: fc.constant(hasPorts && !isAll ? SOME : ALL),
      prefixes: fc.constantFrom(...(isSix ? PREFIXES6 : PREFIXES4)),
    }),
  );

/** Three spellings of one rule. */
const respelled: fc.Arbitrary<object[]> = spellings.chain(({ fixed, protocols, ports, prefixes }) =>
  fc.array(
    fc
      .record({ protocol: fc.constantFrom(...protocols), range: fc.constantFrom(...ports), prefix: fc.constantFrom(...prefixes) })
      .map(({ protocol, range, prefix }) => ({
        ...fixed,
        ...(protocol === undefined ? {} : { protocol }),
        ...(range === undefined ? {} : { port_range_min: range[0], port_range_max: range[1] }),
        ...(prefix === undefined ? {} : { remote_ip_prefix: prefix }),
      })),
    { minLength: 3, maxLength: 3 },
  ),
);

describe("any spelling of security group rules", () => {
  it("converges in one run, and respelling changes nothing on the service", async () => {
    const world = await CloudWorld.start();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(respelled, async (rules) => {
        const name = `g${runs++}`;
        const want = (rule: object) => world.want(`security_groups: { ${name}: { rules: [${JSON.stringify(rule)}] } }`);
        const [first = {}, ...others] = rules;
        want(first);
        await world.reconciled();
        expect(changed(await world.plan())).toEqual([]);
        const since = world.lab.journal.length;
        for (const rule of others) {
          want(rule);
          expect(changed(await world.plan())).toEqual([]);
          await world.reconciled();
        }
        expect(world.writesSince(since)).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });
});

describe("unmanaged rules of a security group", () => {
  const WEB = { ...INGRESS, protocol: "tcp", port_range_min: 443, port_range_max: 443 };
  const partial = (header = "") => `security_groups: { web: { $partial: true, rules: ${JSON.stringify([WEB])} } }${header}`;

  /** A group with the declared rule, the default egress rules, and a rule of another administrator. */
  async function withOtherRule(): Promise<CloudWorld> {
    const world = (await CloudWorld.start()).want(group([WEB, DATABASE]));
    await world.reconciled();
    return world;
  }

  it("are drift if documents declare a part of the group, and are not deleted", async () => {
    const world = await withOtherRule();
    world.want(partial());
    expect((await world.adopt()).error).toBeUndefined();
    const drift = await world.drift();
    expect(drift.drift?.items.map(({ change: { kind, path } }) => `${kind} ${path.parent?.parent?.name}`)).toEqual(["unmanaged web"]);
    expect(exitCode([drift])).toBe(2);
    expect(exitCode([await world.reconcile()])).toBe(2);
    expect(liveRules(world)).toHaveLength(2);
  });

  it("are differences of a group that is declared completely, and are deleted", async () => {
    const world = await withOtherRule();
    world.want(group([WEB]));
    expect((await world.drift()).drift?.items.map(({ change }) => change.kind)).toEqual(["extra"]);
    await world.reconciled();
    expect(liveRules(world)).toHaveLength(1);
  });
});
