import type { KnownFiles } from "./known-files.js";
import { refusals } from "./refusal.js";
import type { Info } from "./xml.js";

const MAX_HASHES = 500;
const DAY = 24 * 3600 * 1000;

/** Fields of a form; a field that was not sent is absent. */
export type Fields = ReadonlyMap<string, string>;

/** Verdict of one hash: `get/verdict`. */
export function oneVerdict(fields: Fields, files: KnownFiles): Info[] {
  const hash = fields.get("hash")?.trim();
  if (hash === undefined || hash === "") throw refusals.missing();
  if (!isHash(hash)) throw refusals.hash();
  return infosOf(hash, files);
}

/** Verdicts of a list, one hash a line: `get/verdicts`. What is no hash is answered with -103 among the others. */
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

/** Verdicts that came up since a day of the last thirty: `get/verdicts/changed`. */
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

/** An entry that says no more than what was asked. */
function named(hash: string, verdict: number): Info {
  return hash.length === 32 ? { sha256: "", md5: hash, verdict } : { sha256: hash, md5: "", verdict };
}

function isHash(text: string): boolean {
  return /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/i.test(text);
}
