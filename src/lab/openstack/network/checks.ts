import { isObject, type Json } from "../world/json.js";
import { formatAddress, formatBlock, parseAddress, parseBlock } from "./addresses.js";
import { invalidAttribute, invalidInput } from "./errors.js";

/** Validates a value of a request and returns the value to store. Throws the service's refusal. */
export type Check = (value: Json, name: string) => Json;

export const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

export const text: Check = (value, name) => {
  if (typeof value !== "string") throw invalidAttribute(name, `'${show(value)}' is not a valid string`);
  if (value.length > 255) throw invalidAttribute(name, `'${value}' exceeds maximum length of 255`);
  return value;
};

export const flag: Check = (value) => {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" || typeof value === "number" ? String(value).toLowerCase() : "";
  if (["1", "t", "true", "on", "y", "yes"].includes(word)) return true;
  if (["0", "f", "false", "off", "n", "no"].includes(word)) return false;
  throw invalidInput(`'${show(value)}' cannot be converted to boolean`);
};

export const integer: Check = (value) => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) throw invalidInput(`'${show(value)}' is not an integer`);
  return number;
};

export const uuid: Check = (value, name) => {
  if (typeof value !== "string" || !UUID.test(value)) throw invalidAttribute(name, `'${show(value)}' is not a valid UUID`);
  return value;
};

export const address: Check = (value, name) => {
  if (typeof value !== "string" || parseAddress(value) === undefined) {
    throw invalidAttribute(name, `'${show(value)}' is not a valid IP address`);
  }
  return value;
};

/** An IP address. The service stores it in its shortest form. */
export const storedAddress: Check = (value, name) => {
  const parsed = typeof value === "string" ? parseAddress(value) : undefined;
  return parsed === undefined ? address(value, name) : formatAddress(parsed);
};

export const nameserver: Check = (value, name) => {
  if (typeof value !== "string" || parseAddress(value) === undefined) {
    throw invalidAttribute(name, `'${show(value)}' is not a valid nameserver. '${show(value)}' is not a valid IP address`);
  }
  return value;
};

const subnetCidr: Check = (value, name) => {
  const text = typeof value === "string" ? value.trim() : "";
  if (!text.includes("/") || parseBlock(text) === undefined) throw invalidAttribute(name, `'${show(value)}' is not a valid IP subnet`);
  return text;
};

/** The network of a subnet, without host bits. The service completes an address without a prefix length, and short IPv4 networks. */
export const canonicalCidr: Check = (value) => {
  const [base = "", ...length] = typeof value === "string" ? value.trim().split("/") : [];
  const octets = /^\d+(\.\d+){0,2}$/.test(base) ? [...base.split("."), "0", "0", "0"].slice(0, 4).join(".") : base;
  const block = parseBlock([octets, ...length].join("/"));
  if (block === undefined) throw invalidInput(`The cidr '${show(value)}' is not a valid IP network`);
  return formatBlock(block);
};

/** The destination of a route: a network without host bits. The service keeps the spelling. */
export const destination: Check = (value, name) => {
  const cidr = String(subnetCidr(value, name));
  const [base = "", length] = cidr.split("/");
  const [block, host] = [parseBlock(cidr), parseAddress(base)];
  if (block === undefined || host?.value === block.first) return cidr;
  throw invalidAttribute(name, `'${base}/${length}' is not a recognized CIDR, '${formatBlock(block)}' is recommended`);
};

/** A list of networks. A network without a prefix length is refused with a recommendation to add it. */
export const subnetCidrs: Check = (value, name) => {
  if (!Array.isArray(value)) throw invalidAttribute(name, `'${String(value)}' is not a list`);
  return value.map((each: Json) => {
    const isAddress = typeof each === "string" && !each.includes("/") && parseBlock(each) !== undefined;
    if (isAddress) throw invalidAttribute(name, `'${each}' isn't a recognized IP subnet cidr, '${each}/32' is recommended`);
    return subnetCidr(each, name);
  });
};

/** A MAC address in one of the notations that the service accepts. The service keeps the spelling. */
export const mac: Check = (value, name) => {
  const digits = typeof value === "string" ? macDigits(value.toLowerCase()) : undefined;
  if (digits === undefined || /^0+$/.test(digits)) throw invalidAttribute(name, `'${show(value)}' is not a valid MAC address`);
  return value;
};

/** Returns the twelve digits of six octets, of three groups of up to four digits, or of text without separators. */
export function macDigits(text: string): string | undefined {
  const isSix = /^[0-9a-f]{1,2}(([:-])[0-9a-f]{1,2})(\2[0-9a-f]{1,2}){4}$/.test(text);
  if (isSix || /^[0-9a-f]{1,4}([:.-])[0-9a-f]{1,4}\1[0-9a-f]{1,4}$/.test(text)) {
    const groups = text.split(/[:.-]/);
    return groups.map((group) => group.padStart(12 / groups.length, "0")).join("");
  }
  return /^[0-9a-f]{12}$/.test(text) ? text : undefined;
}

/** Accepts one of the values. Ignores the case of text and returns the listed spelling. */
export function oneOf(...values: readonly Json[]): Check {
  return (value, name) => {
    const found = values.find((each) => each === value || String(each).toLowerCase() === String(value).toLowerCase());
    if (found === undefined) throw invalidAttribute(name, `${show(value)} is not in valid_values`);
    return found;
  };
}

export function nullOr(check: Check): Check {
  return (value, name) => (value === null ? null : check(value, name));
}

/** Stores an empty list for null. */
export function emptyIfNull(check: Check): Check {
  return (value, name) => (value === null ? [] : check(value, name));
}

/** Refuses a list that contains an element twice. */
export function unique(check: Check, what: string): Check {
  return (value, name) => {
    const checked = check(value, name);
    const texts = (Array.isArray(checked) ? checked : []).map((each) => JSON.stringify(each));
    const twice = texts.find((each, index) => texts.indexOf(each) !== index);
    if (twice !== undefined) throw invalidAttribute(name, `Duplicate ${what} '${twice}'`);
    return checked;
  };
}

export function listOf(check: Check): Check {
  return (value, name) => {
    if (!Array.isArray(value)) throw invalidAttribute(name, `'${show(value)}' is not a list`);
    return value.map((each) => check(each, name));
  };
}

/** An object with exactly these keys, or with some of them if `optional`. */
export function record(checks: Readonly<Record<string, Check>>, optional = false): Check {
  const expected = Object.keys(checks);
  return (value, name) => {
    if (!isObject(value)) throw invalidAttribute(name, `'${show(value)}' is not a dictionary`);
    const provided = Object.keys(value);
    if (provided.some((key) => checks[key] === undefined) || (!optional && provided.length < expected.length)) {
      const [wanted, given] = [expected, provided].map((keys) => `{${keys.map((key) => `'${key}'`).join(", ")}}`);
      throw invalidAttribute(name, `Validation of dictionary's keys failed. Expected keys: ${wanted} Provided keys: ${given}`);
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, checks[key]?.(each, name) ?? each]));
  };
}

export const anything: Check = (value) => value;

function show(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
