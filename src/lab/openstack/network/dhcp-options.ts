import { isObject, type Json } from "../world/json.js";
import { type Check, integer } from "./checks.js";
import { invalidInput } from "./errors.js";
import type { DhcpOption } from "./port.js";

/** Options that may have an empty value. */
const BLANK = new Set(["router", "classless-static-route"]);
const LONGEST_NAME = 64;
const LONGEST_VALUE = 255;

/** A null value removes an option in an update. */
export const dhcpOptions: Check = (value) => {
  if (value === null) return [];
  if (!Array.isArray(value)) throw invalidInput(`'${String(value)}' is not a list`);
  const texts = value.map((each) => JSON.stringify(each));
  if (new Set(texts).size < texts.length) throw invalidInput("Duplicate items in the list");
  return value.map(option);
};

function option(given: Json): Json {
  if (!isObject(given)) throw invalidInput("An option is not a dictionary");
  const { opt_name: name, opt_value: value, ip_version = 4, ...rest } = given;
  if (Object.keys(rest).length > 0) throw invalidInput(`Unexpected keys supplied: ${Object.keys(rest).join(", ")}`);
  if (value === undefined || !isLine(name, LONGEST_NAME)) throw invalidInput("Invalid data format for extra-dhcp-opt");
  const isEmptied = value === null || (value === "" && BLANK.has(name));
  if (!isEmptied && !isLine(value, LONGEST_VALUE)) throw invalidInput(`'${String(value)}' is not a valid value of the option ${name}`);
  const version = integer(ip_version, "ip_version");
  if (version !== 4 && version !== 6) throw invalidInput(`${version} is not in [4, 6]`);
  return { opt_name: name, opt_value: value, ip_version: version };
}

function isLine(value: Json | undefined, longest: number): value is string {
  return typeof value === "string" && value.trim() !== "" && !value.includes("\n") && value.length <= longest;
}

/** Returns the options of a port after a request. A request keeps the options that it does not name. */
export function changedOptions(before: readonly DhcpOption[], request: Json | undefined): DhcpOption[] {
  const options = [...before];
  for (const change of request as unknown as readonly (Omit<DhcpOption, "opt_value"> & { readonly opt_value: string | null })[]) {
    const at = options.findIndex(({ opt_name, ip_version }) => opt_name === change.opt_name && ip_version === change.ip_version);
    const { opt_value } = change;
    if (opt_value === null) {
      if (at >= 0) options.splice(at, 1);
    } else if (at >= 0) options[at] = { ...change, opt_value };
    else options.push({ ...change, opt_value });
  }
  return options;
}
