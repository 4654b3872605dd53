import type { Identity } from "../../plan/platform.js";
import type { Answers } from "./capabilities.js";

/** A box with a version, and what that answers to. */
interface Known {
  readonly serial: string;
  readonly version: string | undefined;
  readonly answers: Answers;
}

/**
 * What the devices of this process answer to, by address. It holds for the very box with the very version that it was asked of:
 * another one behind the same address, or an upgrade, is asked again.
 */
export class KnownDevices {
  readonly #at = new Map<string, Known>();

  /** What the box that was last seen there answers to; who is there now has to be asked. */
  lastSeen(origin: string): Answers | undefined {
    return this.#at.get(origin)?.answers;
  }

  /** Whether what was last seen there was this box with this version. */
  holds(origin: string, { serial, version }: Identity): boolean {
    const known = this.#at.get(origin);
    return known !== undefined && known.serial === serial && known.version === version;
  }

  /** A box that does not say which one it is cannot be known again. */
  remember(origin: string, { serial, version }: Identity, answers: Answers): void {
    if (serial !== undefined) this.#at.set(origin, { serial, version, answers });
  }
}
