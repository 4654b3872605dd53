import { TreeNode } from "../../../core/tree/node.js";
import { escapeValue } from "../../../core/tree/xml/escape.js";
import { parseXPath } from "../../../core/tree/xpath/xpath.js";
import type { Edit } from "../config/edit.js";
import { performEdits, refuseWrites } from "../config/write.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { enqueued, type Reply, result } from "../http/reply.js";
import { groupParents, HIERARCHY, managedNames, PARENT } from "../state/device-groups.js";
import { child } from "../state/system-facts.js";
import { type OperationCall, type OperationTable, textAt } from "./operation.js";

export const DEVICE_GROUP_OPERATIONS: OperationTable = {
  "show/dg-hierarchy": { needs: "extras", run: ({ device }) => hierarchy(device) },
  "request/move-dg": { needs: "extras", run: (call) => move(call) },
};

/**
 * Returns the tree of device groups in the candidate, including uncommitted groups and moves. A group with a missing parent is at the
 * top level.
 */
function hierarchy(device: LabDevice): Reply {
  const { root } = device.candidate.tree;
  const names = managedNames(root, "device-group");
  const parents = groupParents(root);
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

/**
 * Enqueues a job that moves a group below another group or directly below `shared`. The move only changes the candidate; a commit makes
 * it active.
 */
function move({ device, admin, node, jobFault }: OperationCall): Reply {
  const entry = child(node, "entry");
  const group = entry?.name ?? "";
  // Clients omit the element or send it empty for a move directly below `shared`.
  const parent = (entry === undefined ? undefined : textAt(entry, "new-parent-dg")) || undefined;
  const edit = moveOf(group, parent);
  refuseMove(device, group, parent);
  refuseWrites(device, admin, edit);
  const job = device.jobs.enqueue({
    type: "MoveDG",
    user: admin.name,
    description: "",
    duration: jobFault.neverEnds === true ? Number.POSITIVE_INFINITY : (device.options.jobDuration ?? 20),
    run: () => {
      if (jobFault.failsWith !== undefined) return { ok: false, lines: jobFault.failsWith };
      try {
        refuseMove(device, group, parent);
        if (groupParents(device.candidate.tree.root).get(group) !== parent) performEdits(device, admin, [edit]);
        return { ok: true, lines: [] };
      } catch (error) {
        if (error instanceof DeviceError) return { ok: false, lines: error.lines };
        throw error;
      }
    },
  });
  return enqueued(`Move device group job enqueued with jobid ${job.id}`, job.id);
}

function moveOf(group: string, parent: string | undefined): Edit {
  const place = HIERARCHY.entry(group);
  return parent === undefined
    ? { action: "delete", xpath: parseXPath(place.child(PARENT).toString()) }
    : { action: "set", xpath: parseXPath(place.toString()), elements: [new TreeNode(PARENT, undefined, parent)] };
}

/** Throws if the group or the new parent does not exist, or if the move would create a cycle. */
function refuseMove(device: LabDevice, group: string, parent: string | undefined): void {
  const { root } = device.candidate.tree;
  const names = managedNames(root, "device-group");
  const refuse = (tag: string, name: string) => new DeviceError("17", ` request -> move-dg -> ${tag} '${name}' is not a valid reference`);
  if (!names.includes(group)) throw refuse("entry", group);
  if (parent === undefined) return;
  const above = new Set<string>();
  const parents = groupParents(root);
  for (let name: string | undefined = parent; name !== undefined && !above.has(name); name = parents.get(name)) above.add(name);
  if (!names.includes(parent) || above.has(group)) throw refuse("new-parent-dg", parent);
}
