import { find } from "../../core/tree/lookup.js";
import { Path } from "../../core/tree/path.js";
import type { PolicyRole } from "../../engine/policies.js";
import { deviceEntry } from "./scope.js";

/** Lists and containers whose content rules match by, and rules themselves; by the last tags of a path from a scope down. */
const CONCERNED =
  /\/(address|address-group|region|external-list|service|service-group|application|application-group|application-filter|schedule|zone|rulebase|pre-rulebase|post-rulebase|custom-url-category|hip-objects|hip-profiles)(\/|$)/;

const SHARED = Path.root.child("config").child("shared");
const SYSTEMS = deviceEntry.child("vsys");
const GROUPS = deviceEntry.child("device-group");
/** Where rules and what they name can stand. */
const SCOPES = [SHARED, SYSTEMS, GROUPS];

/** What insight is told of a firewall or its manager. */
export const panosPolicies: PolicyRole = {
  // What is not there takes a costly proof: a firewall has no device groups, and a manager no virtual systems.
  subtrees: (desired) => [SHARED, find(desired, GROUPS) === undefined ? SYSTEMS : GROUPS],
  concerns(path) {
    const scope = SCOPES.find((each) => each.contains(path) || path.contains(each));
    if (scope === undefined) return false;
    const tags = path
      .steps()
      .slice(scope.depth)
      .map(({ tag }) => `/${tag}`);
    return path.depth <= scope.depth + 1 || CONCERNED.test(tags.join(""));
  },
  async load() {
    const [{ policiesOf }, { flowsOf }] = await Promise.all([import("./policy/policies.js"), import("./policy/flows.js")]);
    return { policies: policiesOf, flows: flowsOf };
  },
};
