import { escapeText, escapeValue } from "../../../core/tree/xml/escape.js";
import { timeOfDay } from "../clock.js";
import type { Job } from "../commit/jobs.js";
import type { LabDevice } from "../device.js";
import type { Push, PushedDevice } from "../manager/push.js";
import { pushWords } from "../manager/push-order.js";
import { fields } from "./operation.js";

/** Returns the additional fields of a push job. The list of firewalls is included after the manager has sent the configuration. */
export function pushXml(manager: LabDevice, job: Job, { order, devices }: Push): string {
  const isPolicy = order.kind === "shared-policy";
  const kind = isPolicy ? order.kind : (pushWords(manager).templates ?? order.kind);
  const named = order.name === undefined ? [] : ([[isPolicy ? "dgname" : "tplname", order.name]] as const);
  const rows = fields([...(kind === "" ? [] : ([["push_type", kind]] as const)), ...named]);
  if (job.finished === undefined || job.outcome?.ok !== true) return rows;
  const group = (serial: string) => order.devices.find((each) => each.serial === serial)?.policies[0]?.group;
  return `${rows}<devices>${devices.map((device) => deviceXml(manager, job, device, group(device.serial))).join("")}</devices>`;
}

function deviceXml(manager: LabDevice, job: Job, device: PushedDevice, group: string | undefined): string {
  const { serial, state, started, finished, lines } = device;
  const rows = fields([
    ["serial-no", serial],
    ["devicename", device.name],
    ["multi-vsys", device.isMulti ? "yes" : "no"],
    ["vsys", device.vsys.join(",")],
    ["status", state],
    ["result", resultOf(manager, device)],
    ["tstart", started === undefined ? "" : timeOfDay(started)],
    ["tfin", finished === undefined ? "" : timeOfDay(finished)],
  ]);
  const words = lines.map((line) => `<line>${escapeText(line)}</line>`).join("");
  const within = group === undefined ? "" : ` dgname="${escapeValue(group)}"`;
  const result = state === "commit succeeded" ? "success" : "failure";
  // Devices also put the text of a success into `<errors>`.
  const details = `<msg cmd="push-data" dname="${serial}"${within} jobid="${job.id}" result="${result}"><errors>${words}</errors><warnings/></msg>`;
  return `<entry>${rows}<details>${lines.length === 0 ? "" : details}</details></entry>`;
}

function resultOf(manager: LabDevice, { state }: PushedDevice): string {
  if (state === "commit succeeded") return "OK";
  if (state === "commit failed") return "FAIL";
  return state === "not connected" ? pushWords(manager).notConnected : "PEND";
}
