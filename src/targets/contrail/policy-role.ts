import type { TreeNode } from "../../core/tree/node.js";
import type { PolicyOptions, PolicyRole } from "../../engine/policies.js";
import { ROOT_PATH, SCOPE } from "./collections.js";
import { isContrail } from "./settings.js";

/** What a list says of who reaches whom, beside that an entry of it comes or goes. */
const CONCERNED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["network-policys", new Set(["network_policy_entries"])],
  [
    "virtual-networks",
    new Set([
      "network_policy_refs",
      "route_target_list",
      "import_route_target_list",
      "export_route_target_list",
      "router_external",
      "fabric_snat",
      "is_provider_network",
    ]),
  ],
  ["logical-routers", new Set(["virtual_network_refs", "virtual_machine_interface_refs"])],
]);

/** What a flow between networks meets, beside their policies. */
const NETWORK = ["network-ipams", "route-tables", "floating-ips"];

/** Translates as plumbline.yaml says that this controller reads its policies. */
async function translation() {
  const { rulebasesOf } = await import("./policy/policies.js");
  return (versions: readonly TreeNode[], { configuration, ...options }: PolicyOptions) => {
    const reading = configuration !== undefined && isContrail(configuration) ? configuration.reading : {};
    return rulebasesOf(versions, { ...reading, configuration, ...options });
  };
}

/** What insight is told of a controller: its networks, their policies, and what joins them. */
export const contrailPolicies: PolicyRole = {
  concerns(path) {
    const [, list, , field] = path.steps();
    const fields = CONCERNED.get(list?.tag ?? "");
    return fields !== undefined && (field === undefined || fields.has(field.tag));
  },
  subtrees: () => [...CONCERNED.keys()].map((list) => ROOT_PATH.child(list)),
  network: () => NETWORK.map((list) => ROOT_PATH.child(list)),
  borrowed: [],
  scopeAt: (place) => (ROOT_PATH.contains(place) ? SCOPE : undefined),
  load: async () => ({ rulebases: await translation() }),
  async loadWords() {
    const translate = await translation();
    return {
      flows(root, _scope, question, options) {
        const [controller] = translate([root], options);
        return controller.flows(0, question);
      },
    };
  },
};
