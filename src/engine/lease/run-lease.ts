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
/** Milliseconds after which the lease is read again before a write, because `--takeover` ends it without a wait. */
const VERIFIED_FOR = 10_000;
/** Part of the lease length by which the clocks of two machines may drift apart. */
const MARGIN = 0.1;

/** A time by the monotonic clock, and by the wall clock, which continues while a machine sleeps. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

interface Held {
  lease: LeaseText;
  version: string;
  /** Just before the last renewal request, so the lease ends here first. */
  renewed: Moment;
  /** Just before the last renewal or read, even if it failed. */
  verified: Moment;
}

/**
 * The right of one run to write to a target that has no lock, stored next to the ledgers (docs/contributing/apply.md#leases-of-runs). Renewed before a step
 * or a write, and during a request, after a third of its length. In between it is read again before a step or a write.
 */
export class RunLease implements WriteLease {
  readonly #options: RunLeaseOptions;
  readonly #length: number;
  #held: Held | undefined;
  #lost: PlumblineError | undefined;
  #renewing: Promise<void> | undefined;
  #reading: Promise<void> | undefined;

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
    if (machine.monotonic() - this.#held.renewed.monotonic >= this.#length * (1 - MARGIN)) throw this.#lose(leaseLost(target));
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
      const current = await place.look(target);
      const over = current?.lease.held === true ? await takeoverReason(current, this.#options) : undefined;
      if (current?.lease.held === true && over === undefined && !this.#isHeldByRun(current)) {
        if (machine.monotonic() >= until) throw this.#refusal(current);
        await sleep(POLL);
      } else if (await this.#tryTake(current)) {
        return current === undefined || over === undefined ? undefined : { over, from: current.lease };
      }
    }
  }

  /**
   * Renews the lease if due, and reads it if the last read or renewal is older than ten seconds. An unreachable store is no error until the
   * lease expires. @throws PlumblineError `lease-lost`
   */
  async keep(): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#held === undefined) return;
    if (this.#isDue(this.#held)) await this.#renew(this.#held);
    else if (this.#isPast(this.#held.verified, VERIFIED_FOR)) await this.#read(this.#held);
    else if (this.#reading === undefined) return;
    await this.#reading;
    this.mayWrite();
  }

  async verify(): Promise<void> {
    await this.keep();
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

  async #tryTake(current: SeenLease | undefined): Promise<boolean> {
    const { place, target, run, machine } = this.#options;
    const renewed = this.#now();
    const lease: LeaseText = {
      run: formatRun(run),
      who: machine.who,
      counter: (current?.lease.counter ?? 0) + 1,
      beat: (current?.lease.beat ?? 0) + 1,
      held: true,
      freeAfter: this.#length + this.#options.request,
      at: await place.clock(),
    };
    const version = await place.swap(target, lease, current?.version);
    if (version === undefined) return false;
    this.#held = { lease, version, renewed, verified: renewed };
    return true;
  }

  #isDue({ renewed }: Held): boolean {
    return this.#isPast(renewed, this.#length / 3);
  }

  #isPast({ monotonic, wall }: Moment, milliseconds: number): boolean {
    const { machine } = this.#options;
    return machine.monotonic() - monotonic > milliseconds || machine.now() - wall > milliseconds;
  }

  #now(): Moment {
    const { machine } = this.#options;
    return { monotonic: machine.monotonic(), wall: machine.now() };
  }

  #renew(held: Held): Promise<void> {
    this.#renewing ??= this.#renewNow(held).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewNow(held: Held): Promise<void> {
    const { place, target } = this.#options;
    const now = this.#now();
    held.verified = now;
    try {
      const lease = { ...held.lease, beat: held.lease.beat + 1, at: await place.clock() };
      const version = await place.swap(target, lease, held.version);
      // Another run has it, or an earlier renewal was stored and its reply was lost.
      if (version === undefined) await this.#readNow(held);
      else Object.assign(held, { lease, version, renewed: now });
    } catch {
      // The store is unreachable. The lease stays valid until it expires.
    }
  }

  #read(held: Held): Promise<void> {
    this.#reading ??= this.#readNow(held).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNow(held: Held): Promise<void> {
    const { place, target } = this.#options;
    held.verified = this.#now();
    try {
      const found = await place.look(target);
      if (found === undefined || !this.#isHeldByRun(found)) this.#lose(leaseLost(target));
      else if (found.lease.beat > held.lease.beat) Object.assign(held, { lease: found.lease, version: found.version });
    } catch (error) {
      // A later version of Plumbline has the lease. Otherwise the store is unreachable, and the lease stays valid until it expires.
      if (error instanceof PlumblineError && error.code === "ledger-newer") this.#lose(leaseLost(target));
    }
  }

  /** The reply to our own write was lost. */
  #isHeldByRun({ lease }: SeenLease): boolean {
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
