import { dayOf } from "../../core/day.js";
import { formatWhere, PlumblineErrors } from "../../core/errors.js";
import { joinLines } from "../../core/printable.js";
import { endingText, endState, type RuleEnd } from "../../desired/rule-end.js";
import { asPlumblineError } from "../../engine/apply/errors.js";
import { managedFirewalls, withPushes } from "../../engine/managed-firewalls.js";
import { locksOn, pendingOn } from "../../engine/pending-and-locks.js";
import { levelsOf, type Sides } from "../../outcome/levels.js";
import { firewallLines, levelLines } from "../../report/firewalls.js";
import type { Paint } from "../../report/style.js";
import { formatUnmanaged } from "../../report/unmanaged.js";
import { agentNews, type CheckedState } from "../agents.js";
import type { Context } from "../context.js";
import { ledgerOf } from "../known-secrets.js";
import { readersFor } from "../open-targets.js";
import { type GlobalOptions, type PlainFormat, stateFolder } from "../options.js";
import { readOnly } from "../reader.js";
import { ruleEndsOf } from "../rule-ends.js";
import { show } from "../show.js";
import { openSession, passOptions } from "../terminal.js";

interface Flags extends GlobalOptions, PlainFormat {
  readonly target: readonly string[];
}

/** Prints the state of each target. Returns the exit code. */
export async function status(flags: Flags, context: Context): Promise<number> {
  const { paint } = openSession(flags, context);
  const { members, states } = await agentNews(flags, context);
  const ends = await ruleEndsOf(flags, context);
  const found: object[] = [];
  const options = { stores: { stateFolder: stateFolder(flags, context) }, machine: { now: () => context.now().getTime() } };
  if (flags.format === "text" && flags.target.length === 0 && members.length > 0)
    context.stdout.write(joinLines([paint("bold", "agents"), ...members.map((line) => `  ${line}`)]));
  const code = await readOnly(flags, context, flags.target, async (target, configuration, all) => {
    const { identity } = await target.open();
    const ledger = await ledgerOf(target.name, all, flags, context);
    const applied = ledger.state === "present" ? ledger.record.commit : undefined;
    const locks = await locksOn(target);
    const pending = await pendingOn(target);
    const firewalls = await withPushes(target, await managedFirewalls(target, { configuration, options }));
    const levels = firewalls === undefined ? undefined : { firewalls, ...(await comparedTo(flags, context, target.name)) };
    const checked = states.get(target.name);
    found.push({
      target: target.name,
      identity,
      sync: checked ?? { state: "unknown" },
      mode: configuration.mode,
      applied,
      locks,
      uncommitted: pending,
      levels: levels === undefined ? undefined : levelsOf(levels),
      levelsFailure: levels?.failure,
      firewalls,
      ruleEnds: ends?.get(target.name),
    });
    if (flags.format === "json") return;
    const rows = [
      syncLine(target.name, checked, paint),
      ...unmanagedLines(target.name, checked),
      ...endLines(ends?.get(target.name) ?? [], context, paint),
      ...(configuration.mode === "enforce" ? [] : [`  mode ${configuration.mode}: Plumbline does not write to this target`]),
      `  last applied commit: ${applied?.slice(0, 12) ?? (ledger.state === "unreadable" ? "unknown, the ledger cannot be read" : "none")}`,
    ];
    const held = locks.map(
      (lock) =>
        `  ${paint("yellow", `${lock.kind} lock`)} on ${lock.scope} by ${lock.owner}${lock.comment === "" ? "" : `: ${lock.comment}`}`,
    );
    const owners = [...new Set(pending.map((change) => change.owner))].join(", ");
    const uncommitted = pending.length === 0 ? [] : [`  ${paint("yellow", "uncommitted")} ${pending.length} by ${owners}`];
    const managed = [...(levels === undefined ? [] : levelLines(levels, paint)), ...firewallLines(firewalls, paint)];
    if (levels?.failure !== undefined) managed.unshift(`  ${paint("yellow", "documents")}  not compared: ${levels.failure}`);
    const lines = [`${paint("bold", target.name)}  ${identity.role}`, ...rows, ...held, ...uncommitted, ...managed];
    context.stdout.write(joinLines(lines));
  });
  // In text format, each target is printed as soon as it has replied.
  show(
    flags,
    context,
    () => ({ exitCode: code, agents: members, targets: found }),
    () => "",
  );
  return code;
}

/** Labels of the states that an agent recorded. */
const LABELS: Readonly<Record<CheckedState["state"], string>> = {
  failed: "failed",
  refused: "refused",
  drifted: "drifted",
  pending: "changes pending",
  "in-sync": "in sync",
  new: "not compared",
};

/** Describes the last comparison with its time, because the target may have changed since. */
function syncLine(target: string, checked: CheckedState | undefined, paint: Paint): string {
  if (checked === undefined)
    return `  ${paint("yellow", "not compared")}  no agent has compared this target; run: plumbline plan ${target}`;
  const { state, detail } = checked;
  const label = paint(state === "in-sync" ? "green" : "yellow", LABELS[state]);
  return `  ${label}  compared by the agent at ${checked.checked.slice(0, 19).replace("T", " ")} UTC${detail === "" ? "" : `: ${detail}`}`;
}

/** Maximum number of ended rules that are printed. */
const MOST_ENDS = 6;

function endLines(ends: readonly RuleEnd[], context: Context, paint: Paint): string[] {
  const today = dayOf(context.now());
  const more = ends.length - MOST_ENDS;
  return [
    ...ends.slice(0, MOST_ENDS).map((end) => {
      const text = endState(end, today) === "expired" ? "ended" : "ends";
      return `  ${paint("yellow", text)} ${endingText(end)}  last day ${end.until}`;
    }),
    ...(more > 0 ? [`  and ${more} more with an end date`] : []),
  ];
}

function unmanagedLines(target: string, checked: CheckedState | undefined): string[] {
  const { unmanaged = 0 } = checked ?? {};
  return unmanaged === 0 ? [] : [`  ${formatUnmanaged(unmanaged)} (list them: plumbline drift ${target} --unmanaged)`];
}

/** Compares a manager with the documents, or returns why this failed. The manager's own state is printed in any case. */
async function comparedTo(
  flags: GlobalOptions,
  context: Context,
  target: string,
): Promise<{ readonly sides: Sides | undefined; readonly failure: string | undefined }> {
  const session = openSession(flags, context);
  const { compareTargets } = await import("../../engine/reconcile.js");
  try {
    const options = { ...passOptions({ ...flags, target: [target] }, context, session), listeners: {} };
    const [outcome] = await compareTargets(options, readersFor(session.logger));
    return { sides: outcome?.sides, failure: outcome?.error?.message ?? (outcome === undefined ? "no document declares it" : undefined) };
  } catch (error) {
    const { where, message } = asPlumblineError(error instanceof PlumblineErrors ? error.errors[0] : error, target);
    return { sides: undefined, failure: `${formatWhere(where)} ${message}`.trim() };
  }
}
