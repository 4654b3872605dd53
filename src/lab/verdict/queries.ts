import type { KnownFiles } from "./known-files.js";
import { refusals } from "./refusal.js";
import type { Info } from "./xml.js";

const MAX_HASHES = 500;
const DAY = 24 * 3600 * 1000;

/** Fields of a form. Fields that were not sent are absent. */
export type Fields = ReadonlyMap<string, string>;

/** `get/verdict`: returns the verdict of one hash. */
export function oneVerdict(fields: Fields, files: KnownFiles): Info[] {
  const hash = fields.get("hash")?.trim();
  if (hash === undefined || hash === "") throw refusals.missing();
  if (!isHash(hash)) throw refusals.hash();
  return infosOf(hash, files);
}

/** `get/verdicts`: returns the verdicts of a list with one hash per line. An invalid hash gets the verdict -103. */
export function manyVerdicts(fields: Fields, files: KnownFiles): Info[] {
  const list = fields.get("file");
  if (list === undefined) throw refusals.missing("file");
  const hashes = list
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (hashes.length === 0) throw refusals.empty();
  if (hashes.length > MAX_HASHES) throw refusals.tooMany(MAX_HASHES);
  return hashes.flatMap((hash) => (isHash(hash) ? infosOf(hash, files) : [named(hash, -103)]));
}

/** `get/verdicts/changed`: returns verdicts that were set since a date in the last 30 days. */
export function changedVerdicts(fields: Fields, files: KnownFiles, now: number): Info[] {
  const date = fields.get("date")?.trim();
  if (date === undefined || date === "") throw refusals.missing("date");
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(time)) throw refusals.dateFormat();
  if (time > now || now - time > 31 * DAY) throw refusals.date();
  return [...files.since(time)];
}

function infosOf(hash: string, files: KnownFiles): Info[] {
  const found = files.find(hash);
  return found.length > 0 ? [...found] : [named(hash, -102)];
}

/** Returns an entry that contains only the given hash and a verdict. */
function named(hash: string, verdict: number): Info {
  return hash.length === 32 ? { sha256: "", md5: hash, verdict } : { sha256: hash, md5: "", verdict };
}

function isHash(text: string): boolean {
  return /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/i.test(text);
}
