import { PlumblineError } from "../../../core/errors.js";
import type { ServiceType } from "../client/request.js";
import type { CloudSettings } from "../clouds/settings.js";
import type { CloudSession } from "../identity/cloud-session.js";
import type { Endpoint } from "./catalog.js";

/** Names of a service type in catalogs, the usual one first. */
const ALIASES: Readonly<Record<ServiceType, readonly string[]>> = {
  identity: ["identity"],
  network: ["network"],
  compute: ["compute", "computev21", "compute_legacy"],
  image: ["image", "imagev2"],
  volume: ["block-storage", "volumev3", "volumev2"],
};

/**
 * Returns the address of a service: the override, otherwise the first catalog entry with its type, interface and region.
 * @throws PlumblineError `service-not-in-catalog`
 */
export function serviceUrl(service: ServiceType, session: CloudSession, settings: CloudSettings, target: string): URL {
  const override = [service, ...ALIASES[service]].map((type) => settings.endpoints.get(type)).find((url) => url !== undefined);
  const url = override ?? findEndpoint(service, session.endpoints, settings)?.url;
  if (url !== undefined && /^https?:/i.test(url) && URL.canParse(url)) return new URL(url);
  const region = settings.region === undefined ? "" : ` in region ${settings.region}`;
  const reason = url === undefined ? "has no" : "has an unreadable";
  throw new PlumblineError("service-not-in-catalog", `the cloud ${reason} ${settings.interface} address of a ${service} service${region}`, {
    where: { target },
    next: `${adviceOf(service, session.endpoints)} Correct interface or region, or set the address in endpoints of the target.`,
  });
}

function findEndpoint(service: ServiceType, endpoints: readonly Endpoint[], settings: CloudSettings): Endpoint | undefined {
  const fits = endpoints.filter(
    (each) => each.interface === settings.interface && (settings.region === undefined || each.region === settings.region),
  );
  for (const alias of ALIASES[service]) {
    const found = fits.find(({ type }) => type === alias);
    if (found !== undefined) return found;
  }
  return undefined;
}

function adviceOf(service: ServiceType, endpoints: readonly Endpoint[]): string {
  if (endpoints.length === 0) return "The catalog is empty.";
  const own = endpoints.filter(({ type }) => ALIASES[service].includes(type));
  if (own.length === 0) return `The catalog has: ${[...new Set(endpoints.map(({ type }) => type))].join(", ")}.`;
  const places = own.map((each) => `${each.interface}${each.region === undefined ? "" : ` in ${each.region}`}`);
  return `The catalog has this service as: ${[...new Set(places)].join(", ")}.`;
}
