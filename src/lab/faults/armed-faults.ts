/** A fault of any service of the lab: its effect, the matching requests, and how often it applies. */
interface AnyFault<Match, Effect> {
  readonly match?: (Match & { readonly nth?: number | undefined }) | undefined;
  readonly effect: Effect;
  /** Number of requests that it applies to. Defaults to 1. */
  readonly count?: number | undefined;
}

interface Armed<Fault> {
  readonly fault: Fault;
  left: number;
  seen: number;
}

/** Armed faults. Each service defines in `fits` which requests match. */
export abstract class ArmedFaults<Request, Match extends object, Effect, Fault extends AnyFault<Match, Effect>> {
  #armed: Armed<Fault>[] = [];

  protected abstract fits(match: Partial<Match>, request: Request): boolean;

  add(fault: Fault): void {
    this.#armed.push({ fault, left: fault.count ?? 1, seen: 0 });
  }

  clear(): void {
    this.#armed = [];
  }

  /** Returns faults that still apply to requests. */
  list(): readonly Fault[] {
    return this.#armed.map(({ fault }) => fault);
  }

  /** Counts the request and returns the effects that apply to it. */
  meet(request: Request): Effect[] {
    const effects: Effect[] = [];
    for (const armed of this.#armed) {
      const { match, effect } = armed.fault;
      if (!this.fits(match ?? {}, request)) continue;
      armed.seen++;
      if (match?.nth !== undefined && armed.seen !== match.nth) continue;
      armed.left--;
      effects.push(effect);
    }
    this.#armed = this.#armed.filter(({ left }) => left > 0);
    return effects;
  }
}
