import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { startContrailLab } from "../../../src/lab/contrail/start.js";
import { ContrailWriter } from "../../../src/targets/contrail/writer.js";
import type { Bench } from "../conformance/bench.js";
import { LossyPools } from "../conformance/lossy-pool.js";
import { NOT_ON_CLOUDS } from "../conformance/on-cloud.js";
import { targetConformance } from "../conformance/target-conformance.js";
import { connection, dependencies, IPAM } from "./fixtures.js";

const controller = Path.root.child("contrail");
const leaf = (tag: string, text: string): TreeNode => new TreeNode(tag, undefined, text);
const named = (word: string): string => `default-domain:demo:${word}`;

/** A list for the cases. Entries of route tables and pools have no leaf except for their name: `neighbours.test.ts` tests these. */
interface Place {
  readonly kind: string;
  readonly more: TreeNode;
  readonly named: (word: string) => string;
}

const PLACES: readonly Place[] = [
  { kind: "virtual-networks", more: leaf("router_external", "true"), named },
  { kind: "security-groups", more: leaf("configured_security_group_id", "17"), named },
  { kind: "logical-routers", more: leaf("logical_router_gateway_external", "true"), named },
  { kind: "floating-ips", more: leaf("floating_ip_is_virtual_ip", "true"), named: (word) => named(`public:pool:${word}`) },
];

const rule = (port: number) => ({
  direction: "<>",
  protocol: "tcp",
  dst_addresses: [{ virtual_network: "any" }],
  dst_ports: [{ start_port: port, end_port: port }],
  src_addresses: [{ virtual_network: "any" }],
  src_ports: [{ start_port: -1, end_port: -1 }],
  action_list: { simple_action: "pass" },
});

async function fabric({ kind, more, named: nameOf }: Place): Promise<Bench> {
  const list = controller.child(kind);
  const lab = await startContrailLab({ port: 0 });
  lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  const outside = { fq_name: ["default-domain", "demo", "public"], parent_type: "project", router_external: true };
  const ipam_subnets = [{ subnet: { ip_prefix: "203.0.113.0", ip_prefix_len: 24 } }];
  lab.world.create("virtual-network", { ...outside, network_ipam_refs: [{ to: IPAM, attr: { ipam_subnets } }] });
  lab.world.create("floating-ip-pool", { fq_name: [...outside.fq_name, "pool"], parent_type: "virtual-network" });
  const pools = new LossyPools();
  return {
    list,
    empty: controller.child("network-policys"),
    ordered: () => {
      lab.world.create("network-policy", {
        fq_name: ["default-domain", "demo", "ordered"],
        parent_type: "project",
        network_policy_entries: { policy_rule: [rule(80), rule(443)] },
      });
      return controller.child("network-policys").entry(named("ordered")).child("network_policy_entries").child("policy_rule");
    },
    named: nameOf,
    entry: (name, text) => new TreeNode("entry", name, "", [leaf("owner", "netops"), leaf("display_name", text)]),
    leaf: "display_name",
    more,
    refused: { action: "set", at: list.entry(nameOf("nobody")), element: leaf("display_name", "nobody's") },
    connect: () => new ContrailWriter(connection(lab.url), { ...dependencies(), dispatcher: pools.dispatcher }),
    loseReply: () => pools.loseReply(),
    close: () => lab.close(),
  };
}

for (const place of PLACES)
  targetConformance(`a lab controller with ${place.kind}`, () => fabric(place), [
    ...NOT_ON_CLOUDS.filter((title) => !title.startsWith("move ")),
    "knows no checksum of an image that is not there",
    "waits until what was written is made",
    "rename keeps what an entry holds",
  ]);
