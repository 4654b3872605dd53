import { PlumblineError } from "../../core/errors.js";
import { reveal } from "../../core/secret.js";
import { formatUndecided } from "../../outcome/format-unfinished.js";
import { artifactWarnings, judgeArtifacts } from "../artifacts.js";
import { belongsElsewhere, deviceLabel, deviceOf, otherDeviceMessage } from "../device-identity.js";
import type { Opened, ReadTarget } from "../target.js";
import { memoryOf } from "../target-memory.js";
import { withChecked } from "../trial-results.js";
import { undecidedOf } from "../watch/undecided.js";
import { blindWarnings } from "./blind-commit.js";
import type { TargetContext } from "./context.js";
import { protectKnownSecrets } from "./known-secrets.js";
import type { PlanRequest } from "./planner.js";
import { recordOf } from "./planner.js";
import type { OutcomeDraft } from "./run-targets.js";

/** Opens the target and reads its identity and capabilities. @throws PlumblineError if the device is not the configured one */
export async function openTarget(target: ReadTarget, context: TargetContext, draft: OutcomeDraft): Promise<Opened> {
  context.options.listeners.progress?.(context.name, "connecting");
  const opened = await target.open(memoryOf(context.options.stores.stateFolder, context.name));
  draft.identity = opened.identity;
  draft.warnings.push(...blindWarnings(opened.capabilities, context));
  draft.hasCommit = opened.capabilities.candidate;
  context.options.listeners.progress?.(context.name, "reading");
  if (target.trials === undefined) return opened;
  return { ...opened, capabilities: await withChecked(opened.capabilities, opened.identity, context) };
}

/**
 * Reads the ledgers. With an unreadable ledger, the run warns and deletes no object. `target` then hides values that the ledger lists as
 * secrets.
 */
export async function consultLedgers(
  target: ReadTarget,
  context: TargetContext,
  against: PlanRequest["against"],
  administrator: string | undefined,
  draft: OutcomeDraft,
): Promise<Omit<PlanRequest, "device">> {
  const {
    owner,
    name,
    records: { ledger },
  } = context;
  const own = await ledger.read(owner, name);
  if (own.state === "unreadable") {
    draft.warnings.push(`no deletions, because the ledger cannot be read: ${own.reason}`);
    const doubt = against === "running" ? ", so it is not known which differences are manual changes" : "";
    draft.unread = [`The ledger cannot be read${doubt}: ${own.reason}`];
  } else if (context.run.departed !== undefined) draft.warnings.push(...(await context.run.departed()));
  draft.lacksLedger = own.state === "present" ? undefined : own.state;
  if (context.configuration.push === undefined) draft.undelivered = recordOf(own)?.undelivered;
  protectKnownSecrets(target, own.state === "present" ? own.record : undefined);
  const foreignLedgers = await ledger.foreign(owner, name).catch((error: unknown) => {
    if (own.state !== "unreadable") draft.warnings.push(`ledgers of other owners cannot be read: ${String(error)}`);
    return new Map<string, string>();
  });
  const undecided = undecidedOf(recordOf(own));
  if (undecided !== undefined) draft.warnings.push(`${formatUndecided(undecided)}; a run decides before anything else`);
  return { against, ledger: own, foreignLedgers, administrator };
}

/** Adds the device that answers to a request. A ledger that belongs to another device counts as unreadable. */
export function requestFor(request: Omit<PlanRequest, "device">, opened: Opened): PlanRequest {
  const device = deviceOf(opened);
  const known = recordOf(request.ledger)?.devices;
  const bound = { ...request, device: deviceLabel(known, device) };
  if (!belongsElsewhere(known, device)) return bound;
  const otherDevice = otherDeviceMessage(known, device);
  return { ...bound, otherDevice, ledger: { state: "unreadable", reason: otherDevice } };
}

/** Adds a warning to reports that do not show refusals. */
export function warnOfOtherDevice({ otherDevice }: PlanRequest, { name }: TargetContext, draft: OutcomeDraft): void {
  if (otherDevice === undefined) return;
  draft.warnings.push(`${otherDevice} If the device was replaced, run \`plumbline adopt ${name}\`.`);
  // The ledger says nothing about this device, so the agent drops differences without a known cause.
  draft.unread = [...(draft.unread ?? []), otherDevice];
}

/** Adds the verdicts on the files that documents list. */
export async function withVerdicts(target: ReadTarget, context: TargetContext, draft: OutcomeDraft): Promise<TargetContext> {
  const { artifacts } = context.desired;
  if (artifacts === undefined) return context;
  const {
    analysis: { verdicts: readVerdicts = noVerdictService },
    listeners: { progress },
  } = context.options;
  progress?.(context.name, "asking for verdicts");
  const verdicts = await judgeArtifacts(artifacts, { read: readVerdicts, images: target.images });
  draft.verdicts = verdicts;
  draft.warnings.push(...artifactWarnings(verdicts));
  return { ...context, verdicts };
}

async function noVerdictService(): Promise<never> {
  throw new PlumblineError("verdict-url-missing", "No verdict service is named.", { next: "Set PLUMBLINE_VERDICT_URL." });
}

/** The administrator's name as the configuration has it, to know our own work by: a reader does not ask the target for it. */
export function loginOf({ configuration }: TargetContext): string | undefined {
  const username = configuration.credentials?.username;
  return username === undefined ? undefined : reveal(username);
}
