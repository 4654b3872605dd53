import type { TargetContext } from "../../engine/pass/context.js";
import { type CleanupResult, type CleanupStep, mayChangeFlows, type RulebaseCleanup } from "../../outcome/cleanup.js";
import { stepText } from "../../report/cleanup.js";
import { flowText } from "../../report/insight.js";
import { codeSpan, prose } from "../../report/markdown/text.js";
import type { CodeHost } from "../host.js";
import { type EditProposed, proposeEdit, withoutMarkup } from "./propose-edit.js";

/** Maximum number of steps, and of flows of each effect, in the text of a pull request. */
const SHOWN = 50;

/** Proposes the removal of rules of one target. */
export async function proposeCleanup(
  context: TargetContext,
  result: CleanupResult,
  host: CodeHost | undefined,
  base: string | undefined,
): Promise<EditProposed> {
  const { title, message, body } = cleanupTexts(context.name, result);
  return await proposeEdit({ context, kind: "cleanup", files: result.files, key: "", title, message, body, host, base });
}

/** Returns the texts of a commit and a pull request. */
export function cleanupTexts(target: string, { rulebases, atApply }: CleanupResult) {
  const steps = rulebases.flatMap((each) => each.steps);
  const isDisabling = steps.every(({ action }) => action === "disable");
  const [first, ...others] = steps;
  const what = others.length === 0 ? `rule ${first?.rule ?? ""}` : `${steps.length} rules`;
  return {
    title: withoutMarkup(`${isDisabling ? "Disable" : "Clean up"} ${what} of ${target}`),
    message: shown(steps, (step) => `- ${withoutMarkup(stepText(step))}`),
    body: [...rulebases.flatMap((each) => rulebaseBody(each)), ...atApply.map((text) => `At apply: ${prose(text, 400)}`)].join("\n"),
  };
}

function shown<Item>(items: readonly Item[], lineOf: (item: Item) => string): string[] {
  const more = items.length - SHOWN;
  return [...items.slice(0, SHOWN).map(lineOf), ...(more > 0 ? [`- and ${more} more`] : [])];
}

function rulebaseBody({ scope, steps, kept, effect, notes }: RulebaseCleanup): string[] {
  if (steps.length === 0) return [];
  const [silent, changing] = [steps.filter((step) => !mayChangeFlows(step)), steps.filter(mayChangeFlows)];
  const flows = [
    ["opens", effect.opened],
    ["closes", effect.closed],
    ["changes logs or profiles of", effect.handled],
  ] as const;
  const lines = (all: readonly CleanupStep[]) => shown(all, (step) => `- ${codeSpan(stepText(step))}`);
  const changes = flows.flatMap(([verb, all]) => shown(all, (flow) => `- ${verb} ${codeSpan(flowText(flow))}`));
  return [
    `### ${prose(scope, 100)}`,
    "",
    ...(silent.length === 0 ? [] : ["Without these rules, every flow gets the same verdict, logs and profiles:", "", ...lines(silent), ""]),
    ...(changing.length === 0 ? [] : ["Ended or without sessions:", "", ...lines(changing), ""]),
    ...(changing.length === 0 ? [] : [changes.length === 0 ? "Their removal changes no flow." : "Their removal:", "", ...changes, ""]),
    ...(kept.length === 0
      ? []
      : ["These rules stay:", "", ...shown(kept, ({ rule, reason }) => `- ${codeSpan(rule)}: ${prose(reason, 200)}`), ""]),
    ...notes.map((text) => `${prose(text, 400)}\n`),
  ];
}
