import { PlumblineError } from "../core/errors.js";
import type { Configuration, TargetConfiguration } from "../desired/configuration.js";
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
 * Holds the network service's view of networks and subnets against the controller's (docs/devices/contrail.md#joins), one
 * outcome a controller. Reads only, and both at once.
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

/** What a missing right hides was not compared, and is not missing. */
function hiddenError(hidden: ReadonlyMap<string, string>, findings: readonly AuditFinding[], target: string): PlumblineError {
  const names = findings.flatMap(({ id, network }) => (hidden.has(id) ? [`"${network}"`] : []));
  const [reason] = hidden.values();
  return new PlumblineError("object-hidden", `${target} does not show our account ${names.join(", ")}, which it has: ${reason}`, {
    where: { target },
    next: "Give the account the right to read all networks: what it does not see is not compared.",
  });
}

/** Whether targets of these kinds hold something to hold against each other. */
export function canAudit(present: ReadonlySet<string>, kinds: TargetKinds): boolean {
  return (["service", "controller"] as const).every((side) => wordsOf(kinds, side).some((word) => present.has(word)));
}

/**
 * Which cloud goes with which controller: the one that its settings refer to, else the only one there is. `names` limits the
 * controllers (or, by their clouds, the pairs).
 * @throws PlumblineError `audit-pair` where there is nothing to hold against each other, or a choice between several.
 */
export function auditPairs({ file, targets }: Configuration, kinds: TargetKinds, names: readonly string[]): AuditPair[] {
  const on = (side: NetworksSide) => [...targets.values()].filter((target) => kinds.get(target.kind)?.networks === side);
  const clouds = on("service");
  const pairs = on("controller")
    .map((controller): AuditPair => ({ controller, cloud: cloudOf(controller, clouds, file) }))
    .filter(({ controller, cloud }) => names.length === 0 || names.includes(controller.name) || names.includes(cloud.name));
  if (pairs.length > 0) return pairs;
  const [service, controller] = [wordsOf(kinds, "service").join(" or "), wordsOf(kinds, "controller").join(" or ")];
  throw new PlumblineError("audit-pair", "There is no controller beside a cloud whose networks could be held against each other", {
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
  throw new PlumblineError("audit-pair", `Nothing says which cloud the controller ${name} belongs to`, {
    where: { file, target: name },
    next: "Write auth: { from: CLOUD } on the controller.",
  });
}
