import type { TreeNode } from "../../core/tree/node.js";
import type { PolicyOptions, PolicyRole } from "../../reachability/policy-role.js";
import { ROOT_PATH, SCOPE } from "./collections.js";
import { OF_POLICIES, UNCOMPARED } from "./deciding-fields.js";
import type { ReadingOptions } from "./policy/reading.js";
import { isContrail } from "./settings.js";

/** Additional lists that affect flows between networks. */
const NETWORK = ["network-ipams", "route-tables", "floating-ips"];

/** Translates policies with the `reading` settings of the controller in plumbline.yaml. */
async function translation() {
  const { rulebasesOf } = await import("./policy/policies.js");
  return (versions: readonly TreeNode[], options: PolicyOptions) => rulebasesOf(versions, readingOptions(options));
}

/** Adds the `reading` settings of a controller to options. */
export function readingOptions(options: PolicyOptions): ReadingOptions {
  const { configuration } = options;
  return { ...(configuration !== undefined && isContrail(configuration) ? configuration.reading : {}), ...options };
}

/** Provides the networks of a controller, their policies and their connections to the flow analysis. */
export const contrailPolicies: PolicyRole = {
  concerns(path) {
    const [, list, , field] = path.steps();
    const both = [OF_POLICIES, UNCOMPARED].flatMap((fields) => fields.get(list?.tag ?? "") ?? []);
    return both.length > 0 && (field === undefined || both.some((fields) => fields.has(field.tag)));
  },
  subtrees: () => [...OF_POLICIES.keys()].map((list) => ROOT_PATH.child(list)),
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
