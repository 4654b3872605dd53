import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/core/tree/canonical.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { loadDesired } from "../../src/desired/load.js";
import type { DesiredTarget } from "../../src/desired/model.js";
import { registryOf } from "../../src/engine/target-kind.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import { memoryKind } from "../../src/targets/memory/kind.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { planInput, tree } from "../plan/support/planned.js";
import { applyAll } from "../plan/support/platform.js";
import { configuration, documentOf, stepsOf } from "./transitions/places.js";

/** Elements that exclude each other in one parent. The list comes from vendor documentation and client code, not from the shape table. */
interface Alternatives {
  /** Steps from `/config` to the parent: `tag`, or `tag=name` for an entry of a list. */
  readonly parent: string;
  readonly sides: readonly string[];
}

const DEVICE = "devices=localhost.localdomain";
const VSYS = `${DEVICE}/vsys=vsys1`;
const ROUTER = `${DEVICE}/network/virtual-router=default`;
const IPV4 = [
  '<ip><entry name="192.0.2.1/24"/></ip>',
  "<dhcp-client><enable>yes</enable></dhcp-client>",
  "<pppoe><enable>yes</enable><username>u</username></pppoe>",
];

const ALTERNATIVES: readonly Alternatives[] = [
  { parent: `${DEVICE}/network/interface/ethernet=ethernet1/1/layer3`, sides: IPV4 },
  { parent: `${DEVICE}/network/interface/ethernet=ethernet1/1/layer3/units=ethernet1/1.5`, sides: IPV4 },
  { parent: `${DEVICE}/network/interface/aggregate-ethernet=ae1/layer3`, sides: IPV4 },
  {
    parent: `${DEVICE}/network/qos/profile=p/class-bandwidth-type`,
    sides: ["mbps", "percentage"].map((unit) => `<${unit}><class><entry name="class1"><priority>high</priority></entry></class></${unit}>`),
  },
  {
    parent: `${DEVICE}/network/dhcp/interface=ethernet1/1`,
    sides: [
      "<server><mode>auto</mode></server>",
      "<relay><ip><enabled>yes</enabled><server><member>192.0.2.9</member></server></ip></relay>",
    ],
  },
  {
    parent: `${DEVICE}/network/dhcp/interface=ethernet1/1/server/option/lease`,
    sides: ["<unlimited/>", "<timeout>1440</timeout>"],
  },
  {
    parent: `${ROUTER}/protocol/bgp/peer-group=g/type`,
    sides: ["ebgp", "ibgp", "ebgp-confed", "ibgp-confed"].map((type) => `<${type}><export-nexthop>resolve</export-nexthop></${type}>`),
  },
  {
    parent: `${DEVICE}/network/interface/ethernet=ethernet1/1/layer3/ipv6/dhcp-client/prefix-delegation/enable`,
    sides: ["<no/>", "<yes><pfx-pool-name>p</pfx-pool-name></yes>"],
  },
  {
    parent: `${DEVICE}/network/logical-router=r/vrf=default/ecmp/algorithm`,
    sides: ["<ip-modulo/>", "<ip-hash><hash-seed>1</hash-seed></ip-hash>", "<balanced-round-robin/>"],
  },
  {
    parent: `${DEVICE}/template=t/config/${DEVICE}/network/interface/ethernet=ethernet1/1/layer3/ipv6/dhcp-client/neighbor-discovery/dns-server/source`,
    sides: ["<dhcpv6/>", "<manual><suffix>a</suffix></manual>"],
  },
  { parent: `${DEVICE}/device-group=g/threats/spyware=15001/default-action`, sides: ["<alert/>", "<drop/>", "<reset-both/>"] },
  { parent: `${ROUTER}/protocol/redist-profile=p/action`, sides: ["<redist/>", "<no-redist/>"] },
  { parent: `${ROUTER}/protocol/redist-profile-ipv6=p/action`, sides: ["<redist/>", "<no-redist/>"] },
  { parent: `${ROUTER}/protocol/bgp/policy/import/rules=r/action`, sides: ["<allow/>", "<deny/>"] },
  { parent: `${ROUTER}/protocol/bgp/policy/export/rules=r/action`, sides: ["<allow/>", "<deny/>"] },
  { parent: `${ROUTER}/protocol/ospf/area=0.0.0.0/type`, sides: ["<normal/>", "<stub/>", "<nssa/>"] },
  { parent: `${ROUTER}/protocol/ospfv3/area=0.0.0.0/type`, sides: ["<normal/>", "<stub/>", "<nssa/>"] },
  { parent: `${ROUTER}/protocol/ospf/area=0.0.0.0/interface=ethernet1/1/link-type`, sides: ["<broadcast/>", "<p2p/>", "<p2mp/>"] },
  {
    parent: `${ROUTER}/ecmp/algorithm`,
    sides: [
      "<ip-modulo/>",
      "<ip-hash><src-only>yes</src-only></ip-hash>",
      '<weighted-round-robin><interface><entry name="ethernet1/1"><weight>5</weight></entry></interface></weighted-round-robin>',
      "<balanced-round-robin/>",
    ],
  },
  {
    parent: `${VSYS}/application=a/default`,
    sides: [
      "<port><member>tcp/8443</member></port>",
      "<ident-by-ip-protocol>50</ident-by-ip-protocol>",
      "<ident-by-icmp-type><type>8</type></ident-by-icmp-type>",
      "<ident-by-icmp6-type><type>128</type></ident-by-icmp6-type>",
    ],
  },
  {
    parent: "shared/admin-role=r/role",
    sides: ["<device><webui><dashboard>enable</dashboard></webui></device>", "<vsys><webui><dashboard>enable</dashboard></webui></vsys>"],
  },
  {
    parent: `${VSYS}/profiles/data-objects=d/pattern-type`,
    sides: ['<regex><pattern><entry name="p"><regex>x</regex></entry></pattern></regex>', "<predefined/>", "<file-properties/>"],
  },
];

