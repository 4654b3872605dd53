import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../../core/atomic-file.js";
import { toFileName } from "../../core/file-names.js";
import type { Machine } from "../pass/machine.js";

interface Sight {
  readonly version: string;
  /** The clock counts from the start of this machine. */
  readonly host: string;
  readonly since: number;
}

/**
 * Records how long a text has been unchanged, by the monotonic clock of this machine. Runs of one machine share the record in the state
 * folder, so a run every five minutes does not have to wait itself.
 */
export class UnchangedSince {
  readonly #folder: string;
  readonly #machine: Machine;
  readonly #sights = new Map<string, Sight>();

  constructor(stateFolder: string, machine: Machine) {
    this.#folder = join(stateFolder, "seen-leases");
    this.#machine = machine;
  }

  /** Milliseconds for which `version` has been seen under `name`; 0 the first time. */
  async for(name: string, version: string): Promise<number> {
    const { host } = this.#machine;
    const now = this.#machine.monotonic();
    const known = this.#sights.get(name) ?? (await this.#remembered(name));
    const isSame = known?.version === version && known.host === host && known.since <= now;
    const sight = isSame ? known : { version, host, since: now };
    if (!isSame) await this.#remember(name, sight);
    this.#sights.set(name, sight);
    return now - sight.since;
  }

  /** Records that a run of this machine has ended and could not release its lease. */
  async end(run: string): Promise<void> {
    await this.#remember(`ended ${run}`, { version: run, host: this.#machine.host, since: this.#machine.monotonic() });
  }

  async hasEnded(run: string): Promise<boolean> {
    return (await this.#remembered(`ended ${run}`))?.version === run;
  }

  async #remembered(name: string): Promise<Sight | undefined> {
    try {
      const { version, host, since } = JSON.parse(await readFile(this.#file(name), "utf8")) as Partial<Sight>;
      return version === undefined || host === undefined || typeof since !== "number" ? undefined : { version, host, since };
    } catch {
      // Missing or truncated: counts as seen for the first time, which only makes the wait longer.
      return undefined;
    }
  }

  async #remember(name: string, sight: Sight): Promise<void> {
    // If the state folder is not writable, the next run waits longer. This is not an error.
    await writeAtomically(this.#file(name), `${JSON.stringify(sight)}\n`).catch(() => undefined);
  }

  #file(name: string): string {
    return join(this.#folder, `${toFileName(name)}.json`);
  }
}
