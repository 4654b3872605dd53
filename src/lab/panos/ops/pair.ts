import type { LabDevice } from "../device.js";
import { type Reply, result } from "../http/reply.js";
import { fields, type OperationTable } from "./operation.js";

export const PAIR_OPERATIONS: OperationTable = {
  "show/high-availability/state": { needs: "extras", run: ({ device }) => state(device) },
  "show/high-availability/all": { needs: "extras", run: ({ device }) => state(device) },
};

function state(device: LabDevice): Reply {
  const { peer, haState } = device;
  if (peer === undefined || haState === undefined) return result("<enabled>no</enabled>");
  const local = fields([
    ["state", haState],
    ["mode", "Active-Passive"],
    ["serial-num", device.serial],
    ["priority", "100"],
    ["state-sync", "Complete"],
  ]);
  const other = fields([
    ["state", peer.haState ?? "unknown"],
    ["mode", "Active-Passive"],
    ["serial-num", peer.serial],
    ["conn-status", "up"],
  ]);
  return result(
    `<enabled>yes</enabled><group><mode>Active-Passive</mode><local-info>${local}</local-info><peer-info>${other}</peer-info>` +
      `<running-sync>synchronized</running-sync><running-sync-enabled>yes</running-sync-enabled></group>`,
  );
}
