import { editText } from "../../outcome/edit.js";
import type { DecidingRules, FlowWords, ReachRow } from "../../outcome/insight.js";
import type { Cause } from "../flows/cause.js";
import type { Model } from "../flows/compile.js";
import type { Rule } from "../flows/policy.js";
import type { Decided, Row, WidePart } from "../flows/rows.js";
import type { AmbiguousNames } from "../format/ambiguous-names.js";
import { AddressNames } from "../format/format-addresses.js";
import { formatConditions, pairedFlows, steppedFlows } from "../format/format-flow.js";
import { editOf } from "./format-edit.js";

/** Maximum number of listed flows and deciding rules per row. An exact row has at most a few thousand flows. */
const FLOWS = 20_000;
const RULES = 20;
const ALLOW = "allow";

/** Returns a row in the form that reports print. */
export function formatRow(row: Row, model: Model, ambiguous: AmbiguousNames): ReachRow {
  const names = new AddressNames([...row.before.rules, ...row.after.rules, ...rulesOf(row.cause)], ambiguous);
  const base = {
    change: row.after.verdict === ALLOW ? ("opened" as const) : ("closed" as const),
    cause: editText(editOf(row.cause)),
    was: formatDecidingRules(row.before),
    now: formatDecidingRules(row.after),
    conditions: row.conditions.map(formatConditions),
  };
  if (row.extent.kind === "holes") {
    const conditions = row.extent.hasOtherConditions
      ? [...base.conditions, "something else holds, which was not looked for"]
      : base.conditions;
    return { ...base, conditions, ...wholesWords(row.extent.wholes, model, names) };
  }
  const regions = row.extent.regions();
  const flows = pairedFlows(regions.slice(0, FLOWS), model, names);
  return { ...base, flows, more: Math.max(0, regions.length - FLOWS) };
}

function wholesWords(wholes: readonly WidePart[], model: Model, names: AddressNames): Pick<ReachRow, "flows" | "more" | "except"> {
  const flows: FlowWords[] = wholes.flatMap((part) => steppedFlows(part, model, names));
  const sum = (of: (part: WidePart) => number) => wholes.reduce((total, part) => total + of(part), 0);
  const [holes, changed, all, open] = [
    sum((part) => part.holes),
    sum(({ pairs }) => pairs.changed),
    sum(({ pairs }) => pairs.all),
    sum((part) => part.undecided),
  ];
  const claims = open === 0 ? "" : `; ${open} ${open === 1 ? "claim about it was" : "claims about it were"} given up`;
  const except = `all but what ${holes} ${holes === 1 ? "rule decides" : "rules decide"} as after the change; something changes in ${changed} of ${all} pairs of zones${claims}`;
  return { flows: flows.slice(0, FLOWS), more: Math.max(0, flows.length - FLOWS), except };
}

export function formatDecidingRules({ verdict, rules }: Decided): DecidingRules {
  const shown = rules.slice(0, RULES).map(({ key, origin }) => ({ name: key.name, where: origin }));
  return { verdict, rules: shown, more: Math.max(0, rules.length - RULES) };
}

function rulesOf(cause: Cause): readonly Rule[] {
  return cause.kind === "rule" ? [cause.rule] : [];
}
