import { dayOf } from "../core/day.js";
import { loadDesired } from "../desired/load.js";
import { nearEnds, type RuleEnd } from "../desired/rule-end.js";
import { quietly } from "../pull-request/propose/verify.js";
import { kinds } from "../targets/registry.js";
import type { Context } from "./context.js";
import { findConfiguration, type GlobalOptions } from "./options.js";

/** Returns the rules in the documents that have ended or end soon, by target. Undefined if the documents cannot be loaded. */
export async function ruleEndsOf(flags: GlobalOptions, context: Context): Promise<ReadonlyMap<string, readonly RuleEnd[]> | undefined> {
  const today = dayOf(context.now());
  try {
    const loaded = await loadDesired(findConfiguration(flags, context), quietly({ environment: context.environment, kinds, today }));
    const kindOf = (name: string) => kinds.get(loaded.configuration.targets.get(name)?.kind ?? "");
    return new Map([...loaded.targets].map(([name, { root }]) => [name, nearEnds(kindOf(name)?.ruleEnds?.(root) ?? [], today)]));
  } catch {
    // `validate` reports the errors of documents. The state of the targets is shown without them.
    return undefined;
  }
}
