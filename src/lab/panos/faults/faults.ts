import type { Effect, Fault, Match, Matchable } from "./fault.js";

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
  meet(request: Matchable): Effect[] {
    const effects: Effect[] = [];
    for (const armed of this.#armed) {
      const { match = {}, effect } = armed.fault;
      if (!fits(match, request)) continue;
      armed.seen++;
      if (match.nth !== undefined && armed.seen !== match.nth) continue;
      armed.left--;
      effects.push(effect);
    }
    this.#armed = this.#armed.filter(({ left }) => left > 0);
    return effects;
  }
}

function fits(match: Match, { device, admin, params }: Matchable): boolean {
  const equal = (wanted: string | undefined, value: string | undefined): boolean => wanted === undefined || wanted === value;
  const holds = (wanted: string | undefined, name: string): boolean => wanted === undefined || params.get(name)?.includes(wanted) === true;
  return (
    equal(match.device, device) &&
    equal(match.admin, admin) &&
    equal(match.type, params.get("type")) &&
    equal(match.action, params.get("action")) &&
    holds(match.xpath, "xpath") &&
    holds(match.cmd, "cmd") &&
    holds(match.element, "element")
  );
}
