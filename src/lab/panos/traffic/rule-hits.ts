import type { TreeNode } from "../../../core/tree/node.js";
import { child, vsysEntries } from "../state/system-facts.js";
import { originOf, pushedRules } from "./judge.js";

/** Hit count of one rule. Times are in milliseconds since 1970-01-01 UTC; 0 means never. */
export interface HitCount {
  readonly rule: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly reset: number;
  readonly created: number;
}

const PUSHED = ["pre-rulebase", "post-rulebase"] as const;
const DEFAULTS = ["intrazone-default", "interzone-default"];
const key = (vsys: string, rule: string, origin = ""): string => JSON.stringify([vsys, origin, rule]);

interface CountedRule {
  readonly vsys: string;
  readonly rule: string;
  /** As in `Judgement`. */
  readonly origin: string;
}

/** Counts how often each rule decided a session. */
export class RuleHits {
  readonly #counts = new Map<string, Pick<HitCount, "count" | "first" | "last">>();
  readonly #created = new Map<string, { readonly vsys: string; readonly origin: string; readonly time: number }>();
  readonly #reset = new Map<string, number>();

  /** `origin`: as in `Judgement`. */
  note(vsys: string, rule: string, time: number, origin = ""): void {
    const at = key(vsys, rule, origin);
    const { count = 0, first = time } = this.#counts.get(at) ?? {};
    this.#counts.set(at, { count: count + 1, first, last: time });
  }

  /** Records the rules of a configuration, active from `time` on. New rules start at 0; removed rules lose their counts. */
  runs(config: TreeNode, time: number): void {
    const rules = vsysEntries(config).flatMap((vsys) => rulesOf(vsys).map((rule) => ({ vsys: vsys.name ?? "", rule, origin: "" })));
    this.#counted(rules, ({ origin }) => origin === "", time);
  }

  /** Records the rules that a manager pushed to a virtual system, active from `time` on. */
  receives(vsys: string, pushed: TreeNode, time: number): void {
    const nodes = PUSHED.flatMap((rulebase) => pushedRules(pushed, rulebase));
    const rules = nodes.map((node) => ({ vsys, rule: node.name ?? "", origin: originOf(node, pushed) }));
    this.#counted(rules, (known) => known.origin !== "" && known.vsys === vsys, time);
  }

  #counted(rules: readonly CountedRule[], isReplaced: (known: Omit<CountedRule, "rule">) => boolean, time: number): void {
    const keys = new Set(rules.map(({ vsys, rule, origin }) => key(vsys, rule, origin)));
    for (const [at, known] of [...this.#created]) {
      if (!isReplaced(known) || keys.has(at)) continue;
      this.#created.delete(at);
      this.#counts.delete(at);
    }
    for (const { vsys, rule, origin } of rules) {
      const at = key(vsys, rule, origin);
      if (!this.#created.has(at)) this.#created.set(at, { vsys, origin, time });
    }
  }

  clear(vsys: string, rule: string, time: number): void {
    this.#counts.delete(key(vsys, rule));
    this.#reset.set(key(vsys, rule), time);
  }

  /** Returns the counts in rule order, with the default rules last. */
  of(vsys: TreeNode): readonly HitCount[] {
    return rulesOf(vsys).map((rule) => this.#count(vsys.name ?? "", rule, ""));
  }

  /** Returns the count of a rule that a manager pushed. Undefined if the virtual system does not have it. */
  ofPushed(vsys: string, rule: string, origin: string): HitCount | undefined {
    return this.#created.has(key(vsys, rule, origin)) ? this.#count(vsys, rule, origin) : undefined;
  }

  #count(vsys: string, rule: string, origin: string): HitCount {
    const at = key(vsys, rule, origin);
    const counted = this.#counts.get(at) ?? { count: 0, first: 0, last: 0 };
    return { rule, ...counted, reset: this.#reset.get(at) ?? 0, created: this.#created.get(at)?.time ?? 0 };
  }
}

function rulesOf(vsys: TreeNode): readonly string[] {
  const rules = child(child(child(vsys, "rulebase"), "security"), "rules")?.children ?? [];
  return [...rules.map(({ name = "" }) => name), ...DEFAULTS];
}
