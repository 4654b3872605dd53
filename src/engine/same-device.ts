import { PlumblineError } from "../core/errors.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { type Device, deviceOf } from "./device-identity.js";
import type { TargetContext } from "./pass/context.js";
import type { Readers } from "./pass/options.js";
import { passOver } from "./pass/pass-over.js";
import { recordOf } from "./pass/planner.js";
import { memoryOf } from "./target-memory.js";

/** Devices that a long-lived process writes to, each with its target. */
export class DeviceRegistry {
  readonly #isTarget: (name: string) => boolean;
  readonly #targets = new Map<string, string>();

  /** @param isTarget Returns whether the configuration still has a target of that name. */
  constructor(isTarget: (name: string) => boolean) {
    this.#isTarget = isTarget;
  }

  /** @throws PlumblineError `device-twice` (refused) if another target of the configuration leads to the same device */
  claim(target: string, { names }: Device): void {
    for (const [name, owner] of this.#targets) if (owner === target || !this.#isTarget(owner)) this.#targets.delete(name);
    for (const name of names) {
      const other = this.#targets.get(name);
      if (other !== undefined) throw deviceTwice(target, other, name);
    }
    for (const name of names) this.#targets.set(name, target);
  }
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
  for (const { name, owner, ledger } of enforced) {
    const known = recordOf(await ledger.read(owner, name))?.devices;
    if (known !== undefined) names.set(name, known);
  }
  const unknown = enforced
    .filter(({ name }) => !names.has(name))
    .map((context) => ({ ...context, options: { ...context.options, tally: undefined } }));
  // A target that cannot be opened fails in its own pass.
  await passOver(unknown, readers.reader, async (target, { name, options }) => {
    names.set(name, deviceOf(await target.open(memoryOf(options.stateFolder, name))).names);
  });
  const refused = enforced.flatMap(({ name, configuration }): TargetOutcome[] => {
    for (const [other, devices] of names) {
      const same = other === name ? undefined : devices.find((each) => names.get(name)?.includes(each));
      if (same !== undefined) return [{ target: name, kind: configuration.kind, warnings: [], error: deviceTwice(name, other, same) }];
    }
    return [];
  });
  const gone = new Set(refused.map(({ target }) => target));
  return { contexts: contexts.filter(({ name }) => !gone.has(name)), refused };
}

function deviceTwice(target: string, other: string, device: string): PlumblineError {
  return new PlumblineError("device-twice", `The targets ${target} and ${other} lead to the same device, ${device}.`, {
    where: { target },
    next: "Nothing is written. Declare the device under one target, or correct the url of the other.",
    severity: "refused",
  });
}
