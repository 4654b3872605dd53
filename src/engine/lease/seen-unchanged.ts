import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../../core/atomic-file.js";
import { toFileName } from "../../core/file-names.js";
import type { Machine } from "../pass/process.js";

interface Sight {
  readonly version: string;
  /** The clock counts from the start of this machine. */
  readonly host: string;
  readonly since: number;
}

/**
 * Since when something that tells no age has been seen unchanged, on this machine's clock that never jumps. Runs of one machine
 * remember for each other, in the state folder: one that is started every five minutes need not wait itself.
 */
export class SeenUnchanged {
  readonly #folder: string;
  readonly #machine: Machine;
  readonly #sights = new Map<string, Sight>();

  constructor(stateFolder: string, machine: Machine) {
    this.#folder = join(stateFolder, "seen-leases");
    this.#machine = machine;
  }

  /** Milliseconds for which `version` has been seen under `name`; 0 when it is seen for the first time. */
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

  /** A run of this machine that is over, and whose lease could not be given back. */
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
      // Not there, or not whole: then it is seen for the first time, which only makes us wait longer.
      return undefined;
    }
  }

  async #remember(name: string, sight: Sight): Promise<void> {
    // A state folder that cannot be written costs the next run its wait, and stops nothing.
    await writeAtomically(this.#file(name), `${JSON.stringify(sight)}\n`).catch(() => undefined);
  }

  #file(name: string): string {
    return join(this.#folder, `${toFileName(name)}.json`);
  }
}
