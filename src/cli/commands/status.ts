import { managedFirewalls, withPushes } from "../../engine/managed.js";
import { locksOn, pendingOn } from "../../engine/under-way.js";
import { firewallLines } from "../../report/firewalls.js";
import { agentNews } from "../agents.js";
import type { Context } from "../context.js";
import { type GlobalOptions, type PlainFormat, stateFolder } from "../options.js";
import { readOnly } from "../reader.js";
import { show } from "../show.js";
import { openSession } from "../terminal.js";

/** Prints what each target says of itself. Gives the exit code. */
export async function status(flags: GlobalOptions & PlainFormat, context: Context, name: string | undefined): Promise<number> {
  const { paint } = openSession(flags, context);
  const { members, standing } = await agentNews(flags, context);
  const found: object[] = [];
  const options = { stateFolder: stateFolder(flags, context), machine: { now: () => context.now().getTime() } };
  if (flags.format === "text" && name === undefined && members.length > 0)
    context.stdout.write(`${[paint("bold", "agents"), ...members.map((line) => `  ${line}`)].join("\n")}\n`);
  const code = await readOnly(flags, context, name === undefined ? [] : [name], async (target, configuration) => {
    const { identity } = await target.open();
    const fields = await target.status();
    const locks = await locksOn(target);
    const pending = await pendingOn(target);
    const firewalls = await withPushes(target, await managedFirewalls(target, { configuration, options }));
    const news = standing.get(target.name);
    found.push({
      target: target.name,
      identity,
      status: Object.fromEntries(fields),
      locks,
      uncommitted: pending,
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
    const managed = firewallLines(firewalls, paint);
    const lines = [`${paint("bold", target.name)}  ${identity.role}`, ...rows, ...held, ...uncommitted, ...managed, ...known];
    context.stdout.write(`${lines.join("\n")}\n`);
  });
  // For people each target is told when it has answered.
  show(
    flags,
    context,
    () => ({ exitCode: code, agents: members, targets: found }),
    () => "",
  );
  return code;
}
