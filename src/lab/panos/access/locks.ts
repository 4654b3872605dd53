import { DeviceError } from "../device-error.js";
import { configurationLocked } from "../device-messages.js";

export type LockKind = "config" | "commit";

export interface HeldLock {
  readonly kind: LockKind;
  /** `shared` or the name of a vsys. */
  readonly scope: string;
  readonly owner: string;
  readonly comment: string;
  readonly created: number;
}

/** Config locks and commit locks of one device. The scope `shared` covers the complete device; the name of a vsys covers that vsys. */
export class Locks {
  #held: HeldLock[] = [];

  list(kind: LockKind, scope: string): HeldLock[] {
    return this.#held.filter((lock) => lock.kind === kind && (scope === "all" || lock.scope === scope));
  }

  /** Throws with the device's message if the scope is already locked, by the owner or by another administrator. */
  add(lock: HeldLock): void {
    const { kind, scope, owner } = lock;
    const holder = this.#held.find((held) => held.kind === kind && held.scope === scope);
    if (holder?.owner === owner) {
      throw refused(
        kind === "config" ? `You already own a config lock for scope ${scope}` : "Commit lock is already held for the specified scope",
      );
    }
    if (holder !== undefined) {
      throw refused(
        kind === "config"
          ? `Config for scope ${scope} is currently locked by ${holder.owner}`
          : `Commit lock is already held by ${holder.owner} for scope ${scope}`,
      );
    }
    this.#held.push(lock);
  }

  /** Removes the lock of `owner`. `by` must be the owner, unless `mayBreak` is set. */
  remove(kind: LockKind, scope: string, owner: string, by: string, mayBreak: boolean): void {
    const holder = this.#held.find((held) => held.kind === kind && held.scope === scope);
    if (holder === undefined) {
      throw refused(kind === "config" ? `Config is not currently locked for scope ${scope}` : "Commit lock is not currently held");
    }
    if (holder.owner !== owner || (owner !== by && !mayBreak)) {
      throw refused(`${kind === "config" ? "Config" : "Commit"} for scope ${scope} is currently locked by ${holder.owner}`);
    }
    this.#held = this.#held.filter((held) => held !== holder);
  }

  /** Releases all locks of the owner. Called after a commit of this owner. */
  releaseAfterCommit(owner: string): void {
    this.#held = this.#held.filter((lock) => lock.owner !== owner);
  }

  /** Throws if another administrator's config lock covers the vsys. `undefined` is for configuration outside any vsys. */
  refuseWrite(admin: string, vsys: string | undefined): void {
    this.#refuse("config", admin, vsys);
  }

  /** Throws if another administrator holds a commit lock, or a config lock with scope `shared`. */
  refuseCommit(admin: string): void {
    this.#refuse("commit", admin, undefined);
    this.#refuse("config", admin, undefined);
  }

  #refuse(kind: LockKind, admin: string, vsys: string | undefined): void {
    const other = this.#held.find(
      (lock) => lock.kind === kind && lock.owner !== admin && (lock.scope === "shared" || lock.scope === vsys || kind === "commit"),
    );
    if (other !== undefined) throw configurationLocked(other.owner);
  }
}

function refused(text: string): DeviceError {
  return new DeviceError(undefined, text);
}
