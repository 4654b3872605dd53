import type { Path } from "../../core/tree/path.js";
import { nameFault } from "../../desired/field-faults.js";
import { placeAt } from "../../desired/field-table.js";
import type { TargetKind } from "../../engine/target-kind.js";
import { LOG_COLUMNS } from "./log-types.js";
import { flowWordFault } from "./policy/flow-fields.js";
import { panosPolicies } from "./policy-role.js";
import { ruleEndsIn } from "./rule-ends.js";
import { scopePath, scopeWords } from "./scope.js";
import { type PanosTargetConfiguration, panosSettings } from "./settings.js";
import { panosFields, panosShape } from "./shape.js";

/** The tree of a firewall, independent of where it is stored. It lacks `shape`, because copying this object would load the shape. */
export const panosTree = {
  rootTag: "config",
  scopeWords,
  place: scopePath,
  logTypes: [...LOG_COLUMNS.keys()],
  hasApplications: true,
  checkName,
  fields: panosFields,
  names: async () => (await import("./known-names.js")).panosNames,
};

/** A firewall or its manager. */
export const panosKind: TargetKind<PanosTargetConfiguration> = {
  ...panosTree,
  kind: "panos",
  settings: panosSettings,
  guards: async () => (await import("./guards.js")).panosGuards,
  policies: panosPolicies,
  ruleEnds: (root) => ruleEndsIn(root, panosPolicies.scopeAt).map(({ path: _, ...end }) => end),
  designer: async () => (await import("./access/designer.js")).panosDesigner,
  flowWordFault,
  connect: async (logger) => (await import("./connections.js")).panosConnections(logger),
  get shape() {
    return panosShape();
  },
};

const RESERVED: ReadonlyMap<string, readonly string[]> = new Map([
  ["address", ["any"]],
  ["address-group", ["any"]],
  ["service", ["any"]],
  ["service-group", ["any"]],
  ["zone", ["any", "multicast"]],
  ["rules", ["intrazone-default", "interzone-default"]],
]);

function checkName(list: Path, name: string): string | undefined {
  const names = placeAt(panosFields(), list)?.names;
  if (names === undefined) return undefined;
  if (RESERVED.get(list.tag)?.includes(name) === true && list.parent?.tag !== "default-security-rules") return "is a reserved word";
  return nameFault(name, names, list.tag);
}
