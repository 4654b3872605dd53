import { PlumblineError } from "../../src/core/errors.js";
import { expectLease, verifyLease } from "../../src/core/write-lease.js";
import type { Chance } from "./chance.js";
import type { Process, Scheduler } from "./scheduler.js";

/**
 * The fate of one request: it is lost, its reply is lost, or it arrives after its sender stopped waiting, so many milliseconds later or
 * right after Plumbline's next commit.
 */
export type WireFault =
  | { readonly kind: "lost" | "reply-lost" | "after-commit" | "cut" | "error" }
  | { readonly kind: "late"; readonly by: number };

/** One of them, with probability proportional to its weight. */
export function faultOf<Kind extends WireFault["kind"]>(chance: Chance, weights: Readonly<Record<Kind, number>>): WireFault {
  const kind: WireFault["kind"] = chance.weighed(weights);
  return kind === "late" ? { kind, by: chance.whole(100, 60_000) } : { kind };
}

/** `change`: a write of the configuration. `commit`: a commit request. `jobs`: a read of the job list. */
export type RequestKind = "read" | "write" | "change" | "commit" | "jobs";

/** Faults of this kind of request also apply to the narrower kinds. */
const BROADER: Readonly<Record<RequestKind, "read" | "write">> = {
  read: "read",
  jobs: "read",
  write: "write",
  change: "write",
  commit: "write",
};

export interface WireOptions {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly isDown: () => boolean;
  readonly onceCommitted: (happen: () => void) => void;
}

/** Milliseconds after which a sender gives a request up. */
const PATIENCE = 30_000;
const TRIES = 3;

/** The way to one device: requests take a while, and armed faults meet the next one of their kind. */
export class Wire {
  readonly #options: WireOptions;
  #late = 0;
  readonly #armed: { readonly kind: RequestKind; readonly fault: WireFault; readonly onMet: () => void }[] = [];

  /** Called once, with the process of a host that sends its next write. */
  readonly beforeNextWrite = new Map<string, (process: Process) => void>();

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** `onMet` is called when a request meets the fault. */
  arm(kind: RequestKind, fault: WireFault, onMet: () => void = () => undefined): void {
    this.#armed.push({ kind, fault, onMet });
  }

  clear(): void {
    this.#armed.length = 0;
    this.beforeNextWrite.clear();
  }

  /** Requests that come some milliseconds after they were given up, and have not come yet. */
  get late(): number {
    return this.#late;
  }

  /**

   * Failed reads are repeated, as clients do.

   * @throws PlumblineError `request-timed-out`, `device-unreachable`, `reply-lost`

   */
  async send<T>(kind: RequestKind, carryOut: (isLate: boolean, sent: number) => T): Promise<T> {
    const { scheduler, chance } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        return await this.once(kind, carryOut);
      } catch (error) {
        const isAway = error instanceof PlumblineError && (error.code === "device-unreachable" || error.code === "request-timed-out");
        if (!isAway || BROADER[kind] !== "read" || tries === TRIES) throw error;
        await scheduler.wait(500 + chance.next() * 2000);
      }
    }
  }

  /**

   * Sends once.

   * @throws PlumblineError as `send`

   */
  async once<T>(kind: RequestKind, carryOut: (isLate: boolean, sent: number) => T): Promise<T> {
    const { scheduler, isDown, onceCommitted } = this.#options;
    const sender = scheduler.process;
    if (BROADER[kind] === "write") await verifyLease();
    const sent = scheduler.now;
    expectLease();
    if (sender !== undefined && BROADER[kind] === "write") {
      const call = this.beforeNextWrite.get(sender.host);
      this.beforeNextWrite.delete(sender.host);
      call?.(sender);
    }
    const fault = this.#take(kind);
    return await new Promise<T>((resolve, reject) => {
      const answer = (milliseconds: number, give: () => void): void => scheduler.in(milliseconds, () => scheduler.resume(sender, give));
      const giveUp = (): void =>
        reject(BROADER[kind] === "read" ? problem("request-timed-out", "no answer in time") : problem("reply-lost", "the reply was lost"));
      const isLate = fault?.kind === "late" || fault?.kind === "after-commit";
      if (fault?.kind === "lost" || isLate) answer(PATIENCE, giveUp);
      if (fault?.kind === "lost") return;
      if (fault?.kind === "error")
        return answer(this.#delay(), () => reject(problem("device-error", "the device reports an internal error")));
      if (fault?.kind === "late") this.#late += 1;
      const arrive = (): void => {
        if (fault?.kind === "late") this.#late -= 1;
        if (isDown()) {
          if (fault === undefined) answer(this.#delay(), () => reject(problem("device-unreachable", "the device cannot be reached")));
          if (fault?.kind === "reply-lost" || fault?.kind === "cut") answer(PATIENCE, giveUp);
          return;
        }
        try {
          const result = carryOut(isLate, sent);
          if (fault === undefined) answer(this.#delay(), () => resolve(result));
        } catch (error) {
          if (fault === undefined) answer(this.#delay(), () => reject(error));
        }
        if (fault?.kind === "reply-lost") answer(PATIENCE, giveUp);
        if (fault?.kind === "cut") answer(this.#delay(), giveUp);
      };
      if (fault?.kind === "after-commit") scheduler.in(PATIENCE, () => onceCommitted(arrive));
      else scheduler.in(fault?.kind === "late" ? PATIENCE + fault.by : this.#delay(), arrive);
    });
  }

  #take(kind: RequestKind): WireFault | undefined {
    const at = this.#armed.findIndex((each) => each.kind === kind || each.kind === BROADER[kind]);
    if (at === -1) return undefined;
    const [met] = this.#armed.splice(at, 1);
    met?.onMet();
    return met?.fault;
  }

  #delay(): number {
    const { chance } = this.#options;
    return chance.isLikely(0.03) ? 500 + chance.next() * 4000 : 5 + chance.next() * 60;
  }
}

function problem(code: string, message: string): PlumblineError {
  return new PlumblineError(code, message, { next: "Run again." });
}
