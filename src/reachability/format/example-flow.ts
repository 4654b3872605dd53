import type { ExampleFlow } from "../../outcome/insight.js";
import type { AddressRange } from "../flows/policy.js";
import type { Region } from "../flows/region.js";
import { addressText } from "./format-addresses.js";
import { formatServices } from "./format-services.js";

const FOUR = { first: 0n, last: (1n << 32n) - 1n };
const SIX = { first: 1n << 32n, last: (1n << 128n) - 1n };
/** Addresses for documentation (RFC 5737, RFC 3849). Preferred, because they show that the side is not restricted. */
const SOURCES = [0xc6336407n, (0x20010db8n << 96n) | 7n];
const DESTINATIONS = [0xc0000250n, (0x20010db8n << 96n) | 80n];
/** Preferred services, as protocol and port. */
const SERVICES = [
  [6, 443],
  [6, 80],
  [6, 22],
  [17, 53],
] as const;
const WITH_PORTS: ReadonlySet<number> = new Set([6, 17, 132]);

/** Returns one flow of a region. */
export function exampleFlow(region: Region): ExampleFlow {
  const { unrestricted, zones, sourcePorts, applications, users } = region;
  const [pair] = zones;
  return {
    ...(unrestricted.has("zones") ? {} : { from: pair?.from[0], to: pair?.to[0] }),
    ...addressesIn(region),
    service: serviceIn(region.services),
    ...(unrestricted.has("sourcePort") ? {} : { sourcePort: sourcePorts[0]?.last }),
    ...(unrestricted.has("application") ? {} : { application: applications[0] }),
    ...(unrestricted.has("user") ? {} : { user: users[0] }),
  };
}

/** Returns a source and a destination of the same IP family, if possible. */
function addressesIn({ source, destination }: Region): Pick<ExampleFlow, "source" | "destination"> {
  const families = [FOUR, SIX].map((family) => [within(source, family), within(destination, family)] as const);
  const [from, to] = families.find((sides) => sides.every((side) => side.length > 0)) ?? [source, destination];
  return { source: addressText(addressIn(from, SOURCES)), destination: addressText(addressIn(to, DESTINATIONS)) };
}

function within(ranges: readonly AddressRange[], family: AddressRange): AddressRange[] {
  const larger = (a: bigint, b: bigint) => (a > b ? a : b);
  return ranges
    .map(({ first, last }) => ({ first: larger(first, family.first), last: -larger(-last, -family.last) }))
    .filter(({ first, last }) => first <= last);
}

function addressIn(ranges: readonly AddressRange[], preferred: readonly bigint[]): bigint {
  const found = preferred.find((address) => ranges.some(({ first, last }) => first <= address && address <= last));
  if (found !== undefined) return found;
  const [{ first, last }] = ranges as [AddressRange];
  // The first address of a network is not a host.
  return last - first > 1n ? first + 1n : first;
}

function serviceIn(services: Region["services"]): string {
  const found = SERVICES.find(([protocol, port]) =>
    services.some((each) => each.protocol === protocol && each.first <= port && port <= each.last),
  );
  if (found !== undefined) return formatServices([{ protocol: found[0], first: found[1], last: found[1] }]);
  const each = services.find(({ protocol }) => WITH_PORTS.has(protocol)) ?? services[0];
  if (each === undefined) throw new Error("A region has a service.");
  return formatServices([{ ...each, last: WITH_PORTS.has(each.protocol) ? each.first : each.last }]);
}
