import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { TargetKind } from "../../engine/target-kind.js";
import { LOG_COLUMNS } from "./log-types.js";
import { flowWordFault } from "./policy/flow-words.js";
import { panosPolicies } from "./policy-role.js";
import { scopePath, scopeWords } from "./scope.js";
import { type PanosTargetConfiguration, panosSettings } from "./settings.js";
import { panosShape } from "./shape.js";

/** What a firewall's tree is, wherever it is kept. Its shape is not among it: a copy of this would read it. */
export const panosTree = {
  rootTag: "config",
  scopeWords,
  place: scopePath,
  logTypes: [...LOG_COLUMNS.keys()],
  checkName,
  faults: async () => {
    const { fieldFaults } = await import("./field-faults.js");
    return (root: DesiredNode) => fieldFaults(root, LONGEST);
  },
  fieldAt: async () => (await import("./field-faults.js")).fieldAt,
  names: async () => (await import("./known-names.js")).panosNames,
};

/** A firewall or its manager. */
export const panosKind: TargetKind<PanosTargetConfiguration> = {
  ...panosTree,
  kind: "panos",
  settings: panosSettings,
  guards: async () => (await import("./guards.js")).panosGuards,
  policies: panosPolicies,
  flowWordFault,
  connect: async (logger) => (await import("./connections.js")).panosConnections(logger),
  get shape() {
    return panosShape();
  },
};

/** Longest names by list, in characters (docs/devices/panos.md#names); other lists take what the device takes. */
const LONGEST: ReadonlyMap<string, number> = new Map([
  ["address", 63],
  ["address-group", 63],
  ["service", 63],
  ["service-group", 63],
  ["rules", 63],
  ["tag", 127],
  ["zone", 31],
  ["schedule", 31],
  ["application-group", 31],
]);

const RESERVED: ReadonlyMap<string, readonly string[]> = new Map([
  ["address", ["any"]],
  ["address-group", ["any"]],
  ["service", ["any"]],
  ["service-group", ["any"]],
  ["zone", ["any", "multicast"]],
  ["rules", ["intrazone-default", "interzone-default"]],
]);

function checkName(list: Path, name: string): string | undefined {
  const longest = LONGEST.get(list.tag);
  if (longest === undefined) return undefined;
  const length = [...name].length;
  if (length > longest) return `has ${length} characters, at most ${longest} are allowed in ${list.tag}`;
  if (RESERVED.get(list.tag)?.includes(name) === true && list.parent?.tag !== "default-security-rules") return "is a reserved word";
  const allowed = list.tag === "tag" ? /^[^'[\]]+$/ : /^[0-9A-Za-z_][ 0-9A-Za-z._-]*$/;
  return allowed.test(name) ? undefined : "has a character that the device does not take in a name";
}
