import { PlumblineError } from "../core/errors.js";
import type { Configuration, TargetConfiguration } from "../desired/configuration/configuration.js";
import { asPlumblineError } from "../engine/apply/errors.js";
import type { OpenNetworks } from "../engine/connections.js";
import type { NetworksReader } from "../engine/networks-view.js";
import type { ReadTarget } from "../engine/target.js";
import type { TargetKind, TargetKinds } from "../engine/target-kind.js";
import type { Audit, AuditFinding } from "../outcome/audit-finding.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { joinViews } from "./join.js";

/** The network service of a cloud and the controller below it. */
export interface AuditPair {
  readonly cloud: TargetConfiguration;
  readonly controller: TargetConfiguration;
}

/**
 * Compares the networks and subnets of the network service with those of the controller (docs/contributing/devices/contrail.md#joins). Returns one
 * outcome per controller. Only reads, from both in parallel.
 */
export async function auditTargets(pairs: readonly AuditPair[], open: OpenNetworks): Promise<TargetOutcome[]> {
  return await Promise.all(pairs.map((pair) => auditPair(pair, open)));
}

async function auditPair({ cloud, controller }: AuditPair, open: OpenNetworks): Promise<TargetOutcome> {
  const outcome = { target: controller.name, kind: controller.kind, warnings: [] };
  const opened: ReadTarget[] = [];
  const openOne = async (target: TargetConfiguration): Promise<ReadTarget & NetworksReader> => {
    const reader = await open(target);
    opened.push(reader);
    return reader;
  };
  try {
    const [service, fabric] = await Promise.all([openOne(cloud), openOne(controller)]);
    const [one, other] = await Promise.all([view(service), view(fabric)]);
    const joined = joinViews(one, other);
    const hidden = (await fabric.hiddenNetworks?.reasons(onlyInService(joined.findings))) ?? new Map<string, string>();
    const findings = joined.findings.filter(({ id, what }) => what !== "network" || !hidden.has(id));
    const audit: Audit = { networkService: cloud.name, controller: controller.name, ...joined, findings };
    return { ...outcome, audit, error: hidden.size === 0 ? undefined : hiddenError(hidden, joined.findings, controller.name) };
  } catch (error) {
    return { ...outcome, error: asPlumblineError(error, controller.name) };
  } finally {
    await Promise.all(opened.map((reader) => reader.close()));
  }
}

async function view(reader: ReadTarget & NetworksReader) {
  await reader.open();
  return await reader.networksView();
}

function onlyInService(findings: readonly AuditFinding[]): string[] {
  return findings.flatMap(({ kind, what, id }) => (kind === "only-in-network-service" && what === "network" ? [id] : []));
}

/** Returns the error for networks that exist but that the account may not read. They are not compared, and not reported as missing. */
function hiddenError(hidden: ReadonlyMap<string, string>, findings: readonly AuditFinding[], target: string): PlumblineError {
  const names = findings.flatMap(({ id, network }) => (hidden.has(id) ? [`"${network}"`] : []));
  const [reason] = hidden.values();
  return new PlumblineError("object-hidden", `${target} hides ${names.join(", ")} from this account: ${reason}`, {
    where: { target },
    next: "Give the account permission to read all networks. Hidden networks are not compared.",
  });
}

/** Returns whether the kinds in `present` include a network service and a controller. */
export function canAudit(present: ReadonlySet<string>, kinds: TargetKinds): boolean {
  return (["service", "controller"] as const).every((side) => wordsOf(kinds, side).some((word) => present.has(word)));
}

/**
 * Pairs each controller with the cloud that its settings refer to, or else with the only cloud. `names` limits the pairs, by the name of
 * the controller or the cloud.
 * @throws PlumblineError `audit-pair` if there is no pair, or if a controller has no cloud or several
 */
export function auditPairs({ file, targets }: Configuration, kinds: TargetKinds, names: readonly string[]): AuditPair[] {
  const on = (side: NetworksSide) => [...targets.values()].filter((target) => kinds.get(target.kind)?.networks === side);
  const clouds = on("service");
  const pairs = on("controller")
    .map((controller): AuditPair => ({ controller, cloud: cloudOf(controller, clouds, file) }))
    .filter(({ controller, cloud }) => names.length === 0 || names.includes(controller.name) || names.includes(cloud.name));
  if (pairs.length > 0) return pairs;
  const [service, controller] = [wordsOf(kinds, "service").join(" or "), wordsOf(kinds, "controller").join(" or ")];
  throw new PlumblineError("audit-pair", "There is no controller with a cloud whose networks could be compared", {
    where: { file },
    next: `Name a target of kind ${service} and one of kind ${controller} in plumbline.yaml.`,
  });
}

type NetworksSide = NonNullable<TargetKind["networks"]>;

function wordsOf(kinds: TargetKinds, side: NetworksSide): string[] {
  return [...kinds].flatMap(([word, { networks }]) => (networks === side ? [word] : []));
}

function cloudOf({ name, refersTo = [] }: TargetConfiguration, clouds: readonly TargetConfiguration[], file: string): TargetConfiguration {
  const found = refersTo.length === 0 ? clouds : clouds.filter((cloud) => refersTo.includes(cloud.name));
  const [cloud] = found;
  if (cloud !== undefined && found.length === 1) return cloud;
  throw new PlumblineError("audit-pair", `The cloud of the controller ${name} is unknown`, {
    where: { file, target: name },
    next: "Write auth: { from: CLOUD } on the controller.",
  });
}
