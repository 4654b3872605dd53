import { childByTag } from "../../core/tree/lookup.js";
import type { PolicyRole } from "../../reachability/policy-role.js";
import { OF_GROUPS, OF_TOPOLOGY } from "./deciding-fields.js";
import { PROJECT, ROOT_PATH } from "./shape.js";

/** A new or deleted entry of these lists by itself changes no reachability. */
const QUIET = "networks";

/** Other lists that a flow depends on, with its possible destinations. */
const NETWORK = ["networks", "routers", "ports", "servers", "floatingips", "address_groups"];

/** Provides the security groups of a project, and the ports and servers in them, to the flow analysis. */
export const openstackPolicies: PolicyRole = {
  concerns(path) {
    const [, list, , field] = path.steps();
    const both = [OF_GROUPS, OF_TOPOLOGY].flatMap((fields) => fields.get(list?.tag ?? "") ?? []);
    if (both.length === 0) return false;
    return field === undefined ? list?.tag !== QUIET : both.some((fields) => fields.has(field.tag));
  },
  // Undeclared lists are not read, except for groups. Members of groups are then unknown.
  subtrees: (desired) =>
    [...OF_GROUPS.keys()]
      .filter((list) => list === "security_groups" || childByTag(desired, list) !== undefined)
      .map((list) => ROOT_PATH.child(list)),
  network: () => NETWORK.map((list) => ROOT_PATH.child(list)),
  borrowed: [],
  scopeAt: (place) => (ROOT_PATH.contains(place) ? PROJECT : undefined),
  async load() {
    const { rulebasesOf } = await import("./policy/policies.js");
    return { rulebases: rulebasesOf };
  },
  async loadWords() {
    const { rulebasesOf } = await import("./policy/policies.js");
    return {
      flows(root, _scope, question, options) {
        const [project] = rulebasesOf([root], options);
        return project.flows(0, question);
      },
    };
  },
};
