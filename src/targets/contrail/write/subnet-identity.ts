import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import { cidrOf } from "../json-tree/naming.js";

/** Returns `subnet_uuid` by CIDR, of a network or a flat IPAM. */
export function subnetIds(document: JsonObject): Map<string, string> {
  const ofNetwork = objectsAt(document, "network_ipam_refs").flatMap((reference) =>
    objectsAt(objectAt(reference, "attr") ?? {}, "ipam_subnets"),
  );
  const ofIpam = objectsAt(objectAt(document, "ipam_subnets") ?? {}, "subnets");
  const ids = new Map<string, string>();
  for (const subnet of [...ofNetwork, ...ofIpam]) {
    const cidr = cidrOf(subnet);
    const id = textAt(subnet, "subnet_uuid");
    if (cidr !== undefined && id !== undefined) ids.set(cidr, id);
  }
  return ids;
}

/**
 * Returns the subnets whose id changed during a write. Ports and the network service's own records refer to the old id
 * (docs/contributing/devices/contrail.md#updates).
 */
export function rekeyed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...before].filter(([cidr, id]) => after.has(cidr) && after.get(cidr) !== id).map(([cidr]) => cidr);
}

export function rekeyedError(target: string, xpath: string, cidrs: readonly string[]): PlumblineError {
  return new PlumblineError("subnet-rekeyed", `The subnets ${cidrs.join(", ")} have another subnet_uuid than before the write.`, {
    where: { target, xpath },
    next: "Check who else writes this network. Ports of these subnets refer to the former ids until they are fixed.",
    severity: "partial",
  });
}
