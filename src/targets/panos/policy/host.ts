import { addressRange } from "../../../core/address-range.js";
import { rangeText } from "../../../reachability/format/format-addresses.js";

export interface Host {
  readonly text: string;
  /** A number from 0 to 2^128-1. IPv4 addresses use their own number. */
  readonly number: bigint;
  readonly isIpv6: boolean;
}

/** Undefined if the text is not a single address. */
export function hostOf(text: string): Host | undefined {
  const range = text.includes("-") ? undefined : addressRange(text);
  if (range === undefined || range.first !== range.last) return undefined;
  const [plain = ""] = text.split("/");
  return { text: plain, number: range.first, isIpv6: plain.includes(":") };
}

export function hostAt(number: bigint): Host {
  const text = rangeText({ first: number, last: number });
  return { text, number, isIpv6: text.includes(":") };
}
