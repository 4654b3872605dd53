import { PlumblineError } from "../core/errors.js";
import type { LedgerRecord } from "./ledger/ledger.js";
import type { Opened } from "./target.js";

/** The device that answers: names that no other device has. Both members of a pair are one device. */
export interface Device {
  /** Sorted. Empty if the device reports no identity. */
  readonly names: readonly string[];
  /** Only one member of a pair is known. */
  readonly isPartial: boolean;
}

export function deviceOf({ identity, devices }: Opened): Device {
  const names = devices ?? (identity.serial === undefined ? [] : [identity.serial]);
  return { names: [...new Set(names)].sort(), isPartial: identity.role !== "standalone" && names.length < 2 };
}

/** Reports whether a ledger belongs to another device than the connected one. Ledgers of older versions name no device. */
export function belongsElsewhere(known: readonly string[] | undefined, { names }: Device): boolean {
  return known !== undefined && !known.some((name) => names.includes(name));
}

/** Returns the device that the ledger names after a run on `device`. The first name stays as long as that member exists. */
export function devicesAfter(known: readonly string[] | undefined, { names, isPartial }: Device): readonly string[] | undefined {
  if (names.length === 0) return known;
  const kept = known?.filter((name) => isPartial || names.includes(name)) ?? [];
  return [...kept, ...names.filter((name) => !kept.includes(name))];
}

/** Returns one name for the device that stays the same after a failover of a pair. Plan digests contain it. */
export function deviceLabel(known: readonly string[] | undefined, device: Device): string | undefined {
  return belongsElsewhere(known, device) ? device.names[0] : (known?.[0] ?? device.names[0]);
}

/** @throws PlumblineError `other-device` (refused) if the ledger belongs to another device */
export function refuseOtherDevice(record: LedgerRecord | undefined, device: Device, target: string): void {
  if (!belongsElsewhere(record?.devices, device)) return;
  throw new PlumblineError("other-device", otherDeviceMessage(record?.devices, device), {
    where: { target },
    next: `Check the address of the target. If the device was replaced, run \`plumbline adopt ${target}\`.`,
    severity: "refused",
  });
}

export function otherDeviceMessage(known: readonly string[] | undefined, { names }: Device): string {
  const answers = names.length === 0 ? "a device that does not report its identity answers" : `${names.join(" and ")} answers`;
  return `The ledger belongs to ${(known ?? []).join(" and ")}, but ${answers}.`;
}
