import type { LedgerRecord } from "./ledger.js";

/** Returns the fingerprints of secrets by path. @throws Error that names the field and quotes no content */
export function fingerprintsOf(value: unknown): LedgerRecord["secrets"] {
  if (!isObject(value)) throw new Error("secrets is not an object");
  return Object.fromEntries(
    Object.entries(value).map(([path, pair]) => {
      if (!isObject(pair)) throw new Error("a fingerprint in secrets is not an object");
      return [path, { plain: stringOf(pair, "plain"), stored: stringOf(pair, "stored") }];
    }),
  );
}

/** A JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the text under `key`. @throws Error that names the field if it has another type. */
export function stringOf(value: Record<string, unknown>, key: string): string {
  const text = value[key];
  if (typeof text !== "string") throw new Error(`${key} is not text`);
  return text;
}

/** Returns the list of texts under `key`. @throws Error that names the field if it has another type. */
export function stringsOf(value: Record<string, unknown>, key: string): string[] {
  const list = value[key];
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) throw new Error(`${key} is not a list of texts`);
  return list;
}

/** An object of texts. */
export function textsOf(record: Record<string, unknown>, key: string): Record<string, string> {
  const value = record[key];
  if (!isObject(value)) throw new Error(`${key} is malformed`);
  const texts = Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  if (texts.length < Object.keys(value).length) throw new Error(`${key} is malformed`);
  return Object.fromEntries(texts);
}
