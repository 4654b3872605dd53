/**
 * Something that the network service and the controller do not agree on. `re-keyed`: the subnet is on both sides under two
 * ids, so that ports and users hold a dead one. `lookup-row`: the table by which the network service finds the subnet lacks
 * it or leads elsewhere.
 */
export interface AuditFinding {
  readonly kind: "only-in-network-service" | "only-in-controller" | "differs" | "re-keyed" | "lookup-row";
  readonly what: "network" | "subnet";
  readonly network: string;
  readonly subnet: string | undefined;
  /** Of the network or subnet, as the network service has it, else as the controller. */
  readonly id: string;
  /** For `differs`. */
  readonly field: string | undefined;
  /** Undefined where that side has nothing. */
  readonly networkService: string | undefined;
  readonly controller: string | undefined;
}

/** What an audit compared and found. */
export interface Audit {
  /** Names of the two targets. */
  readonly networkService: string;
  readonly controller: string;
  readonly networks: number;
  readonly subnets: number;
  /** Networks of the controller in projects that our account of the cloud does not see. */
  readonly outside: number;
  readonly findings: readonly AuditFinding[];
}

/** The finding in words, without its subject. */
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
