import { readJson } from "../../core/json/read-json.js";
import { isObject, stringOf } from "../ledger/fields.js";
import { NewerFormat } from "../ledger/newer-format.js";

const FORMAT = 1;

/** The stored lease of one target. */
export interface LeaseText {
  /** `formatRun` of the run that has it, or had it last. */
  readonly run: string;
  /** Who started that run, for people: `ann@noc-1`. */
  readonly who: string | undefined;
  /** Grows each time that the lease changes hands. */
  readonly counter: number;
  /** Grows with each renewal. */
  readonly beat: number;
  readonly held: boolean;
  /** Milliseconds without a renewal after which another run may take the lease. */
  readonly freeAfter: number;
  /** Time of writing by the clock of the store, in milliseconds since 1970. Undefined if the store has no clock. */
  readonly at: number | undefined;
}

/** A lease as JSON text. */
export function encodeLease(lease: LeaseText): string {
  return `${JSON.stringify({ format: FORMAT, ...lease }, null, 1)}\n`;
}

/** Parses the result of `encodeLease`. @throws Error with the reason; NewerFormat */
export function decodeLease(text: string): LeaseText {
  const value: unknown = readJson(text);
  if (!isObject(value)) throw new Error("not an object");
  if (value.format !== FORMAT) throw new NewerFormat(value.format);
  const { who, at } = value;
  return {
    run: stringOf(value, "run"),
    who: typeof who === "string" ? who : undefined,
    counter: numberOf(value, "counter"),
    beat: numberOf(value, "beat"),
    held: value.held === true,
    freeAfter: numberOf(value, "freeAfter"),
    at: typeof at === "number" ? at : undefined,
  };
}

function numberOf(value: Record<string, unknown>, key: string): number {
  const found = value[key];
  if (typeof found !== "number" || !Number.isFinite(found)) throw new Error(`${key} is not a number`);
  return found;
}
