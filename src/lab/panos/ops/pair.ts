import type { LabDevice } from "../device.js";
import { type Reply, result } from "../http/reply.js";
import { isManager } from "../state/device-groups.js";
import { fields, type OperationTable } from "./operation.js";

export const PAIR_OPERATIONS: OperationTable = {
  "show/high-availability/state": { needs: "extras", run: ({ device }) => state(device) },
  "show/high-availability/all": { needs: "extras", run: ({ device }) => state(device) },
};

function state(device: LabDevice): Reply {
  const { peer, haState } = device;
  if (peer === undefined || haState === undefined) return result("<enabled>no</enabled>");
  const manager = isManager(device.running);
  const stateOf = (each: LabDevice): string => (manager ? managerState(each) : (each.haState ?? "unknown"));
  const local = fields([
    ["state", stateOf(device)],
    ["mode", "Active-Passive"],
    ["serial-num", device.serial],
    ["priority", "100"],
    ["state-sync", "Complete"],
  ]);
  const other = fields([
    ["state", stateOf(peer)],
    ["mode", "Active-Passive"],
    ["serial-num", peer.serial],
    ["conn-status", "up"],
  ]);
  // A pair of managers has no group.
  if (manager) return result(`<enabled>yes</enabled><local-info>${local}</local-info><peer-info>${other}</peer-info>`);
  return result(
    `<enabled>yes</enabled><group><mode>Active-Passive</mode><local-info>${local}</local-info><peer-info>${other}</peer-info>` +
      `<running-sync>${device.isPeerBehind ? "not synchronized" : "synchronized"}</running-sync><running-sync-enabled>yes</running-sync-enabled></group>`,
  );
}

/** In a pair of managers, the first device is always the primary, whichever is active. */
function managerState({ haState, options }: LabDevice): string {
  if (haState === undefined || haState === "suspended") return haState ?? "unknown";
  return `${options.peer === undefined ? "secondary" : "primary"}-${haState}`;
}
