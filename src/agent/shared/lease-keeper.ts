import { leaseLost, type WriteLease } from "../../core/write-lease.js";
import type { Grant } from "../store/shared/leases.js";
import type { Member } from "../store/shared/members.js";
import type { SharedWork } from "../store/shared/shared-work.js";
import type { DatabaseClock } from "./database-clock.js";

/** Fraction of the lease by which the clocks of two machines may differ. */
const MARGIN = 0.1;

interface Held {
  readonly fence: number;
  /** On the monotonic clock. */
  deadline: number;
}

/**
 * Tracks until when this process may write to each target. The database counts a lease from its answer. This process counts it from the
 * request, so that it always ends here first.
 */
export class LeaseKeeper {
  readonly #work: SharedWork;
  readonly #member: Member;
  readonly #length: number;
  readonly #clock: DatabaseClock;
  readonly #held = new Map<string, Held>();
  /** Names of this process in the job queue. */
  readonly #runners = new Set<string>();
  /** Last answer of the database, and the time before which silent members are not removed, on the monotonic clock. */
  #answered: number | undefined;
  #removeFrom = Number.NEGATIVE_INFINITY;

  constructor(work: SharedWork, member: Member, length: number, clock: DatabaseClock) {
    this.#work = work;
    this.#member = member;
    this.#length = length;
    this.#clock = clock;
  }

  /** Adds a lease. `requestedAt` is the time before the request, on the monotonic clock. */
  hold({ target, fence }: Grant, requestedAt: number, tookOver: boolean): WriteLease {
    const held: Held = { fence, deadline: this.#deadline(requestedAt) };
    this.#held.set(target, held);
    return {
      fence,
      tookOver,
      mayWrite: () => {
        if (this.#clock.monotonic() >= held.deadline) throw leaseLost(target);
      },
    };
  }

  drop({ target, fence }: Grant): void {
    if (this.#held.get(target)?.fence === fence) this.#held.delete(target);
  }

  get size(): number {
    return this.#held.size;
  }

  /** Renews the leases and the entry of this process repeatedly, until `stop`. */
  async keep(onFailure: (error: unknown) => void, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      try {
        await this.beat();
      } catch (error) {
        onFailure(error);
      }
      await this.#clock.sleep((this.#length / 3) * (0.8 + this.#clock.random() * 0.2), stop);
    }
  }

  /** Records a runner of the job queue with the entry of this process. */
  async enter(runner: string): Promise<void> {
    this.#runners.add(runner);
    await this.#work.members.beat(this.#member, [...this.#runners]);
  }

  async leave(runner: string): Promise<void> {
    await this.#work.members.unlock(runner);
    this.#runners.delete(runner);
  }

  async beat(): Promise<void> {
    const { leases, members } = this.#work;
    if (this.#held.size > 0) {
      const requestedAt = this.#clock.monotonic();
      const renewed = await leases.renew(this.#member.id, [...this.#held.keys()], { length: this.#length });
      for (const [target, held] of this.#held) if (renewed.get(target) === held.fence) held.deadline = this.#deadline(requestedAt);
    }
    const requestedAt = this.#clock.monotonic();
    this.#clock.set(await members.beat(this.#member, [...this.#runners]), requestedAt);
    // The others need time to show that they are alive if the database was unreachable, or if this process was suspended.
    if (this.#answered !== undefined && requestedAt - this.#answered > this.#length)
      this.#removeFrom = requestedAt + this.#member.goneAfter;
    this.#answered = requestedAt;
    if (requestedAt >= this.#removeFrom) await members.bury(this.#clock.now());
  }

  #deadline(requestedAt: number): number {
    return requestedAt + this.#length * (1 - MARGIN);
  }
}
