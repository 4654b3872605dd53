import { childByTag } from "../../core/tree/lookup.js";
import type { PolicyRole } from "../../engine/policies.js";
import { PROJECT, ROOT_PATH } from "./shape.js";

/** What a list of the project says of who reaches whom, beside that an entry of it comes or goes. */
const CONCERNED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["security_groups", new Set(["rules", "stateful"])],
  ["ports", new Set(["security_groups", "port_security_enabled"])],
  ["servers", new Set(["security_groups", "networks", "port_security_enabled"])],
  ["networks", new Set(["port_security_enabled"])],
  ["address_groups", new Set(["addresses"])],
]);
/** A network lets nothing through by being there. */
const QUIET = "networks";

/** What a flow passes in a project, beside the groups, and whom it comes to. */
const NETWORK = ["networks", "routers", "ports", "servers", "floatingips", "address_groups"];

/** What insight is told of a project: its security groups, and which ports and servers are in them. */
export const openstackPolicies: PolicyRole = {
  concerns(path) {
    const [, list, , field] = path.steps();
    const fields = CONCERNED.get(list?.tag ?? "");
    if (fields === undefined) return false;
    return field === undefined ? list?.tag !== QUIET : fields.has(field.tag);
  },
  // Lists that nobody declares are not asked for, but groups: those who are in them then stand for no one in particular.
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
