import { escapeValue } from "../../../core/tree/xml/escape.js";
import type { LabDevice } from "../device.js";
import { type Reply, result } from "../http/reply.js";
import { groupParents, managedNames } from "../state/device-groups.js";
import type { OperationTable } from "./operation.js";

export const DEVICE_GROUP_OPERATIONS: OperationTable = {
  "show/dg-hierarchy": { needs: "extras", run: ({ device }) => hierarchy(device) },
};

/** Groups in groups; one whose parent is not there stands at the top. */
function hierarchy(device: LabDevice): Reply {
  const names = managedNames(device.running, "device-group");
  const parents = groupParents(device.running);
  const parentOf = (name: string): string | undefined => {
    const parent = parents.get(name);
    return parent !== undefined && names.includes(parent) ? parent : undefined;
  };
  const below = (parent: string | undefined): string =>
    names
      .filter((name) => parentOf(name) === parent)
      .map((name) => `<dg name="${escapeValue(name)}" dg_id="${11 + names.indexOf(name)}">${below(name)}</dg>`)
      .join("");
  return result(`<dg-hierarchy>${below(undefined)}</dg-hierarchy>`);
}
