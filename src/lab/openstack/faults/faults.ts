import type { ServiceRequest } from "../http/request.js";
import type { Effect, Fault, Match } from "./fault.js";

interface Armed {
  readonly fault: Fault;
  left: number;
  seen: number;
}

/** Faults that wait for their requests. */
export class Faults {
  #armed: Armed[] = [];

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
  meet(request: ServiceRequest, user: string | undefined): Effect[] {
    const effects: Effect[] = [];
    for (const armed of this.#armed) {
      const { match = {}, effect } = armed.fault;
      if (!fits(match, request, user)) continue;
      armed.seen++;
      if (match.nth !== undefined && armed.seen !== match.nth) continue;
      armed.left--;
      effects.push(effect);
    }
    this.#armed = this.#armed.filter(({ left }) => left > 0);
    return effects;
  }
}

function fits(match: Match, { service, method, rawPath, query, body }: ServiceRequest, user: string | undefined): boolean {
  const equal = (wanted: string | undefined, value: string | undefined): boolean => wanted === undefined || wanted === value;
  const holds = (wanted: string | undefined, value: () => string): boolean => wanted === undefined || value().includes(wanted);
  return (
    equal(match.service, service) &&
    equal(match.method, method) &&
    equal(match.user, user) &&
    holds(match.path, () => rawPath) &&
    holds(match.query, () => query.toString()) &&
    holds(match.body, () => JSON.stringify(body ?? null))
  );
}
