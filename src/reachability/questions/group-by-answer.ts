import type { JudgedFirewall } from "../../outcome/insight.js";
import { listed } from "../../outcome/shorten-list.js";

/** Device groups of which firewalls are named together. */
const SCOPES = 3;

interface Answer {
  readonly scope: string;
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  readonly rules?: number;
}

/** Groups firewalls with equal answers, also across device groups. Keeps the order of the first one of each group. */
export function groupByAnswer<Of extends Answer>(answers: readonly Of[]): Of[] {
  const found = new Map<string, { readonly first: Of; readonly all: Of[] }>();
  const alone: { readonly first: Of; readonly all: Of[] }[] = [];
  for (const answer of answers) {
    const { scope: _, firewalls, rules: __, ...said } = answer;
    const key = firewalls === undefined ? undefined : JSON.stringify(said);
    const known = key === undefined ? undefined : found.get(key);
    if (known !== undefined) known.all.push(answer);
    else {
      const made = { first: answer, all: [answer] };
      alone.push(made);
      if (key !== undefined) found.set(key, made);
    }
  }
  return alone.map(({ first, all }) => (all.length === 1 ? first : { ...first, ...together(all) }));
}

function together(answers: readonly Answer[]): Answer {
  const scope = listed([...new Set(answers.map((each) => each.scope))], SCOPES);
  const rules = answers.flatMap((each) => each.rules ?? []);
  const firewalls = answers.flatMap((each) => each.firewalls ?? []);
  return { scope, firewalls, ...(rules.length === 0 ? {} : { rules: Math.max(...rules) }) };
}
