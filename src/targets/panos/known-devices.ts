import { readJson } from "../../core/json/read-json.js";
import type { Identity } from "../../plan/platform.js";
import type { Answers } from "./capabilities.js";

const FORMAT = 1;

/** A device with its version and supported commands. */
interface Known {
  readonly serial: string;
  readonly version: string | undefined;
  readonly answers: Answers;
  /** Plumbline's administrator name on it, by login (`OwnName`). */
  readonly names?: Readonly<Record<string, string>> | undefined;
}

/**
 * Remembers the supported commands of devices by address, in this process and from earlier ones. An entry is only valid for the same device
 * and version: after a replacement or an upgrade, the device is probed again.
 */
export class KnownDevices {
  readonly #at = new Map<string, Known>();

  /** Loads text that `textOf` returned in an earlier process. Existing entries are kept, and other text is ignored. */
  recall(text: string): void {
    for (const [origin, known] of knownIn(text)) if (!this.#at.has(origin)) this.#at.set(origin, known);
  }

  /** Returns the knowledge about these devices as text for a later process. Empty if nothing is known. */
  textOf(origins: readonly string[]): string {
    const rows = origins.flatMap((origin) => {
      const known = this.#at.get(origin);
      return known === undefined ? [] : [[origin, known] as const];
    });
    return rows.length === 0 ? "" : `${JSON.stringify({ format: FORMAT, devices: Object.fromEntries(rows) })}\n`;
  }

  /** Commands that the device last seen at this address supports. The current device may be another one. */
  lastSeen(origin: string): Answers | undefined {
    return this.#at.get(origin)?.answers;
  }

  /** Whether the device last seen at this address has this serial number and version. */
  holds(origin: string, { serial, version }: Identity): boolean {
    const known = this.#at.get(origin);
    return known !== undefined && known.serial === serial && known.version === version;
  }

  /** A device without a serial number cannot be recognized later, so it is not remembered. */
  remember(origin: string, identity: Identity, answers: Answers): void {
    const { serial, version } = identity;
    const names = this.holds(origin, identity) ? this.#at.get(origin)?.names : undefined;
    if (serial === undefined) this.#at.delete(origin);
    else this.#at.set(origin, { serial, version, answers, names });
  }

  /** Administrator name for a login on the device last seen at this address. */
  nameAt(origin: string, login: string): string | undefined {
    return this.#at.get(origin)?.names?.[login];
  }

  /** Remembers the name only for known devices that support locks: the run's own lock confirms the name each time. */
  rememberName(origin: string, login: string, name: string): void {
    const known = this.#at.get(origin);
    if (known?.answers.locks === true) this.#at.set(origin, { ...known, names: { ...known.names, [login]: name } });
  }
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
