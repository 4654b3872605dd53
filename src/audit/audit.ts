import { PlumblineError } from "../core/errors.js";
import type { Configuration, ContrailTargetConfiguration, OpenstackTargetConfiguration } from "../desired/configuration.js";
import { asPlumblineError } from "../engine/apply/errors.js";
import type { NetworksReader, NetworksReaders } from "../engine/networks-view.js";
import type { ReadTarget } from "../engine/target.js";
import type { Audit, AuditFinding } from "../outcome/audit-finding.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { joinViews } from "./join.js";

/** The network service of a cloud and the controller below it. */
export interface AuditPair {
  readonly cloud: OpenstackTargetConfiguration;
  readonly controller: ContrailTargetConfiguration;
}

/**
 * Holds the network service's view of networks and subnets against the controller's (docs/devices/contrail.md#joins), one
 * outcome a controller. Reads only, and both at once.
 */
export async function auditTargets(pairs: readonly AuditPair[], readers: NetworksReaders): Promise<TargetOutcome[]> {
  return await Promise.all(pairs.map((pair) => auditPair(pair, readers)));
}

async function auditPair({ cloud, controller }: AuditPair, readers: NetworksReaders): Promise<TargetOutcome> {
  const outcome = { target: controller.name, kind: controller.kind, warnings: [] };
  const service = readers.cloud(cloud);
  const fabric = readers.controller(controller);
  try {
    const [one, other] = await Promise.all([view(service), view(fabric)]);
    const joined = joinViews(one, other);
    const hidden = (await fabric.hiddenNetworks?.(onlyInService(joined.findings))) ?? new Map<string, string>();
    const findings = joined.findings.filter(({ id, what }) => what !== "network" || !hidden.has(id));
    const audit: Audit = { networkService: cloud.name, controller: controller.name, ...joined, findings };
    return { ...outcome, audit, error: hidden.size === 0 ? undefined : hiddenError(hidden, joined.findings, controller.name) };
  } catch (error) {
    return { ...outcome, error: asPlumblineError(error, controller.name) };
  } finally {
    await Promise.all([service.close(), fabric.close()]);
  }
}

async function view(reader: ReadTarget & NetworksReader) {
  await reader.open();
  return await reader.networksView();
}

function onlyInService(findings: readonly AuditFinding[]): string[] {
  return findings.flatMap(({ kind, what, id }) => (kind === "only-in-network-service" && what === "network" ? [id] : []));
}

/** What a missing right hides was not compared, and is not missing. */
function hiddenError(hidden: ReadonlyMap<string, string>, findings: readonly AuditFinding[], target: string): PlumblineError {
  const names = findings.flatMap(({ id, network }) => (hidden.has(id) ? [`"${network}"`] : []));
  const [reason] = hidden.values();
  return new PlumblineError("object-hidden", `${target} does not show our account ${names.join(", ")}, which it has: ${reason}`, {
    where: { target },
    next: "Give the account the right to read all networks: what it does not see is not compared.",
  });
}

/**
 * Which cloud goes with which controller: the one that its `auth` names, else the only one there is. `names` limits the
 * controllers (or, by their clouds, the pairs).
 * @throws PlumblineError `audit-pair` where there is nothing to hold against each other, or a choice between several.
 */
export function auditPairs({ file, targets }: Configuration, names: readonly string[]): AuditPair[] {
  const all = [...targets.values()];
  const clouds = all.filter((target) => target.kind === "openstack");
  const pairs = all
    .filter((target) => target.kind === "contrail")
    .map((controller): AuditPair => ({ controller, cloud: cloudOf(controller, clouds, file) }))
    .filter(({ controller, cloud }) => names.length === 0 || names.includes(controller.name) || names.includes(cloud.name));
  if (pairs.length > 0) return pairs;
  throw new PlumblineError("audit-pair", "There is no controller beside a cloud whose networks could be held against each other", {
    where: { file },
    next: "Name a target of kind openstack and one of kind contrail in plumbline.yaml.",
  });
}

function cloudOf(
  { name, auth }: ContrailTargetConfiguration,
  clouds: readonly OpenstackTargetConfiguration[],
  file: string,
): OpenstackTargetConfiguration {
  const said = auth.by === "openstack" ? auth.cloud.name : undefined;
  const found = said === undefined ? clouds : clouds.filter((cloud) => cloud.name === said);
  const [cloud] = found;
  if (cloud !== undefined && found.length === 1) return cloud;
  throw new PlumblineError("audit-pair", `Nothing says which cloud the controller ${name} belongs to`, {
    where: { file, target: name },
    next: "Write auth: { from: CLOUD } on the controller.",
  });
}
