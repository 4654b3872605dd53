import type { LoggedSession } from "../policy-role.js";
import type { KeptHour } from "./kept-traffic.js";

/** Source ports from here on are drawn by chance: of these the lowest and the highest are kept. */
const DRAWN = 1024;

/**
 * Sessions of one hour, with equal ones merged. Sessions are equal if a replay cannot distinguish them: ephemeral source ports are ignored,
 * and of the start only counts whether it was after the last commit.
 */
export class FlowSums {
  unread = 0;
  #cut = { flows: 0, sessions: 0 };
  readonly #flows = new Map<string, LoggedSession>();
  readonly #lastCommit: string | undefined;

  constructor(lastCommit: string | undefined) {
    this.#lastCommit = lastCommit;
  }

  /** `isNewer`: than all that were added before; otherwise older. */
  add(logged: LoggedSession, isNewer: boolean): void {
    const began = this.#lastCommit !== undefined && logged.began > this.#lastCommit ? logged.began : "";
    const key = keyOf(logged, began !== "");
    const known = this.#flows.get(key);
    if (isNewer) this.#flows.delete(key);
    this.#flows.set(key, known === undefined ? { ...logged, began } : sumOf(known, logged, began));
  }

  /** Older than all that were added before. */
  addHour({ flows, unread, cut }: KeptHour): void {
    for (const flow of flows) this.add(flow, false);
    this.unread += unread;
    this.#cut = { flows: this.#cut.flows + cut.flows, sessions: this.#cut.sessions + cut.sessions };
  }

  /** `areNewer`: as they were added. */
  result(areNewer: boolean): KeptHour {
    const flows = [...this.#flows.values()];
    return { flows: areNewer ? flows.reverse() : flows, unread: this.unread, cut: this.#cut };
  }
}

/** Without the rarest flows, down to so many. */
export function withoutRare({ flows, unread, cut }: KeptHour, most: number): KeptHour {
  const rare = new Set([...flows].sort((a, b) => b.times - a.times).slice(most));
  const sessions = [...rare].reduce((sum, { times }) => sum + times, cut.sessions);
  return { flows: flows.filter((flow) => !rare.has(flow)), unread, cut: { flows: cut.flows + rare.size, sessions } };
}

function keyOf({ scope, session, source, destination, service, application }: LoggedSession, isLater: boolean): string {
  const { from, to, protocol, port, sourcePort, user, rule } = session;
  const own = sourcePort < DRAWN ? sourcePort : "";
  return [scope, from, to, source, destination, protocol, port, own, service, application, user, rule.uuid, rule.name, isLater].join("\0");
}

function sumOf(one: LoggedSession, other: LoggedSession, began: string): LoggedSession {
  const [a, b] = [one.session, other.session];
  return {
    ...one,
    session: {
      ...a,
      sourcePort: Math.min(a.sourcePort, b.sourcePort),
      lastSourcePort: Math.max(a.lastSourcePort ?? a.sourcePort, b.lastSourcePort ?? b.sourcePort),
    },
    began: began > one.began ? began : one.began,
    seen: other.seen > one.seen ? other.seen : one.seen,
    times: one.times + other.times,
    bytes: one.bytes + other.bytes,
  };
}
