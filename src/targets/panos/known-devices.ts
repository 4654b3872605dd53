import { readJson } from "../../core/json/read-json.js";
import type { Identity } from "../../plan/platform.js";
import type { Answers } from "./capabilities.js";
import type { KeptTimes } from "./commit/job-times.js";
import { boundsIn } from "./commit/look-bounds.js";

const FORMAT = 1;

/** By kind of job. */
type Times = Readonly<Record<string, KeptTimes>>;

/** A box with a version, and what that answers to. */
interface Known {
  readonly serial: string;
  readonly version: string | undefined;
  readonly answers: Answers;
  /** Our own name on it, by login (`OwnName`). */
  readonly names?: Readonly<Record<string, string>> | undefined;
}

/**
 * What devices answer to, by address, as this process learned it or one before it. It holds for the very box with the very version that
 * it was asked of: another one behind the same address, or an upgrade, is asked again.
 */
export class KnownDevices {
  readonly #at = new Map<string, Known>();

  /** Takes in what `textOf` gave a process before, of what this one knows nothing of. What is no such text says nothing. */
  recall(text: string): void {
    for (const [origin, known] of knownIn(text)) if (!this.#at.has(origin)) this.#at.set(origin, known);
  }

  /** What is known of these, for a process to come, and what their jobs took; empty where that is nothing. */
  textOf(origins: readonly string[], times: (origin: string) => Times = () => ({})): string {
    const rows = origins.flatMap((origin) => {
      const known = this.#at.get(origin);
      return known === undefined ? [] : [[origin, { ...known, ...writtenTimes(times(origin)) }] as const];
    });
    return rows.length === 0 ? "" : `${JSON.stringify({ format: FORMAT, devices: Object.fromEntries(rows) })}\n`;
  }

  /** What the box that was last seen there answers to; who is there now has to be asked. */
  lastSeen(origin: string): Answers | undefined {
    return this.#at.get(origin)?.answers;
  }

  /** Whether what was last seen there was this box with this version. */
  holds(origin: string, { serial, version }: Identity): boolean {
    const known = this.#at.get(origin);
    return known !== undefined && known.serial === serial && known.version === version;
  }

  /** A box that does not say which one it is cannot be known again. */
  remember(origin: string, identity: Identity, answers: Answers): void {
    const { serial, version } = identity;
    const names = this.holds(origin, identity) ? this.#at.get(origin)?.names : undefined;
    if (serial === undefined) this.#at.delete(origin);
    else this.#at.set(origin, { serial, version, answers, names });
  }

  /** The name that the box which was last seen there knows a login by. */
  nameAt(origin: string, login: string): string | undefined {
    return this.#at.get(origin)?.names?.[login];
  }

  /** Of a box that is known, and where our own lock shows in each run whether we still have that name. */
  rememberName(origin: string, login: string, name: string): void {
    const known = this.#at.get(origin);
    if (known?.answers.locks === true) this.#at.set(origin, { ...known, names: { ...known.names, [login]: name } });
  }
}

/** In two, since versions before know no `looks`. */
function writtenTimes(times: Times): { readonly took: Readonly<Record<string, number>>; readonly looks?: unknown } {
  const took = Object.fromEntries(Object.entries(times).map(([kind, each]) => [kind, each.took]));
  const looks = Object.entries(times).flatMap(([kind, { bounds }]) => (bounds === undefined ? [] : [[kind, bounds] as const]));
  return { took, looks: looks.length === 0 ? undefined : Object.fromEntries(looks) };
}

/** What is known of the jobs of each device, in a text that `textOf` gave. */
export function timesIn(text: string): (readonly [origin: string, Times])[] {
  return knownIn(text).map(([origin, known]) => {
    const took = "took" in known && isObject(known.took) ? Object.entries(known.took) : [];
    const looks = "looks" in known && isObject(known.looks) ? known.looks : {};
    const times = took.flatMap(([kind, value]) =>
      typeof value === "number" ? [[kind, { took: value, bounds: boundsIn(looks[kind]) }] as const] : [],
    );
    return [origin, Object.fromEntries(times)];
  });
}

function knownIn(text: string): (readonly [origin: string, known: Known])[] {
  try {
    const read: unknown = readJson(text);
    if (!isObject(read) || read.format !== FORMAT || !isObject(read.devices)) return [];
    return Object.entries(read.devices).flatMap(([origin, known]) => (isKnown(known) ? [[origin, known] as const] : []));
  } catch {
    return [];
  }
}

function isKnown(known: unknown): known is Known {
  if (!isObject(known) || typeof known.serial !== "string" || !["string", "undefined"].includes(typeof known.version)) return false;
  const { answers, names = {} } = known;
  if (!isObject(names) || !Object.values(names).every((name) => typeof name === "string")) return false;
  return isObject(answers) && ANSWERS.every((name) => typeof answers[name] === "boolean");
}

const ANSWERS: readonly (keyof Answers)[] = ["changeList", "locks", "pendingCheck", "show"];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
