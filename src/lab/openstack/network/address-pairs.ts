import { isObject, type Json, type JsonObject } from "../world/json.js";
import { ServiceError } from "../world/service-error.js";
import { parseAddress, parseBlock } from "./addresses.js";
import type { Check } from "./checks.js";
import { badRequest, conflict } from "./errors.js";

/** Another address that a port may send from. Without its own MAC address it uses the port's. */
export interface AddressPair {
  readonly mac_address: string;
  readonly ip_address: string;
}

const MOST = 10;
const MAC = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i;

/** Keeps the spelling of the request. */
export const addressPairs: Check = (value) => {
  if (value === null) return [];
  if (!Array.isArray(value)) throw badRequest("Allowed address pairs must be a list.");
  if (value.length > MOST) {
    throw new ServiceError(400, "AllowedAddressPairExhausted", `The number of allowed address pair exceeds the maximum ${MOST}.`);
  }
  const seen = new Set<string>();
  for (const pair of value) {
    const { ip, mac } = checked(pair);
    const key = `mac_address ${mac ?? "None"} ip_address ${ip}`;
    if (seen.has(key)) throw new ServiceError(400, "DuplicateAddressPairInRequest", `Request contains duplicate address pair: ${key}.`);
    seen.add(key);
  }
  return value;
};

function checked(pair: Json): { readonly ip: string; readonly mac: string | undefined } {
  if (!isObject(pair) || pair.ip_address === undefined) {
    throw new ServiceError(400, "AllowedAddressPairsMissingIP", "AllowedAddressPair must contain ip_address");
  }
  const { ip_address, mac_address, ...rest } = pair;
  const [ip, mac] = [String(ip_address), mac_address === undefined ? undefined : String(mac_address)];
  if (mac !== undefined && !MAC.test(mac)) throw badRequest(`'${mac}' is not a valid MAC address`);
  const isNetwork = ip.includes("/");
  if (isNetwork ? parseBlock(ip) === undefined : parseAddress(ip) === undefined)
    throw badRequest(`'${ip}' is not a valid IP ${isNetwork ? "subnet" : "address"}`);
  const unknown = Object.keys(rest);
  if (unknown.length > 0) throw badRequest(`Unrecognized attribute(s) '${unknown.join(", ")}'`);
  return { ip, mac };
}

/** Returns the pairs of a request, each with a MAC address, in the service's order. */
export function pairsOf({ allowed_address_pairs }: JsonObject, mac: string): AddressPair[] {
  const given = (Array.isArray(allowed_address_pairs) ? allowed_address_pairs : []) as unknown as Partial<AddressPair>[];
  const pairs = given.map((each) => ({ mac_address: each.mac_address ?? mac, ip_address: each.ip_address ?? "" }));
  const key = ({ mac_address, ip_address }: AddressPair): string => `${mac_address} ${ip_address}`;
  return pairs.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** @throws ServiceError if a port without port security has pairs */
export function demandPortSecurity(isSecure: boolean, pairs: readonly AddressPair[]): void {
  if (isSecure || pairs.length === 0) return;
  throw conflict("AddressPairAndPortSecurityRequired", "Port Security must be enabled in order to have allowed address pairs on a port.");
}
