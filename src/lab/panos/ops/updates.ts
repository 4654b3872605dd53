import type { LabDevice } from "../device.js";
import { type Reply, result } from "../http/reply.js";
import { fields, type OperationTable } from "./operation.js";

/** Commands about licenses, software and content. Field names: clients (pan-os-python, the SOAR integration of demisto/content). */
export const UPDATE_OPERATIONS: OperationTable = {
  "request/license/info": { needs: "extras", run: ({ device }) => licenses(device) },
  "request/system/software/info": { needs: "extras", run: ({ device }) => software(device) },
  "request/content/upgrade/info": { needs: "extras", run: () => content() },
};

function licenses({ serial }: LabDevice): Reply {
  const entry = fields([
    ["feature", "PA-VM"],
    ["description", "Standard VM-100"],
    ["serial", serial],
    ["issued", "January 05, 2026"],
    ["expires", "Never"],
    ["expired", "no"],
    ["base-license-name", "PA-VM"],
    ["authcode", ""],
  ]);
  return result(`<licenses><entry>${entry}</entry></licenses>`);
}

/** Only the installed version: the lab cannot install others. */
function software({ version }: LabDevice): Reply {
  const entry = fields([
    ["version", version],
    ["filename", `PanOS_vm-${version}`],
    ["size", "1024"],
    ["released-on", "2026/01/05 08:00:00"],
    ["downloaded", "yes"],
    ["current", "yes"],
    ["latest", "yes"],
    ["uploaded", "no"],
  ]);
  return result(`<sw-updates last-updated-at="2026/01/05 08:00:00"><msg/><versions><entry>${entry}</entry></versions></sw-updates>`);
}

function content(): Reply {
  const entry = fields([
    ["version", "8800-8600"],
    ["app-version", "8800-8600"],
    ["filename", "panupv2-all-contents-8800-8600"],
    ["size", "60"],
    ["released-on", "2026/01/05 08:00:00"],
    ["downloaded", "yes"],
    ["current", "yes"],
    ["previous", "no"],
    ["installing", "no"],
  ]);
  return result(`<content-updates last-updated-at="2026/01/05 08:00:00"><entry>${entry}</entry></content-updates>`);
}
