import { childByTag } from "../../core/tree/lookup.js";
import type { PolicyRole } from "../../engine/policies.js";
import { PROJECT, ROOT_PATH } from "./shape.js";

/** Fields of each list that affect security policy, in addition to creating or deleting an entry. */
const CONCERNED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["security_groups", new Set(["rules", "stateful"])],
  ["ports", new Set(["security_groups", "port_security_enabled"])],
  ["servers", new Set(["security_groups", "networks", "port_security_enabled"])],
  ["networks", new Set(["port_security_enabled"])],
  ["address_groups", new Set(["addresses"])],
]);
/** A new or deleted network by itself changes no reachability. */
const QUIET = "networks";

/** Other lists that a flow depends on, with its possible destinations. */
const NETWORK = ["networks", "routers", "ports", "servers", "floatingips", "address_groups"];

/** Provides the security groups of a project, and the ports and servers in them, to the flow analysis. */
export const openstackPolicies: PolicyRole = {
  concerns(path) {
    const [, list, , field] = path.steps();
    const fields = CONCERNED.get(list?.tag ?? "");
    if (fields === undefined) return false;
    return field === undefined ? list?.tag !== QUIET : fields.has(field.tag);
  },
  // Undeclared lists are not read, except for groups. Members of groups are then unknown.
  subtrees: (desired) =>
    [...CONCERNED.keys()]
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
