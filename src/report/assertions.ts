import { formatWhere } from "../core/errors.js";
import {
  type AssertionState,
  type CurrentAssertions,
  gravityOf,
  isSettled,
  type JudgedAssertion,
  type SelectedNodes,
} from "../outcome/assertion.js";
import { formatFirewalls } from "../outcome/insight.js";
import type { Command, TargetOutcome } from "../outcome/outcome.js";
import { formatAuthor } from "./format-counts.js";
import { flowText, ruleText } from "./insight.js";
import type { Colour, Paint } from "./style.js";

const COLOURS: Readonly<Record<AssertionState, Colour>> = { holds: "green", broken: "red", unknown: "yellow", empty: "red" };
const WORDS: Readonly<Record<AssertionState, string>> = {
  holds: "holds",
  broken: "broken",
  unknown: "not known to hold",
  empty: "matches nothing",
};

/** Returns the assertions for a terminal: the number that hold, and each one that does not. */
export function assertionLines({ assertions = [] }: Pick<TargetOutcome, "assertions">, command: Command, paint: Paint): string[] {
  if (assertions.length === 0) return [];
  const lines = ["", `  ${paint("bold", "Assertions")}  ${assertionSummary(assertions)}`];
  for (const judged of assertions.filter(({ state }) => state !== "holds")) {
    const words = formatState(judged, command);
    lines.push(`    ${paint(COLOURS[judged.state], `! ${judged.name}`)}  ${words}  ${paint("dim", formatWhere(judged.where))}`.trimEnd());
    for (const text of reasons(judged)) lines.push(`      ${text}`);
  }
  return lines;
}

/** Returns `11 hold · 1 broken`. */
export function assertionSummary(assertions: readonly JudgedAssertion[]): string {
  const of = (state: AssertionState) => assertions.filter((each) => each.state === state).length;
  const restored = assertions.filter(({ state, before }) => state === "holds" && before !== "holds").length;
  const holding = of("holds");
  const parts = [
    [holding, `${holding === 1 ? "holds" : "hold"}${restored === 0 ? "" : ` (${restored} again)`}`],
    [of("broken"), "broken"],
    [of("unknown"), "not known to hold"],
    [of("empty"), of("empty") === 1 ? "matches nothing" : "match nothing"],
  ] as const;
  return parts
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(" · ");
}

/** Returns `broken by this plan` or `broken, as before`, with the rulebase if several are judged. */
function formatState({ state, before, isByChange, scope, firewalls = [], others }: JudgedAssertion, command: Command): string {
  const who = { plan: "by this plan", drift: "by a manual change", reconcile: "by this run", apply: "by this run", audit: "" }[command];
  const more = isByChange && before === state ? `, and more so ${who}` : isByChange ? ` ${who}` : "";
  return `${WORDS[state]}${more}${scope === "" ? "" : `  ${scope}`}${firewalls.length === 0 ? "" : `  ${formatFirewalls(firewalls, others)}`}`;
}

/** Returns the flows that break the assertion, the deciding rule, the causes and the description. */
function reasons({ description, why, witness, selected, accepted }: JudgedAssertion): string[] {
  const who = witness?.admin === undefined ? "" : `, ${formatAuthor({ admin: witness.admin, time: witness.time })}`;
  return [
    ...(witness === undefined ? [] : [flowText(witness.flow)]),
    ...(witness === undefined
      ? []
      : [`by rule ${ruleText(witness.rule)}${who}${witness.condition === "" ? "" : `, if ${witness.condition}`}`]),
    ...(selected === undefined ? [] : selectedLines(selected)),
    ...why,
    ...(accepted === undefined ? [] : [`unknown flows are accepted: ${accepted}`]),
    ...(description === undefined ? [] : [`asserted: ${description}`]),
  ];
}

function selectedLines({ count, places, admin, time }: SelectedNodes): string[] {
  const who = admin === undefined ? [] : [formatAuthor({ admin, time })];
  const rest = count - places.length;
  return [...places.map(formatWhere), ...(rest > 0 ? [`and ${rest} more`] : []), ...who];
}

/** Describes one assertion that does not hold in one sentence. */
export function assertionSentence(judged: JudgedAssertion, command: Command): string {
  const verb = judged.state === "empty" ? "" : "is ";
  return [`"${judged.name}" ${verb}${formatState({ ...judged, scope: "" }, command)}`, ...reasons(judged)].join("; ");
}

/** Maximum number of assertions that are stored with a pass. */
const KEPT = 20;
/** Maximum number of characters that are stored for each. */
const KEPT_WORDS = 600;

/**
 * Returns the assertions after a check or a commit. Undefined: they were not judged by the running rules. Null: the documents have no
 * assertions.
 */
export function currentAssertions({ assertions, drift, applied }: TargetOutcome): CurrentAssertions | null | undefined {
  if (drift === undefined && applied?.proven !== true) return undefined;
  if (assertions === undefined || assertions.length === 0) return null;
  const others = assertions.filter(({ state }) => state !== "holds").sort((a, b) => gravityOf(b.state) - gravityOf(a.state));
  return {
    holding: assertions.length - others.length,
    others: others.slice(0, KEPT).map((judged) => {
      const { file, line } = judged.where;
      const words = [formatState(judged, "drift"), ...reasons(judged)].join("; ");
      return {
        name: judged.name,
        state: judged.state,
        isSettled: isSettled(judged),
        words: words.length > KEPT_WORDS ? `${words.slice(0, KEPT_WORDS - 1)}…` : words,
        source: file === undefined || line === undefined ? undefined : { file, line },
      };
    }),
    more: Math.max(0, others.length - KEPT),
  };
}

/** Returns the assertions that need attention. */
export function unsettled({ assertions = [] }: TargetOutcome): readonly JudgedAssertion[] {
  return assertions.filter((judged) => !isSettled(judged));
}
