import { leaseLost, type WriteLease } from "../../core/write-lease.js";
import type { AgentClock } from "../clock.js";
import type { Grant } from "../store/shared/leases.js";
import type { Member } from "../store/shared/members.js";
import type { SharedWork } from "../store/shared/shared-work.js";

/** Of a lease's length, that clocks of the two machines may run apart. */
const MARGIN = 0.1;

interface Held {
  readonly fence: number;
  /** On the monotonic clock. */
  deadline: number;
}

/**
 * Knows until when this process may write to which target. The database grants a lease from the moment that it answers;
 * here it counts from the moment that it was asked, so that it always ends here first.
 */
export class LeaseKeeper {
  readonly #work: SharedWork;
  readonly #member: Member;
  readonly #length: number;
  readonly #clock: AgentClock;
  readonly #held = new Map<string, Held>();

  constructor(work: SharedWork, member: Member, length: number, clock: AgentClock) {
    this.#work = work;
    this.#member = member;
    this.#length = length;
    this.#clock = clock;
  }

  /** `asked`: on the monotonic clock, before the database was. */
  hold({ target, fence }: Grant, asked: number, tookOver: boolean): WriteLease {
    const held: Held = { fence, deadline: this.#deadline(asked) };
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

  /** Renews what is held and says that this process lives, again and again until `stop`. */
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

  async beat(): Promise<void> {
    const { leases, members } = this.#work;
    if (this.#held.size > 0) {
      const asked = this.#clock.monotonic();
      const renewed = await leases.renew(this.#member.id, [...this.#held.keys()], { length: this.#length });
      for (const [target, held] of this.#held) if (renewed.get(target) === held.fence) held.deadline = this.#deadline(asked);
    }
    await members.beat(this.#member);
    await members.bury(this.#clock.now());
  }

  #deadline(asked: number): number {
    return asked + this.#length * (1 - MARGIN);
  }
}
