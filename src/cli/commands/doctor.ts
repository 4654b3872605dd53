import { joinLines } from "../../core/printable.js";
import { type Diagnosis, doctorTargets } from "../../engine/doctor.js";
import { exitCode } from "../../outcome/outcome.js";
import { errorLines } from "../../report/error-lines.js";
import { errorView } from "../../report/error-view.js";
import type { Paint } from "../../report/style.js";
import type { Context } from "../context.js";
import { writersFor } from "../open-targets.js";
import type { PlainFormat, WriteFlags } from "../options.js";
import { show } from "../show.js";
import { openSession, type PassFlags, passOptions, writeOptions } from "../terminal.js";

type Flags = PassFlags & WriteFlags & PlainFormat & { readonly tryIn?: string };

/** Prints the capabilities of a target and the results of trials. Returns the exit code. */
export async function doctor(given: Flags, context: Context, name: string): Promise<number> {
  const flags: Flags = { ...given, target: [name] };
  const session = openSession(flags, context);
  const writers = writersFor(session.logger);
  const found = await doctorTargets(passOptions(flags, context, session), writeOptions(flags, context), writers, flags.tryIn);
  session.progress.end();
  const code = exitCode(found.map(({ outcome }) => outcome));
  const text = () => found.map((diagnosis) => joinLines(linesOf(diagnosis, session.paint))).join("");
  show(flags, context, () => ({ exitCode: code, targets: found.map(diagnosisView) }), text);
  for (const { outcome } of found)
    if (outcome.error !== undefined) context.stderr.write(joinLines(errorLines(outcome.error, session.paint)));
  return code;
}

function diagnosisView({ outcome: { target, warnings, error }, identity, capabilities, facts, questions, checked }: Diagnosis): object {
  return {
    target,
    identity,
    capabilities,
    facts: Object.fromEntries(facts),
    trials: questions.map(({ name, question }) => ({ name, question, answer: checked?.answers[name] ?? "unknown" })),
    tried: checked?.time,
    warnings,
    error: error === undefined ? undefined : errorView(error),
  };
}

function linesOf({ outcome, identity, capabilities, facts, questions, checked }: Diagnosis, paint: Paint): string[] {
  const box = [identity?.model, identity?.version, identity?.serial].filter((text) => text !== undefined).join(" ");
  const can = Object.entries(capabilities ?? {}).flatMap(([key, value]) => (value === true ? [key] : []));
  const lines = [`${paint("bold", outcome.target)}  ${box}`];
  const width = Math.max(...[...facts.keys()].map((key) => key.length));
  lines.push(...[...facts].map(([key, value]) => `  ${paint("dim", key.padEnd(width))}  ${value.trim()}`));
  if (can.length > 0) lines.push(`  capabilities: ${can.sort().join(", ")}`);
  for (const { name, question } of questions) {
    const answer = checked?.answers[name];
    lines.push(`  ${answer === undefined ? paint("yellow", "unknown") : paint(answer === "yes" ? "green" : "red", answer)}  ${question}`);
  }
  if (checked !== undefined) lines.push(`  ${paint("dim", `tested ${checked.time} on this device and version`)}`);
  else if (questions.length > 0)
    lines.push("  next: plumbline doctor TARGET --try-in VSYS tests these in an empty, unused virtual system, without a commit");
  for (const warning of outcome.warnings) lines.push(`  ${paint("yellow", "warning")} ${warning}`);
  return lines;
}
