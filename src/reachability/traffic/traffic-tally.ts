import type { Disagreement, ScopeTraffic, TrafficRow } from "../../outcome/traffic.js";
import { formatDecidingRules } from "../changes/format-row.js";
import type { Rule } from "../flows/policy.js";
import type { Replayed } from "../flows/replay.js";
import type { LoggedSession } from "../policy-role.js";

/** Maximum numbers of entries in a report. */
const ROWS = 100;
const SOURCES = 20;
const DISAGREEMENTS = 20;
/** Maximum number of rows, and of sources per row, while counting. Sessions beyond are only counted. */
const MOST = 10_000;

type Counted = "opened" | "closed" | "mayChange" | "disagree" | "older";

/** Counts the replayed sessions of one rulebase. */
export class TrafficTally {
  readonly #scope: string;
  readonly #lastCommit: string | undefined;
  #sessions = 0;
  readonly #counts: Record<Counted, number> = { opened: 0, closed: 0, mayChange: 0, disagree: 0, older: 0 };
  readonly #rows = new Map<string, Row>();
  #beyond = 0;
  readonly #disagreements = new Map<string, Mutable<Disagreement>>();

  /** `lastCommit`: by the target's clock. Undefined if unknown. */
  constructor(scope: string, lastCommit: string | undefined) {
    this.#scope = scope;
    this.#lastCommit = lastCommit;
  }

  add(logged: LoggedSession, replayed: Replayed): void {
    this.#sessions += logged.times;
    if (!replayed.agrees) this.#disagree(logged, replayed);
    if (replayed.effect === "same") return;
    const change = changeOf(replayed);
    this.#counts[change === "may change" ? "mayChange" : change] += logged.times;
    const key = rowKey(logged, replayed, change);
    const row = this.#rows.get(key) ?? new Row(logged, replayed, change);
    if (this.#rows.size < MOST) this.#rows.set(key, row);
    else if (!this.#rows.has(key)) this.#beyond++;
    row.add(logged);
  }

  /** `rules`: the current rules. */
  result(rules: readonly Rule[]): ScopeTraffic {
    const rows = [...this.#rows.values()].map((row) => row.row()).sort((a, b) => b.sessions - a.sessions);
    return {
      scope: this.#scope,
      sessions: this.#sessions,
      ...this.#counts,
      rows: rows.slice(0, ROWS),
      more: Math.max(0, rows.length - ROWS) + this.#beyond,
      disagreements: [...this.#disagreements.values()].sort((a, b) => b.sessions - a.sessions).slice(0, DISAGREEMENTS),
      rulesThatLog: rules.filter(({ isLogged }) => isLogged !== false).length,
      rules: rules.length,
    };
  }

  #disagree(logged: LoggedSession, { before }: Replayed): void {
    const { session, times } = logged;
    if (this.#lastCommit === undefined || logged.began <= this.#lastCommit) {
      this.#counts.older += times;
      return;
    }
    this.#counts.disagree += times;
    const model = before.map(({ key }) => key.name);
    const key = JSON.stringify([session.rule.name, ...model]);
    const known = this.#disagreements.get(key);
    if (known !== undefined) known.sessions += times;
    else if (this.#disagreements.size < MOST)
      this.#disagreements.set(key, { logged: session.rule.name, model, sessions: times, example: sessionText(logged) });
  }
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

function changeOf({ effect, verdicts: [, after] }: Replayed): TrafficRow["change"] {
  if (effect !== "changed" || after === undefined) return "may change";
  return after === "allow" ? "opened" : "closed";
}

function rowKey({ session, destination, service, application }: LoggedSession, { before, after }: Replayed, change: string): string {
  const names = (rules: readonly Rule[]) => rules.map(({ key }) => [key.level, key.group, key.name]);
  return JSON.stringify([change, session.from, session.to, destination, service, application, names(before), names(after)]);
}

/** `office > db  10.1.0.4 > 10.2.0.13  tcp/5432 · postgres`. */
function sessionText({ session: { from, to }, source, destination, service, application }: LoggedSession): string {
  return `${from} > ${to}  ${source} > ${destination}  ${service} · ${application}`;
}

class Row {
  readonly #first: LoggedSession;
  readonly #replayed: Replayed;
  readonly #change: TrafficRow["change"];
  readonly #sources = new Set<string>();
  #sessions = 0;
  #bytes = 0;
  #last = "";

  constructor(first: LoggedSession, replayed: Replayed, change: TrafficRow["change"]) {
    this.#first = first;
    this.#replayed = replayed;
    this.#change = change;
  }

  add({ source, times, bytes, seen }: LoggedSession): void {
    if (this.#sources.size < MOST) this.#sources.add(source);
    this.#sessions += times;
    this.#bytes += bytes;
    if (seen > this.#last) this.#last = seen;
  }

  row(): TrafficRow {
    const { session, destination, service, application } = this.#first;
    const { before, after, verdicts } = this.#replayed;
    const sources = [...this.#sources].sort();
    return {
      change: this.#change,
      from: session.from,
      to: session.to,
      sources: sources.slice(0, SOURCES),
      moreSources: Math.max(0, sources.length - SOURCES),
      destination,
      service,
      application,
      sessions: this.#sessions,
      bytes: this.#bytes,
      last: this.#last,
      was: formatDecidingRules({ verdict: verdicts[0] ?? "unknown", rules: before }),
      now: formatDecidingRules({ verdict: verdicts[1] ?? "unknown", rules: after }),
    };
  }
}
