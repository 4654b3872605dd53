import type { Administrator } from "../access/administrators.js";
import type { LabDevice } from "../device.js";
import type { DeviceError } from "../device-error.js";
import { deniedOnPassive, notAuthorized } from "../device-messages.js";
import { vsysOf } from "../state/change.js";
import type { Edit, Effect } from "./edit.js";

/** Throws if the administrator's role, the passive state of the device or another administrator's lock forbids an edit. */
export function refuseWrites(device: LabDevice, admin: Administrator, edit: Edit): void {
  if (admin.role.kind === "superreader") throw notAuthorized("config");
  if (device.haState === "passive" && device.options.behavior?.passiveRefuses !== false) throw deniedOnPassive();
  device.locks.refuseWrite(admin.name, edit.action === "load" ? undefined : vsysOf(edit.xpath.text));
}

/** Applies all edits to the candidate, or no edit, and records them in the configuration log. */
export function performEdits(
  device: LabDevice,
  admin: Administrator,
  edits: readonly Edit[],
  refused?: (index: number, error: DeviceError) => void,
): readonly Effect[] {
  const effects = device.candidate.perform(edits, () => device.stamp(admin.name), refused);
  for (const [index, effect] of effects.entries()) device.configLog.noteEdit(admin.name, edits[index]?.action ?? "", effect);
  return effects;
}
