import { Path } from "../../core/tree/path.js";
import type { PolicyRole } from "../../engine/policies.js";
import { deviceEntry } from "./scope.js";

/** Lists and containers whose content rules match by, and rules themselves; by the last tags of a path from a scope down. */
const CONCERNED =
  /\/(address|address-group|region|external-list|service|service-group|application|application-group|application-filter|schedule|zone|rulebase|pre-rulebase|post-rulebase|custom-url-category|hip-objects|hip-profiles)(\/|$)/;

/** Where rules and what they name can stand. */
const SCOPES = [Path.root.child("config").child("shared"), deviceEntry.child("vsys"), deviceEntry.child("device-group")];

/** What insight is told of a firewall or its manager. */
export const panosPolicies: PolicyRole = {
  subtrees: SCOPES,
  concerns(path) {
    const scope = SCOPES.find((each) => each.contains(path) || path.contains(each));
    if (scope === undefined) return false;
    const tags = path
      .steps()
      .slice(scope.depth)
      .map(({ tag }) => `/${tag}`);
    return path.depth <= scope.depth + 1 || CONCERNED.test(tags.join(""));
  },
  load: async () => (await import("./policy/policies.js")).policiesOf,
};
