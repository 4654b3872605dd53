import { PlumblineError } from "../core/errors.js";
import type { Device } from "./device-identity.js";
import { decodeRecord } from "./ledger/codec.js";
import type { LedgerRecord } from "./ledger/ledger.js";
import type { LedgerKey, LedgerStore } from "./ledger/store.js";
import type { TargetContext } from "./pass/context.js";

/**
 * Reads the ledgers of the other targets of the configuration.
 * @throws PlumblineError `device-twice` (refused) if one of them names the same device
 */
export async function refuseDeviceOfOthers(
  { name, owner, records: { leases }, dependencies: { others } }: Pick<TargetContext, "name" | "owner" | "records" | "dependencies">,
  device: Device,
): Promise<void> {
  const enforced = [...(others?.targets ?? [])].filter(([other, { mode }]) => other !== name && mode === "enforce");
  if (enforced.length === 0 || device.names.length === 0) return;
  // An unreadable ledger is reported by the run that needs it.
  const existing = new Set(await leases.targets(owner).catch(() => []));
  for (const [other] of enforced) {
    if (!existing.has(other)) continue;
    const devices = await devicesIn(leases, { owner, target: other }).catch(() => []);
    const same = devices.find((each) => device.names.includes(each));
    if (same !== undefined) throw deviceTwice(name, other, same);
  }
}

/** Devices of the ledgers that were read last, by store and ledger. With many targets, decoding each ledger for each target would be slow. */
const known = new WeakMap<LedgerStore, Map<string, { readonly version: string; readonly devices: readonly string[] }>>();

async function devicesIn(store: LedgerStore, key: LedgerKey): Promise<readonly string[]> {
  const found = await store.read(key);
  if (found === undefined) return [];
  const ledgers = known.get(store) ?? new Map<string, { readonly version: string; readonly devices: readonly string[] }>();
  known.set(store, ledgers);
  const name = JSON.stringify([key.owner, key.target]);
  const last = ledgers.get(name);
  if (last?.version === found.version && found.isUnwritten !== true) return last.devices;
  const devices = decodeRecord(found.text).devices ?? [];
  if (found.isUnwritten !== true) ledgers.set(name, { version: found.version, devices });
  return devices;
}

export function deviceTwice(target: string, other: string, device: string): PlumblineError {
  const [first, second] = [target, other].sort();
  return new PlumblineError("device-twice", `The targets ${first} and ${second} lead to the same device, ${device}.`, {
    where: { target },
    next: "Nothing is written. Declare the device under one target, or correct the url of the other.",
    severity: "refused",
  });
}

/** Returns whether a ledger names the device. */
export function namesDevice(devices: readonly string[] | undefined, { names }: Device): boolean {
  return names.some((name) => devices?.includes(name) === true);
}

/** Returns a ledger that names no device and owns nothing. */
export function withoutRows({ owner, target, deletes, merged }: LedgerRecord): LedgerRecord {
  return { owner, target, commit: undefined, paths: [], adopted: [], secrets: {}, deletes, merged };
}