function parentIn(root: TreeNode, parent: string): TreeNode | undefined {
  return stepsOf(parent).reduce<TreeNode | undefined>((node, step) => {
    const [tag, name] = step.split("=");
    const below = node?.children.find((each) => each.tag === tag);
    return name === undefined ? below : below?.children.find((each) => each.name === name);
  }, root);
}

const tagOf = (side: string): string => /<([a-z0-9-]+)/.exec(side)?.[1] ?? "";
const cases = ALTERNATIVES.flatMap(({ parent, sides }) =>
  sides.flatMap((from) => sides.filter((to) => to !== from).map((to) => ({ parent, sides, from, to }))),
).map((each, number) => ({ ...each, target: `t${number}` }));

const OPTIONS = { kinds: registryOf([memoryKind]), environment: {}, today: "2026-01-01", resolveSecrets: false };

/** The documents of all cases, one target for each. */
async function loadAll(): Promise<ReadonlyMap<string, DesiredTarget>> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-alternatives-"));
  try {
    mkdirSync(join(folder, "documents"));
    const targets = Object.fromEntries(cases.map(({ target }) => [target, { kind: "memory", file: "x.xml" }]));
    writeFileSync(join(folder, "plumbline.yaml"), JSON.stringify({ format: 1, owner: "netops", documents: ["documents"], targets }));
    for (const { target, parent, to } of cases) {
      writeFileSync(join(folder, "documents", `${target}.yaml`), documentOf(target, parent, to));
    }
    return (await loadDesired(join(folder, "plumbline.yaml"), OPTIONS)).targets;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("alternatives of a firewall's configuration", async () => {
  const shape = panosShape();
  const loaded = await loadAll();

  it.each(cases)("$target: of $parent, one replaces the other and there are never two", ({ target, parent, sides, from, to }) => {
    const tags = new Set(sides.map(tagOf));
    const desired = loaded.get(target) as DesiredTarget;
    const others = sides.filter((side) => side !== to).join("");
    for (const live of [from, from + to, others]) {
      const input = planInput(tree(configuration(parent, live)), desired, { shape });
      const plan = makePlan(input, planGuards);
      expect(plan.refusals).toEqual([]);
      expect(plan.operations.length).toBeGreaterThan(0);
      const operations = plan.operations.map(({ operation }) => operation);
      const after = applyAll(input.candidate, operations, (step) => {
        const there = parentIn(step, parent)?.children.filter(({ tag }) => tags.has(tag)) ?? [];
        if (live !== others || there.some(({ tag }) => tag === tagOf(to))) expect(there.length).toBeLessThanOrEqual(1);
      });
      expect(canonicalText(after, shape)).toBe(canonicalText(tree(configuration(parent, to)), shape));
      expect(makePlan(planInput(after, desired, { shape }), planGuards).operations).toEqual([]);
    }
  });
});
