import { canonicalScalar } from "../core/tree/canonical-text.js";
import { type NetworksView, type NetworkView, plainId, type SubnetView } from "../engine/networks-view.js";
import type { AuditFinding } from "../outcome/audit-finding.js";

export interface Joined {
  readonly networks: number;
  readonly subnets: number;
  readonly outside: number;
  readonly findings: readonly AuditFinding[];
}

/**
 * Joins the networks and subnets of the network service and the controller by id (docs/contributing/devices/contrail.md#joins). A subnet without a match
 * is joined by network and CIDR. Pure; linear in the number of networks and subnets.
 */
export function joinViews(service: NetworksView, controller: NetworksView): Joined {
  const findings: AuditFinding[] = [];
  const others = new Map(controller.networks.map((network) => [plainId(network.id), network]));
  let subnets = 0;
  for (const network of service.networks) {
    const key = plainId(network.id);
    const other = others.get(key);
    others.delete(key);
    subnets += network.subnets.length;
    if (other === undefined) {
      if (!network.isSystem) findings.push(onlyIn("only-in-network-service", network));
    } else findings.push(...compareNetworks(network, other, controller.lookup));
  }
  const rest = [...others.values()].filter(({ isSystem }) => !isSystem);
  const inside = rest.filter((network) => isSeen(network, service));
  findings.push(...inside.map((network) => onlyIn("only-in-controller", network)));
  return { networks: service.networks.length, subnets, outside: rest.length - inside.length, findings };
}

/** Returns whether our account can see a network. Networks of other projects are visible only if they are shared or external. */
function isSeen({ project, shared, external }: NetworkView, { projects }: NetworksView): boolean {
  return projects === undefined || projects.has(project) || shared || external;
}

function onlyIn(kind: "only-in-network-service" | "only-in-controller", { id, name }: NetworkView): AuditFinding {
  return {
    kind,
    what: "network",
    network: name,
    subnet: undefined,
    id,
    field: undefined,
    networkService: undefined,
    controller: undefined,
  };
}

type Field<View> = readonly [name: string, text: (view: View) => string | undefined];

const NETWORK_FIELDS: readonly Field<NetworkView>[] = [
  ["name", ({ name }) => name],
  ["project", ({ project }) => project],
  ["shared", ({ shared }) => String(shared)],
  ["external", ({ external }) => String(external)],
  ["admin state up", ({ up }) => String(up)],
];

const SUBNET_FIELDS: readonly Field<SubnetView>[] = [
  ["cidr", ({ cidr }) => canonicalScalar(cidr, "cidr")],
  ["gateway", ({ gateway }) => (gateway === undefined ? undefined : canonicalScalar(gateway, "cidr"))],
  ["dhcp", ({ dhcp }) => String(dhcp)],
  ["name servers", ({ dns }) => (dns.length === 0 ? undefined : dns.map((server) => canonicalScalar(server, "cidr")).join(", "))],
  ["host routes", ({ routes }) => (routes.length === 0 ? undefined : [...routes].sort().join(", "))],
];

function compareNetworks(network: NetworkView, other: NetworkView, lookup: NetworksView["lookup"]): AuditFinding[] {
  const subject = { what: "network", network: network.name, subnet: undefined, id: network.id } as const;
  const findings = differing(NETWORK_FIELDS, network, other).map(
    (difference): AuditFinding => ({ kind: "differs", ...subject, ...difference }),
  );
  const left = new Map(other.subnets.map((subnet) => [plainId(subnet.id), subnet]));
  const unmatched: SubnetView[] = [];
  const matched: (readonly [SubnetView, SubnetView])[] = [];
  for (const subnet of network.subnets) {
    const sameId = left.get(plainId(subnet.id));
    if (sameId === undefined) unmatched.push(subnet);
    else {
      matched.push([subnet, sameId]);
      left.delete(plainId(subnet.id));
    }
  }
  const byCidr = new Map([...left.values()].map((subnet) => [canonicalScalar(subnet.cidr, "cidr"), subnet]));
  for (const subnet of unmatched) {
    const sameCidr = byCidr.get(canonicalScalar(subnet.cidr, "cidr"));
    if (sameCidr === undefined) {
      findings.push(subnetFinding(network, subnet, { kind: "only-in-network-service" }));
      continue;
    }
    left.delete(plainId(sameCidr.id));
    findings.push(subnetFinding(network, subnet, { kind: "re-keyed", networkService: subnet.id, controller: sameCidr.id }));
    matched.push([subnet, sameCidr]);
  }
  for (const subnet of left.values()) findings.push(subnetFinding(network, subnet, { kind: "only-in-controller" }));
  for (const [subnet, twin] of matched) findings.push(...compareSubnets(network, subnet, twin), ...checkLookup(network, subnet, lookup));
  return findings;
}

function compareSubnets(network: NetworkView, subnet: SubnetView, other: SubnetView): AuditFinding[] {
  const differences = differing(SUBNET_FIELDS, subnet, other);
  // Computed pools are not compared: the network service derives them if none are stored.
  if (other.pools !== undefined && subnet.pools !== undefined) {
    differences.push(...differing([["allocation pools", ({ pools }: SubnetView) => [...(pools ?? [])].sort().join(", ")]], subnet, other));
  }
  return differences.map((difference) => subnetFinding(network, subnet, { kind: "differs", ...difference }));
}

/** Checks the lookup table of a subnet. The network service reads it first, and returns 404 if the row is missing or wrong. */
function checkLookup(network: NetworkView, subnet: SubnetView, lookup: NetworksView["lookup"]): AuditFinding[] {
  if (lookup === undefined) return [];
  const wanted = `${network.id} ${canonicalScalar(subnet.cidr, "cidr")}`;
  const row = lookup.get(subnet.id);
  const [id = "", cidr = ""] = row?.split(" ") ?? [];
  if (row !== undefined && plainId(id) === plainId(network.id) && canonicalScalar(cidr, "cidr") === canonicalScalar(subnet.cidr, "cidr"))
    return [];
  return [subnetFinding(network, subnet, { kind: "lookup-row", networkService: wanted, controller: row })];
}

type Difference = Pick<AuditFinding, "field" | "networkService" | "controller">;

function differing<View>(fields: readonly Field<View>[], a: View, b: View): Difference[] {
  return fields.flatMap(([field, text]) => {
    const networkService = text(a);
    const controller = text(b);
    return networkService === controller ? [] : [{ field, networkService, controller }];
  });
}

function subnetFinding({ name }: NetworkView, subnet: SubnetView, details: Pick<AuditFinding, "kind"> & Partial<Difference>): AuditFinding {
  return {
    what: "subnet",
    network: name,
    subnet: subnet.name === "" ? subnet.cidr : subnet.name,
    id: subnet.id,
    field: undefined,
    networkService: undefined,
    controller: undefined,
    ...details,
  };
}
