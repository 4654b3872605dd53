/** Object types that the target reads, with the controller's names. A collection is the type with an `s`: `network-policys`. */
export type ContrailType =
  | "project"
  | "virtual-network"
  | "network-ipam"
  | "network-policy"
  | "security-group"
  | "route-table"
  | "logical-router"
  | "floating-ip-pool"
  | "floating-ip";

/** Types of referenced objects, including ports, which the target does not read. */
export type ReferredType = ContrailType | "virtual-machine-interface";

export function collectionOf(type: ContrailType): string {
  return `${type}s`;
}

/** Returns the type as in field names and `/watch`, for example `virtual_network`. */
export function underscored(type: string): string {
  return type.replaceAll("-", "_");
}
