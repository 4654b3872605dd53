import { XMLBuilder } from "fast-xml-parser";
import { formatWhere } from "../core/errors.js";
import { isSettled } from "../outcome/assertion.js";
import { isInSync, reasonsNotInSync, refusalsIn } from "../outcome/in-sync.js";
import { type Command, isPending, type TargetOutcome } from "../outcome/outcome.js";
import { assertionSentence } from "./assertions.js";
import { withoutControls } from "./controls.js";
import { plain } from "./style.js";
import { renderText } from "./text.js";

/**
 * Renders one test suite for the command, and one test case for each target and each assertion. Pending changes of a plan are `skipped`
 * with a description: the plan has not failed, and the changes are not applied yet. Failures are drift, audit findings, differences after a
 * write, and refusals. Errors are errors (docs/pull-requests.md#junit).
 */
export function renderJunit(command: Command, outcomes: readonly TargetOutcome[]): string {
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    textNodeName: "#text",
    format: true,
    suppressEmptyNode: true,
  });
  const cases = outcomes.flatMap((outcome) => [testCase(command, outcome), ...assertionCases(command, outcome)]);
  const document = {
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    testsuites: {
      testsuite: {
        "@name": `plumbline ${command}`,
        "@tests": cases.length,
        "@failures": cases.filter((one) => "failure" in one).length,
        "@errors": cases.filter((one) => "error" in one).length,
        "@skipped": cases.filter((one) => "skipped" in one).length,
        testcase: cases,
      },
    },
  };
  return `${withoutControls(builder.build(document)).trimEnd()}\n`;
}

function testCase(command: Command, outcome: TargetOutcome) {
  const base = { "@name": outcome.target, "@classname": `plumbline.${command}` };
  const { error } = outcome;
  if (error !== undefined)
    return {
      ...base,
      error: { "@type": error.code, "@message": error.message, "#text": [formatWhere(error.where), error.next ?? ""].join("\n") },
    };
  const refusals = refusalsIn(outcome);
  const isRefused = refusals.length > 0;
  if (isInSync(outcome)) return base;
  const text = renderText(command, [outcome], plain);
  const reasons = reasonsNotInSync(outcome).map(({ reason, message, xpath }) => ({ reason, text: [message, xpath].join(" ").trim() }));
  if (!isPending(outcome))
    return {
      ...base,
      skipped: { "@type": reasons[0]?.reason, "@message": reasons.map(({ text }) => text).join("; ") },
      "system-out": text,
    };
  const type = isRefused ? "refused" : "pending";
  const isOther = reasons.every(({ reason }) => reason !== "differs" && reason !== "open");
  const message =
    refusals.map((refusal) => refusal.message).join("; ") || (isOther ? reasons.map(({ text }) => text).join("; ") : `${type} changes`);
  const isToDo = !isRefused && outcome.applied === undefined && command !== "drift" && command !== "audit";
  if (isToDo) return { ...base, skipped: { "@type": type, "@message": message }, "system-out": text };
  return { ...base, failure: { "@type": type, "@message": message, "#text": text } };
}

/** Returns one test case for each assertion. Unsettled assertions are failures. */
function assertionCases(command: Command, outcome: TargetOutcome) {
  const { assertions = [], target } = outcome;
  return assertions.map((judged) => {
    const base = { "@name": `${target} ${judged.scope}: ${judged.name}`, "@classname": "plumbline.assertion" };
    if (isSettled(judged)) return base;
    return { ...base, failure: { "@type": judged.state, "@message": assertionSentence(judged, command) } };
  });
}
