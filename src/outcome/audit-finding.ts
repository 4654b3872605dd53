/**
 * A difference between the network service and the controller. `re-keyed`: both sides have the subnet under different ids, so that ports
 * and users refer to a deleted id. `lookup-row`: the table that the network service uses to find the subnet has no row for it or a wrong
 * one.
 */
export interface AuditFinding {
  readonly kind: "only-in-network-service" | "only-in-controller" | "differs" | "re-keyed" | "lookup-row";
  readonly what: "network" | "subnet";
  readonly network: string;
  readonly subnet: string | undefined;
  /** Id of the network or subnet in the network service, otherwise in the controller. */
  readonly id: string;
  /** Only for `differs`. */
  readonly field: string | undefined;
  /** Undefined if that side has no value. */
  readonly networkService: string | undefined;
  readonly controller: string | undefined;
}

/** Result of an audit. */
export interface Audit {
  /** Names of the two targets. */
  readonly networkService: string;
  readonly controller: string;
  readonly networks: number;
  readonly subnets: number;
  /** Number of the controller's networks in projects that our cloud account cannot see. */
  readonly outside: number;
  readonly findings: readonly AuditFinding[];
}

/** Returns the text of the finding, without its subject. */
export function findingText(
  { kind, field, networkService, controller }: AuditFinding,
  names: Pick<Audit, "networkService" | "controller">,
): string {
  switch (kind) {
    case "only-in-network-service":
      return `is in ${names.networkService} and not in ${names.controller}`;
    case "only-in-controller":
      return `is in ${names.controller} and not in ${names.networkService}`;
    case "re-keyed":
      return `was re-keyed: ${networkService} in ${names.networkService}, ${controller} in ${names.controller}`;
    case "lookup-row":
      return controller === undefined
        ? `has no row in the lookup table of ${names.controller}: ${names.networkService} does not find it`
        : `has the row "${controller}" in the lookup table of ${names.controller}, not "${networkService}"`;
    case "differs":
      return `${field}: ${networkService ?? "none"} in ${names.networkService}, ${controller ?? "none"} in ${names.controller}`;
  }
}
