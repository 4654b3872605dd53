import type { Identity } from "../../plan/platform.js";
import type { Answers } from "./capabilities.js";

const FORMAT = 1;

/** A box with a version, and what that answers to. */
interface Known {
  readonly serial: string;
  readonly version: string | undefined;
  readonly answers: Answers;
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

  /** What is known of these, for a process to come; empty where that is nothing. */
  textOf(origins: readonly string[]): string {
    const rows = origins.flatMap((origin) => (this.#at.has(origin) ? [[origin, this.#at.get(origin)]] : []));
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
  remember(origin: string, { serial, version }: Identity, answers: Answers): void {
    if (serial !== undefined) this.#at.set(origin, { serial, version, answers });
  }
}

function knownIn(text: string): (readonly [origin: string, known: Known])[] {
  try {
    const read: unknown = JSON.parse(text);
    if (!isObject(read) || read.format !== FORMAT || !isObject(read.devices)) return [];
    return Object.entries(read.devices).flatMap(([origin, known]) => (isKnown(known) ? [[origin, known] as const] : []));
  } catch {
    return [];
  }
}

function isKnown(known: unknown): known is Known {
  if (!isObject(known) || typeof known.serial !== "string" || !["string", "undefined"].includes(typeof known.version)) return false;
  const { answers } = known;
  return isObject(answers) && ANSWERS.every((name) => typeof answers[name] === "boolean");
}

const ANSWERS: readonly (keyof Answers)[] = ["changeList", "locks", "pendingCheck", "show"];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
