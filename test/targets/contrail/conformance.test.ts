import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { startContrailLab } from "../../../src/lab/contrail/start.js";
import { ContrailWriter } from "../../../src/targets/contrail/writer.js";
import type { Bench } from "../conformance/bench.js";
import { LossyPools } from "../conformance/lossy-pool.js";
import { NOT_ON_CLOUDS } from "../conformance/on-cloud.js";
import { targetConformance } from "../conformance/target-conformance.js";
import { connection, dependencies } from "./fixtures.js";

const controller = Path.root.child("contrail");
const list = controller.child("virtual-networks");
const leaf = (tag: string, text: string): TreeNode => new TreeNode(tag, undefined, text);
const named = (word: string): string => `default-domain:demo:${word}`;

const rule = (port: number) => ({
  direction: "<>",
  protocol: "tcp",
  dst_addresses: [{ virtual_network: "any" }],
  dst_ports: [{ start_port: port, end_port: port }],
  src_addresses: [{ virtual_network: "any" }],
  src_ports: [{ start_port: -1, end_port: -1 }],
  action_list: { simple_action: "pass" },
});

async function fabric(): Promise<Bench> {
  const lab = await startContrailLab({ port: 0 });
  lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
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
    named,
    entry: (name, text) => new TreeNode("entry", name, "", [leaf("owner", "netops"), leaf("display_name", text)]),
    leaf: "display_name",
    more: leaf("router_external", "true"),
    refused: { action: "set", at: list.entry(named("nobody")), element: leaf("display_name", "nobody's") },
    connect: () => new ContrailWriter(connection(lab.url), { ...dependencies(), dispatcher: pools.dispatcher }),
    loseReply: () => pools.loseReply(),
    close: () => lab.close(),
  };
}

targetConformance("a lab controller", fabric, [
  ...NOT_ON_CLOUDS.filter((title) => !title.startsWith("move ")),
  "knows no checksum of an image that is not there",
  "waits until what was written is made",
  "rename keeps what an entry holds",
]);
