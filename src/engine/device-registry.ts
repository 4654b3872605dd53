import type { PlumblineError } from "../core/errors.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { type Device, deviceOf } from "./device-identity.js";
import { deviceTwice, namesDevice, refuseDeviceOfOthers } from "./device-in-other-ledgers.js";
import type { LedgerRecord } from "./ledger/ledger.js";
import type { TargetContext } from "./pass/context.js";
import type { Readers } from "./pass/options.js";
import { recordOf } from "./pass/planner.js";
import { runTargets } from "./pass/run-targets.js";
import type { Opened } from "./target.js";
import { memoryOf } from "./target-memory.js";

/** Devices that a run or a long-lived process works on, each with its target. */
export class DeviceRegistry {
  readonly #isTarget: (name: string) => boolean;
  readonly #targets = new Map<string, string>();
  readonly #refused = new Map<string, PlumblineError>();

  /** @param isTarget Returns whether the configuration still has a target of that name. */
  constructor(isTarget: (name: string) => boolean) {
    this.#isTarget = isTarget;
  }

  /** @throws PlumblineError `device-twice` (refused) if another target of the configuration leads to the same device */
  claim(target: string, { names }: Device): void {
    for (const [name, owner] of this.#targets) if (owner === target || !this.#isTarget(owner)) this.#targets.delete(name);
    for (const name of names) {
      const other = this.#targets.get(name);
      if (other === undefined) continue;
      this.#refused.set(other, deviceTwice(other, target, name));
      throw deviceTwice(target, other, name);
    }
    for (const name of names) this.#targets.set(name, target);
  }

  /** Refuses the targets whose device another target of the same run claimed later. */
  withRefusals(outcomes: readonly TargetOutcome[]): TargetOutcome[] {
    return outcomes.map((outcome) => {
      const error = this.#refused.get(outcome.target);
      return error === undefined ? outcome : { target: outcome.target, kind: outcome.kind, mode: outcome.mode, warnings: [], error };
    });
  }
}

/**
 * Claims the device of a target whose mode is `enforce`. On the first contact with a device, it also reads the ledgers of the other
 * targets, which may belong to earlier runs or other processes.
 *
 * @throws PlumblineError `device-twice` (refused) if another target of the configuration leads to the same device
 */
export async function claimDevice(context: TargetContext, opened: Opened, record: LedgerRecord | undefined): Promise<void> {
  if (context.configuration.mode !== "enforce") return;
  const device = deviceOf(opened);
  context.options.stores.devices?.claim(context.name, device);
  if (!namesDevice(record?.devices, device)) await refuseDeviceOfOthers(context, device);
}

interface Separated {
  readonly contexts: readonly TargetContext[];
  readonly refused: readonly TargetOutcome[];
}

/**
 * Refuses the targets of a run that lead to the same device, before anything is written. The ledger names the device; a target without
 * a ledger is opened.
 */
export async function withoutSharedDevices(contexts: readonly TargetContext[], readers: Readers): Promise<Separated> {
  const enforced = contexts.filter(({ configuration }) => configuration.mode === "enforce");
  if (enforced.length < 2) return { contexts, refused: [] };
  const names = new Map<string, readonly string[]>();
  for (const {
    name,
    owner,
    records: { ledger },
  } of enforced) {
    const known = recordOf(await ledger.read(owner, name))?.devices;
    if (known !== undefined) names.set(name, known);
  }
  const unknown = enforced
    .filter(({ name }) => !names.has(name))
    .map((context) => ({ ...context, options: { ...context.options, listeners: { ...context.options.listeners, tally: undefined } } }));
  // A target that cannot be opened fails in its own pass.
  await runTargets(unknown, readers.reader, async (target, { name, options }) => {
    names.set(name, deviceOf(await target.open(memoryOf(options.stores.stateFolder, name))).names);
  });
  const refused = enforced.flatMap(({ name, configuration }): TargetOutcome[] => {
    for (const [other, devices] of names) {
      const same = other === name ? undefined : devices.find((each) => names.get(name)?.includes(each));
      if (same !== undefined) return [{ target: name, kind: configuration.kind, warnings: [], error: deviceTwice(name, other, same) }];
    }
    return [];
  });
  const refusedTargets = new Set(refused.map(({ target }) => target));
  return { contexts: contexts.filter(({ name }) => !refusedTargets.has(name)), refused };
}
