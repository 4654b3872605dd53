import type { JsonObject } from "../../../core/json/value.js";

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The form with dashes, in lower case, of 32 hexadecimal digits with or without them. */
export function dashed(text: string): string {
  const digits = text.replaceAll("-", "").toLowerCase();
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join("-");
}

/** As tenants are written: no dashes. */
export function undashed(uuid: string): string {
  return uuid.replaceAll("-", "");
}

/** Both halves as unsigned 64-bit integers. They exceed 2^53, so they are `bigint` always. */
export function uuidHalves(uuid: string): JsonObject {
  const digits = undashed(uuid);
  return { uuid_mslong: BigInt(`0x${digits.slice(0, 16)}`), uuid_lslong: BigInt(`0x${digits.slice(16)}`) };
}
