import type { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { type Reply, success } from "../http/reply.js";
import { child } from "../state/system-facts.js";

/** Push targets that are not firewalls: the tag that contains the target's name, and the manager's list that contains its entry. */
const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "log-collector-config": { "log-collector-group": "log-collector-group" },
  "wildfire-appliance-config": { "wildfire-appliance": "wildfire-appliance", "wildfire-appliance-cluster": "wildfire-appliance-cluster" },
};

/**
 * Handles a push to log collectors or WildFire appliances; returns undefined for a push to firewalls. The reply for a collector is
 * immediate, without a job.
 *
 * Throws `DeviceError` if the target does not exist.
 */
export function pushToAppliances(manager: LabDevice, command: TreeNode): Reply | undefined {
  const [body] = command.children;
  const lists = body === undefined ? undefined : KINDS[body.tag];
  if (body === undefined || lists === undefined) return undefined;
  for (const { tag } of body.children)
    if (tag !== "description" && lists[tag] === undefined)
      throw new DeviceError("17", ` commit-all -> ${body.tag} -> ${tag} unexpected here`);
  const named = body.children.find(({ tag }) => lists[tag] !== undefined);
  const place = child(child(manager.running, "panorama"), lists[named?.tag ?? ""] ?? "");
  if (named === undefined || place?.children.some(({ name }) => name === named.text) !== true) {
    throw new DeviceError("17", ` commit-all -> ${body.tag} -> ${named?.tag ?? ""} '${named?.text ?? ""}' is not a valid reference`);
  }
  const line = `Generated config and committed to connected collectors in group ${named.text}`;
  return success("19", [`<msg><line>${line}</line></msg>`], line);
}
