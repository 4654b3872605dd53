import type { Service } from "../options.js";

interface CatalogEndpoint {
  readonly id: string;
  readonly interface: "public" | "internal" | "admin";
  readonly region_id: string;
  readonly url: string;
  readonly region: string;
}

export interface CatalogEntry {
  readonly endpoints: readonly CatalogEndpoint[];
  readonly id: string;
  readonly type: string;
  readonly name: string;
}

const ENTRIES = [
  { service: "identity", type: "identity", name: "keystone" },
  { service: "network", type: "network", name: "neutron" },
  { service: "compute", type: "compute", name: "nova" },
  { service: "image", type: "image", name: "glance" },
  { service: "volume", type: "volumev3", name: "cinder" },
] as const;
const INTERFACES = ["public", "internal", "admin"] as const;

/** Returns the existing services. A missing service has no URL. */
function servedAt(urls: Readonly<Record<Service, string>>) {
  return ENTRIES.filter(({ service }) => urls[service] !== "");
}

/** Returns the v3 catalog: the URL of each service by region and interface. `urls` are the endpoints. */
export function catalogV3(urls: Readonly<Record<Service, string>>, regions: readonly string[]): CatalogEntry[] {
  return servedAt(urls).map(({ service, type, name }, at) => ({
    endpoints: regions.flatMap((region, r) =>
      INTERFACES.map((each, i) => ({ id: idOf(at, r, i + 1), interface: each, region_id: region, url: urls[service], region })),
    ),
    id: idOf(at, 0, 0),
    type,
    name,
  }));
}

/** Returns the catalog in the v2.0 format. */
export function catalogV2(urls: Readonly<Record<Service, string>>, regions: readonly string[]): unknown[] {
  return servedAt(urls).map(({ service, type, name }, at) => {
    const url = service === "identity" ? urls.identity.replace("/v3/", "/v2.0") : urls[service];
    const endpoints = regions.map((region, r) => ({ adminURL: url, region, internalURL: url, id: idOf(at, r, 1), publicURL: url }));
    return { endpoints, endpoints_links: [], type, name };
  });
}

function idOf(...parts: number[]): string {
  return parts
    .map((part) => part.toString(16).padStart(4, "0"))
    .join("")
    .padStart(32, "c");
}
