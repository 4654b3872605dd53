import type { ServiceRequest } from "../http/request.js";
import { badRequest, notAcceptable } from "./errors.js";

const MINIMUM = 1;
export const MAXIMUM = 93;

/** Returns the minor version of a request: `2.93` is 93. Paths of `/v2` are always 2.1 and ignore the header. */
export function microversion({ path, headers }: ServiceRequest): number {
  if (path[0] !== "v2.1") return MINIMUM;
  const modern = /^compute\s+(.+)$/.exec(headers["openstack-api-version"]?.trim() ?? "")?.[1];
  const wanted = modern ?? headers["x-openstack-nova-api-version"]?.trim();
  if (wanted === undefined) return MINIMUM;
  if (wanted === "latest") return MAXIMUM;
  const minor = /^2\.([1-9]\d*)$/.exec(wanted)?.[1];
  if (minor === undefined && !/^\d+\.\d+$/.test(wanted)) {
    throw badRequest(`API Version String ${wanted} is of invalid format. Must be of format MajorNum.MinorNum.`);
  }
  if (minor === undefined || Number(minor) > MAXIMUM) {
    throw notAcceptable(`Version ${wanted} is not supported by the API. Minimum is 2.${MINIMUM} and maximum is 2.${MAXIMUM}.`);
  }
  return Number(minor);
}

/** Returns the headers that report the version of a reply. */
export function versionHeaders(version: number): Record<string, string> {
  return {
    "openstack-api-version": `compute 2.${version}`,
    "x-openstack-nova-api-version": `2.${version}`,
    vary: "OpenStack-API-Version, X-OpenStack-Nova-API-Version",
  };
}
