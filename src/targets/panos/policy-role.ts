import { find } from "../../core/tree/lookup.js";
import { Path } from "../../core/tree/path.js";
import type { PolicyOptions, PolicyRole } from "../../engine/policies.js";
import { deviceEntry, scopeWord } from "./scope.js";
import type { PanosTargetConfiguration } from "./settings.js";

/** Lists and containers whose content rules match by, and rules themselves; by the last tags of a path from a scope down. */
const CONCERNED =
  /\/(address|address-group|region|external-list|service|service-group|application|application-group|application-filter|schedule|zone|import|rulebase|pre-rulebase|post-rulebase|custom-url-category|hip-objects|hip-profiles)(\/|$)/;

/** What decides from which zone an address comes, and to which it goes. */
const GIVES_ZONES = /^\/network\/((virtual|logical)-router(\/|$)|interface\/.*\/ip(v6)?(\/|$))/;

const SHARED = Path.root.child("config").child("shared");
const SYSTEMS = deviceEntry.child("vsys");
const GROUPS = deviceEntry.child("device-group");
/** Says in which order wildcards are judged, and whether a manager adds rules. */
const SETTINGS = deviceEntry.child("deviceconfig");
/** Where rules and what they name can stand. */
const SCOPES = [SHARED, SYSTEMS, GROUPS];

/** Tags of the steps of a path below a scope, each after a slash. */
function tagsBelow(path: Path, { depth }: Path): string {
  return path
    .steps()
    .slice(depth)
    .map(({ tag }) => `/${tag}`)
    .join("");
}

/** A virtual system or a device group around a place. */
function scopeAt(place: Path): string | undefined {
  const scope = place.steps().find(({ parent, name }) => name !== undefined && (parent?.equals(SYSTEMS) || parent?.equals(GROUPS)));
  return scope === undefined ? undefined : scopeWord(scope);
}

/** What plumbline.yaml says of how this device reads its rules. */
function readingOf({ configuration }: PolicyOptions): PanosTargetConfiguration["reading"] {
  return configuration?.kind === "panos" ? (configuration as PanosTargetConfiguration).reading : {};
}

/** What insight is told of a firewall or its manager. */
export const panosPolicies: PolicyRole = {
  // What is not there takes a costly proof: a firewall has no device groups, and a manager no virtual systems.
  subtrees: (desired) => (find(desired, GROUPS) === undefined ? [SHARED, SYSTEMS, SETTINGS] : [SHARED, GROUPS]),
  concerns(path) {
    if (GIVES_ZONES.test(tagsBelow(path, deviceEntry))) return true;
    const scope = SCOPES.find((each) => each.contains(path) || path.contains(each));
    if (scope === undefined) return false;
    return path.depth <= scope.depth + 1 || CONCERNED.test(tagsBelow(path, scope));
  },
  async load() {
    const [{ policiesOf }, { flowsOf }, { trafficLog }] = await Promise.all([
      import("./policy/policies.js"),
      import("./policy/flows.js"),
      import("./policy/logged-session.js"),
    ]);
    return {
      policies: (versions, options) => policiesOf(versions, { ...readingOf(options), ...options }),
      flows: (root, scope, question, options) => flowsOf(root, scope, question, readingOf(options)),
      scopeAt,
      sessionLog: trafficLog,
    };
  },
};
