import { PlumblineError } from "../../core/errors.js";
import { leaseLost, type WriteLease } from "../../core/write-lease.js";
import { formatRun, type Run } from "../apply/lock-mark.js";
import type { Machine } from "../pass/machine.js";
import type { LeasePlace, SeenLease } from "./lease-place.js";
import type { LeaseText } from "./lease-text.js";
import { type TakeoverReason, takeoverReason } from "./takeover-reason.js";
import type { UnchangedSince } from "./unchanged-since.js";

export interface RunLeaseOptions {
  readonly place: LeasePlace;
  readonly seen: UnchangedSince;
  readonly target: string;
  readonly run: Run;
  readonly machine: Machine;
  /** Seconds without a renewal after which a lease is taken over. */
  readonly takeoverAfter: number;
  /** Milliseconds that one request to the target may be under way. */
  readonly request: number;
  /** `--takeover` */
  readonly takeover: boolean;
  /** Seconds to wait for another run. */
  readonly lockTimeout: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const POLL = 2000;
/** Part of the lease length by which the clocks of two machines may drift apart. */
const MARGIN = 0.1;

interface Held {
  lease: LeaseText;
  version: string;
  /** Monotonic time just before the last renewal request, so the lease ends here first. */
  asked: number;
  /** The same by the wall clock, which continues while a machine sleeps. */
  askedAt: number;
}

/**
 * The right of one run to write to a target that has no lock, stored next to the ledgers (docs/contributing/apply.md#leases-of-runs). Renewed before a step
 * or a write, and during a request, after a third of its length.
 */
export class RunLease implements WriteLease {
  readonly #options: RunLeaseOptions;
  readonly #length: number;
  #held: Held | undefined;
  #lost: PlumblineError | undefined;
  #renewing: Promise<void> | undefined;

  constructor(options: RunLeaseOptions) {
    this.#options = options;
    this.#length = options.takeoverAfter * 1000;
  }

  get fence(): number {
    return this.#held?.lease.counter ?? 0;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** The error that ended the lease before it was released. */
  get lost(): PlumblineError | undefined {
    return this.#lost;
  }

  mayWrite(): void {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#held === undefined) throw new Error("a write without the lease of its target");
    const { target, machine } = this.#options;
    if (machine.monotonic() - this.#held.asked >= this.#length * (1 - MARGIN)) throw this.#lose(leaseLost(target));
    if (this.#isDue(this.#held)) this.#renew(this.#held).catch(() => undefined);
  }

  /**
   * Takes the lease. If it was taken over from another run, returns the reason.
   * @throws PlumblineError `locked-by-run` (refused) after `lockTimeout` seconds, `ledger-unreadable`, `ledger-unwritable`
   */
  async take(): Promise<{ readonly over: TakeoverReason; readonly from: LeaseText } | undefined> {
    const { machine, lockTimeout, sleep, target, place } = this.#options;
    const until = machine.monotonic() + lockTimeout * 1000;
    for (;;) {
      const standing = await place.look(target);
      const over = standing?.lease.held === true ? await takeoverReason(standing, this.#options) : undefined;
      if (standing?.lease.held === true && over === undefined && !this.#isOurs(standing)) {
        if (machine.monotonic() >= until) throw this.#refusal(standing);
        await sleep(POLL);
      } else if (await this.#tryTake(standing)) {
        return standing === undefined || over === undefined ? undefined : { over, from: standing.lease };
      }
    }
  }

  /** Renews the lease if due. An unreachable store is no error until the lease expires. @throws PlumblineError `lease-lost` */
  async keep(): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#held === undefined || !this.#isDue(this.#held)) return;
    await this.#renew(this.#held);
    this.mayWrite();
  }

  /** Releases the lease. Has no effect if another run took it. */
  async give(): Promise<void> {
    await this.#renewing;
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined || this.#lost !== undefined) return;
    const { place, target, seen } = this.#options;
    try {
      await place.swap(target, { ...held.lease, held: false }, held.version);
    } catch (error) {
      // The store is unreachable. The next run of this machine need not wait until the lease expires.
      await seen.end(held.lease.run);
      throw error;
    }
  }

  async #tryTake(standing: SeenLease | undefined): Promise<boolean> {
    const { place, target, run, machine } = this.#options;
    const [asked, askedAt] = [machine.monotonic(), machine.now()];
    const lease: LeaseText = {
      run: formatRun(run),
      who: machine.who,
      counter: (standing?.lease.counter ?? 0) + 1,
      beat: (standing?.lease.beat ?? 0) + 1,
      held: true,
      freeAfter: this.#length + this.#options.request,
      at: await place.clock(),
    };
    const version = await place.swap(target, lease, standing?.version);
    if (version === undefined) return false;
    this.#held = { lease, version, asked, askedAt };
    return true;
  }

  #isDue({ asked, askedAt }: Held): boolean {
    const { machine } = this.#options;
    const third = this.#length / 3;
    return machine.monotonic() - asked > third || machine.now() - askedAt > third;
  }

  #renew(held: Held): Promise<void> {
    this.#renewing ??= this.#renewNow(held).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewNow(held: Held): Promise<void> {
    const { place, target, machine } = this.#options;
    const [asked, askedAt] = [machine.monotonic(), machine.now()];
    try {
      const lease = { ...held.lease, beat: held.lease.beat + 1, at: await place.clock() };
      const version = await place.swap(target, lease, held.version);
      if (version === undefined) this.#lose(leaseLost(target));
      else Object.assign(held, { lease, version, asked, askedAt });
    } catch {
      // The store is unreachable. The lease stays valid until it expires.
    }
  }

  /** The reply to our own write was lost. */
  #isOurs({ lease }: SeenLease): boolean {
    return lease.run === formatRun(this.#options.run);
  }

  #lose(error: PlumblineError): PlumblineError {
    this.#lost ??= error;
    return this.#lost;
  }

  #refusal({ lease }: SeenLease): PlumblineError {
    const { target } = this.#options;
    const who = lease.who === undefined ? "" : ` of ${lease.who}`;
    return new PlumblineError("locked-by-run", `Another run (${lease.run}${who}) is active`, {
      where: { target },
      next: `Wait for it (--lock-timeout). A lease that is unchanged for ${Math.ceil(lease.freeAfter / 1000)} s is taken over; --takeover does so immediately.`,
      severity: "refused",
    });
  }
}
