import type { AcceptedOverlap } from "../../desired/assertions.js";
import type { Lint, LintedRule } from "../../outcome/reach.js";

/** Overlaps that documents accept in one rulebase. */
interface Accepting {
  readonly here: readonly AcceptedOverlap[];
  /** Of those the ones that speak of no other rulebase. */
  readonly own: readonly AcceptedOverlap[];
}

/** Adds the acceptance to each finding of a rulebase. `today`: yyyy-mm-dd. If several accept a finding, the latest end counts. */
export function withAcceptance(linted: Lint, { here, own }: Accepting, today: string): Lint {
  if (here.length === 0) return linted;
  const latest = [...here].sort((a, b) => (a.until < b.until ? 1 : -1));
  const accepted = (finding: LintedRule): LintedRule => {
    const by = latest.find((each) => each.overlaps.includes(finding.rule));
    if (by === undefined) return finding;
    const { name, reason, until } = by;
    return { ...finding, accepted: { name, reason, until, isOver: until < today } };
  };
  const found = new Set(linted.findings.map(({ rule }) => rule));
  const unneeded = own.flatMap(({ name, overlaps: rules }) => rules.filter((rule) => !found.has(rule)).map((rule) => ({ name, rule })));
  return { ...linted, findings: linted.findings.map(accepted), ...(unneeded.length === 0 ? {} : { unneeded }) };
}
