import { formatWhere, PlumblineErrors } from "../../core/errors.js";
import { joinLines } from "../../core/printable.js";
import { asPlumblineError } from "../../engine/apply/errors.js";
import { managedFirewalls, withPushes } from "../../engine/managed.js";
import { locksOn, pendingOn } from "../../engine/under-way.js";
import { levelsOf, type Sides } from "../../outcome/levels.js";
import { firewallLines, levelLines } from "../../report/firewalls.js";
import { agentNews } from "../agents.js";
import type { Context } from "../context.js";
import { readersFor } from "../open-targets.js";
import { type GlobalOptions, type PlainFormat, stateFolder } from "../options.js";
import { readOnly } from "../reader.js";
import { show } from "../show.js";
import { openSession, passOptions } from "../terminal.js";

/** Prints the state of each target. Returns the exit code. */
export async function status(flags: GlobalOptions & PlainFormat, context: Context, name: string | undefined): Promise<number> {
  const { paint } = openSession(flags, context);
  const { members, standing } = await agentNews(flags, context);
  const found: object[] = [];
  const options = { stateFolder: stateFolder(flags, context), machine: { now: () => context.now().getTime() } };
  if (flags.format === "text" && name === undefined && members.length > 0)
    context.stdout.write(joinLines([paint("bold", "agents"), ...members.map((line) => `  ${line}`)]));
  const code = await readOnly(flags, context, name === undefined ? [] : [name], async (target, configuration) => {
    const { identity } = await target.open();
    const fields = await target.status();
    const locks = await locksOn(target);
    const pending = await pendingOn(target);
    const firewalls = await withPushes(target, await managedFirewalls(target, { configuration, options }));
    const levels = firewalls === undefined ? undefined : { firewalls, ...(await comparedTo(flags, context, target.name)) };
    const news = standing.get(target.name);
    found.push({
      target: target.name,
      identity,
      status: Object.fromEntries(fields),
      locks,
      uncommitted: pending,
      levels: levels === undefined ? undefined : levelsOf(levels),
      levelsFailure: levels?.failure,
      firewalls,
      notInSync: news,
    });
    if (flags.format === "json") return;
    const width = Math.max(...[...fields.keys()].map((key) => key.length));
    const rows = [...fields].map(([key, value]) => `  ${paint("dim", key.padEnd(width))}  ${value.trim()}`);
    const held = locks.map(
      (lock) =>
        `  ${paint("yellow", `${lock.kind} lock`)} on ${lock.scope} by ${lock.owner}${lock.comment === "" ? "" : `: ${lock.comment}`}`,
    );
    const owners = [...new Set(pending.map((change) => change.owner))].join(", ");
    const uncommitted = pending.length === 0 ? [] : [`  ${paint("yellow", "uncommitted")} ${pending.length} by ${owners}`];
    const known = news === undefined ? [] : [`  ${paint("yellow", "not in sync")} at the agent's last look, ${news}`];
    const managed = [...(levels === undefined ? [] : levelLines(levels, paint)), ...firewallLines(firewalls, paint)];
    if (levels?.failure !== undefined) managed.unshift(`  ${paint("yellow", "documents")}  not held against it: ${levels.failure}`);
    const lines = [`${paint("bold", target.name)}  ${identity.role}`, ...rows, ...held, ...uncommitted, ...managed, ...known];
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

/** Compares a manager with the documents, or returns why this failed. The manager's own state is printed in any case. */
async function comparedTo(
  flags: GlobalOptions,
  context: Context,
  target: string,
): Promise<{ readonly sides: Sides | undefined; readonly failure: string | undefined }> {
  const session = openSession(flags, context);
  const { compareTargets } = await import("../../engine/reconcile.js");
  try {
    const options = { ...passOptions({ ...flags, target: [target] }, context, session), progress: undefined, tally: undefined };
    const [outcome] = await compareTargets(options, readersFor(session.logger));
    return { sides: outcome?.sides, failure: outcome?.error?.message ?? (outcome === undefined ? "no document speaks of it" : undefined) };
  } catch (error) {
    const { where, message } = asPlumblineError(error instanceof PlumblineErrors ? error.errors[0] : error, target);
    return { sides: undefined, failure: `${formatWhere(where)} ${message}`.trim() };
  }
}
