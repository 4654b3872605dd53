import { locksOn, pendingOn } from "../../engine/under-way.js";
import { agentNews } from "../agents.js";
import type { Context } from "../context.js";
import type { GlobalOptions } from "../options.js";
import { readOnly } from "../reader.js";
import { openSession } from "../terminal.js";

/** Prints what each target says of itself. Gives the exit code. */
export async function status(flags: GlobalOptions, context: Context, name: string | undefined): Promise<number> {
  const { paint } = openSession(flags, context);
  const { members, standing } = await agentNews(flags, context);
  if (name === undefined && members.length > 0)
    context.stdout.write(`${[paint("bold", "agents"), ...members.map((line) => `  ${line}`)].join("\n")}\n`);
  return await readOnly(flags, context, name === undefined ? [] : [name], async (target) => {
    const { identity } = await target.open();
    const fields = await target.status();
    const width = Math.max(...[...fields.keys()].map((key) => key.length));
    const rows = [...fields].map(([key, value]) => `  ${paint("dim", key.padEnd(width))}  ${value.trim()}`);
    const locks = await locksOn(target);
    const held = locks.map(
      (lock) =>
        `  ${paint("yellow", `${lock.kind} lock`)} on ${lock.scope} by ${lock.owner}${lock.comment === "" ? "" : `: ${lock.comment}`}`,
    );
    const pending = await pendingOn(target);
    const owners = [...new Set(pending.map((change) => change.owner))].join(", ");
    const uncommitted = pending.length === 0 ? [] : [`  ${paint("yellow", "uncommitted")} ${pending.length} by ${owners}`];
    const news = standing.get(target.name);
    const known = news === undefined ? [] : [`  ${paint("yellow", "not in sync")} at the agent's last look, ${news}`];
    context.stdout.write(`${[`${paint("bold", target.name)}  ${identity.role}`, ...rows, ...held, ...uncommitted, ...known].join("\n")}\n`);
  });
}
