import type { PolicyOptions, PolicyRole } from "../../engine/policies.js";
import { ROOT_PATH, SCOPE } from "./collections.js";
import type { ControllerReading } from "./policy/reading.js";
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

/** What plumbline.yaml says of how this controller reads its policies. */
function readingOf({ configuration }: PolicyOptions): Partial<ControllerReading> {
  return configuration !== undefined && isContrail(configuration) ? configuration.reading : {};
}

/** What insight is told of a controller: its networks, their policies, and what joins them. */
export const contrailPolicies: PolicyRole = {
  concerns(path) {
    const [, list, , field] = path.steps();
    const fields = CONCERNED.get(list?.tag ?? "");
    return fields !== undefined && (field === undefined || fields.has(field.tag));
  },
  subtrees: () => [...CONCERNED.keys()].map((list) => ROOT_PATH.child(list)),
  borrowed: [],
  scopeAt: (place) => (ROOT_PATH.contains(place) ? SCOPE : undefined),
  async load() {
    const { rulebasesOf } = await import("./policy/policies.js");
    return { rulebases: (versions, options) => rulebasesOf(versions, { ...readingOf(options), ...options }) };
  },
  async loadWords() {
    const { rulebasesOf } = await import("./policy/policies.js");
    return {
      flows(root, _scope, question, options) {
        const [controller] = rulebasesOf([root], { ...readingOf(options), ...options });
        return controller.flows(0, question);
      },
    };
  },
};
