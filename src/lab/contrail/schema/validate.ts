import { isObject, type Json, type JsonObject } from "../../../core/json/value.js";
import { networkOf } from "../addresses/network.js";
import { pythonText } from "../json/python.js";
import { COMPLEX_TYPES, type Member } from "./complex-types.js";

/** The error of a member's value, in the controller's words. Undefined for a valid value. */
export function flawOf(member: Member, value: Json, field: string): string | undefined {
  if (value === null) return undefined;
  if (member.list === true) {
    if (!Array.isArray(value)) return `Field ${field} must be a list. Received value: ${plainText(value)}`;
    return firstFlaw(value, (each) => singleFlaw(member, each, field));
  }
  return singleFlaw(member, value, field);
}

function singleFlaw({ type, values, range }: Member, value: Json, field: string): string | undefined {
  if (type === "boolean") return typeof value === "boolean" ? undefined : `${field}: true/false expected instead of ${plainText(value)}`;
  if (type === "integer") {
    if (!isInteger(value)) return `${field}: integer value expected instead of ${plainText(value)}`;
    const [least, most] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    return Number(value) >= least && Number(value) <= most ? undefined : `${field}: value must be between ${least} and ${most}`;
  }
  if (type === "string") {
    if (typeof value !== "string") return `${field}: string value expected instead of ${plainText(value)}`;
    return values === undefined || values.includes(value) ? undefined : `${field}: value must be one of ${pythonText([...values])}`;
  }
  const members = COMPLEX_TYPES[type];
  return members === undefined ? undefined : complexFlaw(type, members, value);
}

function complexFlaw(type: string, members: Readonly<Record<string, Member>>, value: Json): string | undefined {
  if (!isObject(value)) return `Expected a ${type}, found ${plainText(value)}`;
  const flaw = firstFlaw(Object.entries(value), ([name, each]) => {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined) return `class <class 'vnc_api.gen.resource_xsd.${type}'> does not have field ${name}`;
    return flawOf(member, each, name);
  });
  return flaw ?? (type === "SubnetType" ? subnetFlaw(value) : undefined);
}

/** Policies also use this type in their addresses, so the check applies to every use. */
function subnetFlaw(subnet: JsonObject): string | undefined {
  for (const key of ["ip_prefix", "ip_prefix_len"]) if (!(key in subnet)) return `'${key}'`;
  const { ip_prefix: prefix = null, ip_prefix_len: length = null } = subnet;
  if (prefix === null || length === null) return undefined;
  const network = typeof prefix === "string" ? networkOf(prefix, Number(length)) : undefined;
  return network === undefined ? `Subnet type '${plainText(prefix)}/${plainText(length)}' is invalid` : undefined;
}

/** A string of digits is accepted as a number. */
function isInteger(value: Json): boolean {
  return typeof value === "bigint" || Number.isInteger(value) || (typeof value === "string" && /^-?\d+$/.test(value));
}

function plainText(value: Json): string {
  return typeof value === "string" ? value : pythonText(value);
}

function firstFlaw<T>(items: Iterable<T>, flaw: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = flaw(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
