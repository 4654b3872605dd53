import type { TreeNode } from "../../core/tree/node.js";
import type { PolicyOptions, PolicyRole } from "../../engine/policies.js";
import { ROOT_PATH, SCOPE } from "./collections.js";
import { isContrail } from "./settings.js";

/** Fields that affect reachability, by list. Adding or removing an entry of these lists also affects it. */
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

/** Additional lists that affect flows between networks. */
const NETWORK = ["network-ipams", "route-tables", "floating-ips"];

/** Translates policies with the `reading` settings of the controller in plumbline.yaml. */
async function translation() {
  const { rulebasesOf } = await import("./policy/policies.js");
  return (versions: readonly TreeNode[], { configuration, ...options }: PolicyOptions) => {
    const reading = configuration !== undefined && isContrail(configuration) ? configuration.reading : {};
    return rulebasesOf(versions, { ...reading, configuration, ...options });
  };
}

/** Provides the networks of a controller, their policies and their connections to the flow analysis. */
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
