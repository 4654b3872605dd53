/** Types of object that the target reads, in the controller's spelling; a collection is the type with an `s`: `network-policys`. */
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

/** Types whose objects are referred to: ports, too, which the target does not read. */
export type ReferredType = ContrailType | "virtual-machine-interface";

export function collectionOf(type: ContrailType): string {
  return `${type}s`;
}

/** As field names and `/watch` spell a type: `virtual_network`. */
export function underscored(type: string): string {
  return type.replaceAll("-", "_");
}
