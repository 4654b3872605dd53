import type { ErrorText } from "./error-text.js";
import type { RefusalKind } from "./openstack-error.js";
import type { ServiceType } from "./request.js";

const BY_STATUS: ReadonlyMap<number, RefusalKind> = new Map([
  [400, "invalid"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not-found"],
  [405, "not-offered"],
  [406, "not-offered"],
  [409, "conflict"],
  [410, "not-offered"],
  [412, "changed"],
  [413, "too-large"],
  [415, "invalid"],
  [422, "invalid"],
  [429, "rate-limited"],
  [500, "failed"],
  [501, "not-offered"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "unavailable"],
]);

/** Conflicts about a value that another object has. No delete in another order resolves them. */
const VALUE_IN_USE: ReadonlySet<string> = new Set([
  "IpAddressInUse",
  "MacAddressInUse",
  "VlanIdInUse",
  "TunnelIdInUse",
  "FlatNetworkInUse",
]);

/**
 * Returns the reason of a refusal. Undefined if the reply is not from the service: a page or a text with "not found" may come from a proxy
 * and proves nothing about the object.
 */
export function classify(service: ServiceType, status: number, words: ErrorText, retryAfter: string | undefined): RefusalKind | undefined {
  const refusal = BY_STATUS.get(status);
  switch (refusal) {
    case "not-found":
      // Another client removed the subport after the last read.
      if (words.type === "SubPortNotFound") return "changed";
      return words.form === "service" || (words.form === "text" && service === "image") ? refusal : undefined;
    case "forbidden":
      return /^quota exceeded\b/i.test(words.text) ? "quota" : refusal;
    case "conflict":
      return conflict(words);
    case "failed":
      // The network service reports a full pool this way.
      return words.type === "SubnetAllocationError" ? "conflict" : refusal;
    case "too-large":
      // The volume service also sends Retry-After for an exhausted quota.
      return /quota/i.test(words.text) ? "quota" : retryAfter !== undefined ? "rate-limited" : refusal;
    case "changed":
    case "invalid":
      return words.form === "page" ? undefined : refusal;
    default:
      return refusal;
  }
}

function conflict({ type, text }: ErrorText): RefusalKind {
  if (type === "OverQuota" || /^quota exceeded\b/i.test(text)) return "quota";
  if (type === undefined || VALUE_IN_USE.has(type)) return "conflict";
  return /InUse/.test(type) ? "in-use" : "conflict";
}
