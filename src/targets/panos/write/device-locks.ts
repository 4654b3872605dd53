import type { Path } from "../../../core/tree/path.js";
import type { Lock } from "../../../engine/target.js";
import type { Locks } from "../../../engine/write-target.js";
import { breakLock, giveBackLocks, takeLock } from "./config-lock.js";
import type { WriterParts } from "./writer-parts.js";

/** Parts that are locked by themselves, as they were last read. */
export interface LockedParts {
  readonly vsys: readonly Path[];
  /** Of a manager. */
  readonly deviceGroups: readonly Path[];
}

/** Configuration locks of shared, and of the virtual systems or device groups that a run touches. */
export class DeviceLocks implements Locks {
  readonly #parts: WriterParts;
  readonly #lockable: () => LockedParts;
  #held: string | undefined;

  constructor(parts: WriterParts, lockable: () => LockedParts) {
    this.#parts = parts;
    this.#lockable = lockable;
  }

  /** The comment of the locks that were taken last. */
  get held(): string | undefined {
    return this.#held;
  }

  /**
   * Takes the lock of shared, on a device of several vsys and on a manager of device groups those that are touched too,
   * all or none. Nothing where there are no locks.
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
