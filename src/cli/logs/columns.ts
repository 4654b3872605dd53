import { PlumblineError } from "../../core/errors.js";
import type { LogRecord } from "../../reachability/policy-target.js";
import { LOG_COLUMNS } from "../../targets/panos/log-types.js";

/** Maximum number of columns for a log type without known columns. */
const SOME = 8;

export function parseColumns(text: string): readonly string[] {
  const columns = text.split(",").map((name) => name.trim());
  if (columns.every((name) => /^[\w.-]+$/.test(name))) return columns;
  throw new PlumblineError("option-invalid", `--columns "${text}" is not a list of fields.`, {
    next: "Separate names by commas, for example receive_time,src,dst,action; --format json shows all fields.",
  });
}

/** Returns the columns of a type. A table only gets columns that its first records have, so that no empty columns take up space. */
export function usualColumns(type: string, records: readonly LogRecord[]): readonly string[] {
  const usual = LOG_COLUMNS.get(type) ?? [];
  if (records.length === 0) return usual;
  const filled = new Set(records.flatMap((record) => [...record].filter(([, value]) => value !== "").map(([field]) => field)));
  const found = usual.filter((column) => filled.has(column));
  return found.length > 1 ? found : [...filled].filter((field) => field !== "logid").slice(0, SOME);
}
