import type { TreeNode } from "../../../core/tree/node.js";
import { child, vsysEntries } from "../state/system-facts.js";

/** Hit count of one rule. Times are in milliseconds since 1970-01-01 UTC; 0 means never. */
export interface HitCount {
  readonly rule: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly reset: number;
  readonly created: number;
}

const DEFAULTS = ["intrazone-default", "interzone-default"];
const key = (vsys: string, rule: string): string => `${vsys} ${rule}`;

/** Counts how often each rule decided a session. */
export class RuleHits {
  readonly #counts = new Map<string, Pick<HitCount, "count" | "first" | "last">>();
  readonly #created = new Map<string, number>();
  readonly #reset = new Map<string, number>();

  note(vsys: string, rule: string, time: number): void {
    const { count = 0, first = time } = this.#counts.get(key(vsys, rule)) ?? {};
    this.#counts.set(key(vsys, rule), { count: count + 1, first, last: time });
  }

  /** Records the rules of a configuration, active from `time` on. New rules start at 0; removed rules lose their counts. */
  runs(config: TreeNode, time: number): void {
    const all = vsysEntries(config).flatMap((vsys) => rulesOf(vsys).map((rule) => key(vsys.name ?? "", rule)));
    for (const removed of [...this.#created.keys()].filter((each) => !all.includes(each))) {
      this.#created.delete(removed);
      this.#counts.delete(removed);
    }
    for (const each of all) if (!this.#created.has(each)) this.#created.set(each, time);
  }

  clear(vsys: string, rule: string, time: number): void {
    this.#counts.delete(key(vsys, rule));
    this.#reset.set(key(vsys, rule), time);
  }

  /** Returns the counts in rule order, with the default rules last. */
  of(vsys: TreeNode): readonly HitCount[] {
    return rulesOf(vsys).map((rule) => {
      const at = key(vsys.name ?? "", rule);
      const counted = this.#counts.get(at) ?? { count: 0, first: 0, last: 0 };
      return { rule, ...counted, reset: this.#reset.get(at) ?? 0, created: this.#created.get(at) ?? 0 };
    });
  }
}

function rulesOf(vsys: TreeNode): readonly string[] {
  const rules = child(child(child(vsys, "rulebase"), "security"), "rules")?.children ?? [];
  return [...rules.map(({ name = "" }) => name), ...DEFAULTS];
}
