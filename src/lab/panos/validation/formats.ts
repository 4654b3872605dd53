import { isIP, isIPv4, isIPv6 } from "node:net";

/** Returns the error text that devices print after the name of the leaf, or undefined if the value is valid. */
export type ValueCheck = (value: string) => string | undefined;

/** An IPv4 or IPv6 address, optionally with a prefix length. IPv4 also accepts a netmask. */
export const ipNetmask: ValueCheck = (value) => (isNetmask(value) ? undefined : `${value} is an invalid ipv4/v6 address`);

export const ipRange: ValueCheck = (value) => {
  const [from = "", to = "", more] = value.split("-");
  const family = isIP(from);
  return family !== 0 && family === isIP(to) && more === undefined ? undefined : `${value} is an invalid ip range`;
};

export const ipWildcard: ValueCheck = (value) => {
  const [address = "", mask = ""] = value.split("/");
  return isIPv4(address) && isIPv4(mask) ? undefined : `${value} is an invalid wildcard mask`;
};

export const fqdn: ValueCheck = (value) =>
  value.length <= 255 && /^[A-Za-z0-9_*]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/.test(value) ? undefined : "is invalid";

export const ipv4: ValueCheck = (value) => (isIPv4(value) ? undefined : `${value} is an invalid ipv4 address`);

/** Ports and port ranges separated by commas, at most 1,023 characters. */
export const ports: ValueCheck = (value) => {
  if (value.length > 1023) return `can be at most 1023 characters, but current length: ${value.length}`;
  return value.split(",").every(isPortOrRange) ? undefined : "is invalid";
};

export const oneOf =
  (...words: string[]): ValueCheck =>
  (value) =>
    words.includes(value) ? undefined : `'${value}' is not an allowed keyword`;

export const yesNo: ValueCheck = oneOf("yes", "no");

export const between =
  (low: number, high: number): ValueCheck =>
  (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    return number >= low && number <= high ? undefined : `value=${value} should be equal to or between ${low} and ${high}`;
  };

export const atMost =
  (limit: number): ValueCheck =>
  (value) =>
    value.length <= limit ? undefined : `can be at most ${limit} characters, but current length: ${value.length}`;

function isNetmask(value: string): boolean {
  const [address = "", prefix, more] = value.split("/");
  if (more !== undefined) return false;
  if (prefix === undefined) return isIP(address) !== 0;
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (isIPv4(address)) return (bits >= 0 && bits <= 32) || isIPv4(prefix);
  return isIPv6(address) && bits >= 0 && bits <= 128;
}

function isPortOrRange(text: string): boolean {
  const match = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(text);
  if (match === null) return false;
  const from = Number(match[1]);
  const to = match[2] === undefined ? from : Number(match[2]);
  return from <= to && to <= 65535;
}
