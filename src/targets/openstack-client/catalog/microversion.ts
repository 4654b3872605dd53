import { PlumblineError } from "../../../core/errors.js";
import { headerOf } from "../../../http/message.js";
import type { OpenstackReply } from "../client/reply.js";
import type { ServiceAddress } from "./service-addresses.js";
import type { ServiceVersion } from "./versions.js";

/**
 * Refuses a microversion that the service would refuse or, like `/v2`, ignore.
 * @throws PlumblineError `microversion-not-offered`
 */
export function checkMicroversion(wanted: string, address: ServiceAddress, versions: readonly ServiceVersion[], target: string): void {
  const offered = versions.find(({ step }) => step === address.version);
  if (offered?.max !== undefined && offered.min !== undefined) {
    if (compare(wanted, offered.min) >= 0 && compare(wanted, offered.max) <= 0) return;
  }
  const range = offered?.max === undefined ? "knows no microversions" : `knows ${offered.min ?? "?"} to ${offered.max}`;
  throw new PlumblineError(
    "microversion-not-offered",
    `the ${address.service} service at ${address.origin} ${range} in ${address.version}, and ${wanted} is needed`,
    { where: { target }, next: "Use the address of a version that has it, or remove the declaration that needs it." },
  );
}

/** Checks that the reply has the requested microversion, because another one may have a different format. */
export function checkMicroversionEcho(wanted: string, reply: OpenstackReply, address: ServiceAddress, target: string): void {
  const echoed = headerOf(reply, "openstack-api-version") ?? "";
  if (echoed.toLowerCase() === `${address.service} ${wanted}`) return;
  throw new PlumblineError(
    "microversion-not-offered",
    `the ${address.service} service at ${address.origin} got microversion ${wanted} and answered with "${echoed}"`,
    { where: { target }, next: "Look for a proxy that drops the header OpenStack-API-Version." },
  );
}

function compare(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split(".").map(Number);
  const [bMajor = 0, bMinor = 0] = b.split(".").map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}
