import type { Path } from "../../../core/tree/path.js";
import type { Lock } from "../../../engine/target.js";
import type { Locks } from "../../../engine/write-target.js";
import { breakLock, giveBackLocks, takeLock } from "./config-lock.js";
import type { WriterParts } from "./writer-parts.js";

/** Parts with their own locks, from the last reads. */
export interface LockedParts {
  readonly vsys: readonly Path[];
  /** Only on a manager. */
  readonly deviceGroups: readonly Path[];
}

/** Configuration locks of shared, and of the virtual systems or device groups that a run changes. */
export class DeviceLocks implements Locks {
  readonly #parts: WriterParts;
  readonly #lockable: () => LockedParts;
  #held: string | undefined;

  constructor(parts: WriterParts, lockable: () => LockedParts) {
    this.#parts = parts;
    this.#lockable = lockable;
  }

  /** Comment of the current locks. */
  get held(): string | undefined {
    return this.#held;
  }

  /**
   * Takes the lock of shared, and of the affected virtual systems (on a multi-vsys device) and device groups (on a manager). Takes all of
   * them or none. Does nothing if the device has no locks.
   */
  async lock(comment: string, touched: readonly Path[]): Promise<void> {
    const session = await this.#parts.session.current();
    if (!session.capabilities.locks) return;
    const administrator = await this.#parts.name.get();
    const { vsys, deviceGroups } = this.#lockable();
    const isTouched = (path: Path): boolean => touched.some((each) => each.contains(path) || path.contains(each));
    const parts = [...(session.multiVsys ? vsys : []), ...deviceGroups].filter(isTouched);
    const scopes = ["shared", ...parts.map(({ name }) => name ?? "")];
    this.#held = comment;
    try {
      for (const scope of scopes) await takeLock(session, scope, comment, administrator);
    } catch (error) {
      if (scopes.length > 1) await giveBackLocks(session, comment, administrator);
      throw error;
    }
  }

  async unlock(): Promise<void> {
    if (this.#held === undefined) return;
    await giveBackLocks(await this.#parts.session.current(), this.#held, await this.#parts.name.sure());
    this.#held = undefined;
  }

  async breakLock(lock: Lock): Promise<void> {
    await breakLock(await this.#parts.session.current(), lock, await this.#parts.name.get());
  }
}
