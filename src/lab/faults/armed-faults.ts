/** A fault of any service of the lab: what it does, to which requests, and how often. */
interface AnyFault<Match, Effect> {
  readonly match?: (Match & { readonly nth?: number | undefined }) | undefined;
  readonly effect: Effect;
  /** Requests that it meets; 1 when left out. */
  readonly count?: number | undefined;
}

interface Armed<Fault> {
  readonly fault: Fault;
  left: number;
  seen: number;
}

/** Faults that wait for their requests; each service says by `fits` which ones are meant. */
export abstract class ArmedFaults<Request, Match extends object, Effect, Fault extends AnyFault<Match, Effect>> {
  #armed: Armed<Fault>[] = [];

  protected abstract fits(match: Partial<Match>, request: Request): boolean;

  add(fault: Fault): void {
    this.#armed.push({ fault, left: fault.count ?? 1, seen: 0 });
  }

  clear(): void {
    this.#armed = [];
  }

  /** Faults that are not spent. */
  list(): readonly Fault[] {
    return this.#armed.map(({ fault }) => fault);
  }

  /** The effects that a request meets now; counts it. */
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
