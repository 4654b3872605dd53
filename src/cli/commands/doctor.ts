import { type Diagnosis, doctorTargets } from "../../engine/doctor.js";
import { exitCode } from "../../outcome/outcome.js";
import { errorLines } from "../../report/error-lines.js";
import type { Paint } from "../../report/style.js";
import type { Context } from "../context.js";
import { writersFor } from "../open-targets.js";
import type { WriteFlags } from "../options.js";
import { openSession, type PassFlags, passOptions, writeOptions } from "../terminal.js";

type Flags = PassFlags & WriteFlags & { readonly tryIn?: string };

/** Says what a target can do, and what trials showed of it. Gives the exit code. */
export async function doctor(given: Flags, context: Context, name: string): Promise<number> {
  const flags: Flags = { ...given, target: [name] };
  const session = openSession(flags, context);
  const writers = writersFor(session.logger);
  const found = await doctorTargets(passOptions(flags, context, session), writeOptions(flags), writers, flags.tryIn);
  session.progress.end();
  for (const diagnosis of found) {
    context.stdout.write(`${linesOf(diagnosis, session.paint).join("\n")}\n`);
    const { error } = diagnosis.outcome;
    if (error !== undefined) context.stderr.write(`${errorLines(error, session.paint).join("\n")}\n`);
  }
  return exitCode(found.map(({ outcome }) => outcome));
}

function linesOf({ outcome, identity, capabilities, questions, checked }: Diagnosis, paint: Paint): string[] {
  const box = [identity?.model, identity?.version, identity?.serial].filter((text) => text !== undefined).join(" ");
  const can = Object.entries(capabilities ?? {}).flatMap(([key, value]) => (value === true ? [key] : []));
  const lines = [`${paint("bold", outcome.target)}  ${box}`];
  if (can.length > 0) lines.push(`  can: ${can.sort().join(", ")}`);
  for (const { name, question } of questions) {
    const answer = checked?.answers[name];
    lines.push(`  ${answer === undefined ? paint("yellow", "unknown") : paint(answer === "yes" ? "green" : "red", answer)}  ${question}`);
  }
  if (checked !== undefined) lines.push(`  ${paint("dim", `tried ${checked.time} on this box with this version`)}`);
  else if (questions.length > 0)
    lines.push("  next: plumbline doctor TARGET --try-in vsysN, an empty virtual system that nobody uses; nothing is committed");
  for (const warning of outcome.warnings) lines.push(`  ${paint("yellow", "warning")} ${warning}`);
  return lines;
}
