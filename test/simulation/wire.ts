import { PlumblineError } from "../../src/core/errors.js";
import { expectLease } from "../../src/core/write-lease.js";
import type { Chance } from "./chance.js";
import type { Scheduler } from "./scheduler.js";

/**
 * What becomes of one request: it is lost on its way, its reply is lost, or it comes when nobody waits any more: so many
 * milliseconds after that, or right after our next commit.
 */
export type WireFault = { readonly kind: "lost" | "reply-lost" | "after-commit" } | { readonly kind: "late"; readonly by: number };

/** One of them, each as likely as its weight says. */
export function faultOf<Kind extends WireFault["kind"]>(chance: Chance, weights: Readonly<Record<Kind, number>>): WireFault {
  const kind: WireFault["kind"] = chance.weighed(weights);
  return kind === "late" ? { kind, by: chance.whole(100, 60_000) } : { kind };
}

/** Whether it changes something; `change` is a write of the configuration itself, which faults that are armed for writes meet, too. */
export type RequestKind = "read" | "write" | "change";

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
  readonly #armed: { readonly kind: RequestKind; readonly fault: WireFault }[] = [];

  constructor(options: WireOptions) {
    this.#options = options;
  }

  arm(kind: RequestKind, fault: WireFault): void {
    this.#armed.push({ kind, fault });
  }

  clear(): void {
    this.#armed.length = 0;
  }

  /** Requests that come some milliseconds after they were given up, and have not come yet. */
  get late(): number {
    return this.#late;
  }

  /** Reads are sent again where they fail, as clients do. @throws PlumblineError `request-timed-out`, `device-unreachable`, `reply-lost` */
  async send<T>(kind: RequestKind, carryOut: (isLate: boolean, sent: number) => T): Promise<T> {
    const { scheduler, chance } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        return await this.once(kind, carryOut);
      } catch (error) {
        const isAway = error instanceof PlumblineError && (error.code === "device-unreachable" || error.code === "request-timed-out");
        if (!isAway || kind !== "read" || tries === TRIES) throw error;
        await scheduler.wait(500 + chance.next() * 2000);
      }
    }
  }

  /** Sends once. @throws PlumblineError as `send` */
  async once<T>(kind: RequestKind, carryOut: (isLate: boolean, sent: number) => T): Promise<T> {
    const { scheduler, isDown, onceCommitted } = this.#options;
    const sender = scheduler.process;
    const sent = scheduler.now;
    expectLease();
    const fault = this.#take(kind);
    return await new Promise<T>((resolve, reject) => {
      const answer = (milliseconds: number, give: () => void): void =>
        scheduler.in(milliseconds, () => {
          if (sender?.isAlive !== false) give();
        });
      const giveUp = (): void =>
        reject(kind === "read" ? problem("request-timed-out", "no answer in time") : problem("reply-lost", "the reply was lost"));
      const isLate = fault?.kind === "late" || fault?.kind === "after-commit";
      if (fault?.kind === "lost" || isLate) answer(PATIENCE, giveUp);
      if (fault?.kind === "lost") return;
      if (fault?.kind === "late") this.#late += 1;
      const arrive = (): void => {
        if (fault?.kind === "late") this.#late -= 1;
        if (isDown()) {
          if (fault === undefined) answer(this.#delay(), () => reject(problem("device-unreachable", "the device cannot be reached")));
          if (fault?.kind === "reply-lost") answer(PATIENCE, giveUp);
          return;
        }
        try {
          const result = carryOut(isLate, sent);
          if (fault === undefined) answer(this.#delay(), () => resolve(result));
        } catch (error) {
          if (fault === undefined) answer(this.#delay(), () => reject(error));
        }
        if (fault?.kind === "reply-lost") answer(PATIENCE, giveUp);
      };
      if (fault?.kind === "after-commit") scheduler.in(PATIENCE, () => onceCommitted(arrive));
      else scheduler.in(fault?.kind === "late" ? PATIENCE + fault.by : this.#delay(), arrive);
    });
  }

  #take(kind: RequestKind): WireFault | undefined {
    const at = this.#armed.findIndex((each) => each.kind === kind || (each.kind === "write" && kind === "change"));
    return at === -1 ? undefined : this.#armed.splice(at, 1)[0]?.fault;
  }

  #delay(): number {
    const { chance } = this.#options;
    return chance.isLikely(0.03) ? 500 + chance.next() * 4000 : 5 + chance.next() * 60;
  }
}

function problem(code: string, message: string): PlumblineError {
  return new PlumblineError(code, message, { next: "Run again." });
}
