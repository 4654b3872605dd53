import { escapeText, escapeValue } from "../../../core/tree/xml/escape.js";
import type { LabDevice } from "../device.js";
import { type Reply, result } from "../http/reply.js";
import { componentOf, type PendingEdit } from "../state/change.js";
import { child } from "../state/system-facts.js";
import { fields, type OperationCall, type OperationTable } from "./operation.js";

export const CHANGE_OPERATIONS: OperationTable = {
  "check/pending-changes": { needs: "changes", run: ({ device }) => result(device.candidate.pending.length > 0 ? "yes" : "no") },
  // A loaded configuration can only be committed completely (vendor: commit, validate and preview).
  "check/full-commit-required": {
    needs: "changes",
    run: ({ device }) => result(device.candidate.pending.some(({ edit }) => edit.action === "load") ? "yes" : "no"),
  },
  "show/config/list/changes": { needs: "changes", run: (call) => changes(call) },
  "show/config/list/change-summary": { needs: "changes", run: ({ device }) => summary(device) },
  "show/config/list/admins": { needs: "changes", run: ({ device }) => admins(device) },
};

/** Returns one entry for each container, owner and action. Devices print the container's xpath, not the xpath of the changed entry. */
function changes({ device, node }: OperationCall): Reply {
  const members = child(child(node, "partial"), "admin")?.children.map((member) => member.text);
  const history = new Map<string, Set<string>>();
  const rows = new Map<string, PendingEdit>();
  for (const edit of device.candidate.pending) {
    const { container } = edit.effect;
    const known = history.get(container) ?? new Set();
    history.set(container, known.add(edit.stamp.admin));
    if (members !== undefined && !members.includes(edit.stamp.admin)) continue;
    rows.set(`${container}\n${edit.stamp.admin}\n${edit.edit.action}`, edit);
  }
  const entries = [...rows.values()].map(({ stamp, edit, effect }) => {
    const row = fields([
      ["xpath", effect.container],
      ["owner", stamp.admin],
      ["action", edit.action.toUpperCase()],
      ["admin-history", [...(history.get(effect.container) ?? [])].join(",")],
      ["component-type", componentOf(effect.xpath)],
    ]);
    return `<entry>${row}</entry>`;
  });
  return result(entries.length === 0 ? "<journal/>" : `<journal>${entries.join("")}</journal>`);
}

function summary(device: LabDevice): Reply {
  const groups = new Map<string, Set<string>>();
  for (const { effect, stamp } of device.candidate.pending) {
    const component = componentOf(effect.xpath);
    const known = groups.get(component) ?? new Set();
    groups.set(component, known.add(stamp.admin));
  }
  const rows = [...groups].map(([component, owners]) => `<${component}>${membersXml(owners)}</${component}>`);
  return result(`<summary>${rows.join("")}</summary>`);
}

function admins(device: LabDevice): Reply {
  const owners = new Set(device.candidate.pending.map(({ stamp }) => stamp.admin));
  return result(`<admins>${[...owners].map((name) => `<entry name="${escapeValue(name)}"/>`).join("")}</admins>`);
}

function membersXml(values: Iterable<string>): string {
  return [...values].map((value) => `<member>${escapeText(value)}</member>`).join("");
}
