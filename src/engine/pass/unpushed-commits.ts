import { UNPUSHED } from "../../guards/unpushed.js";
import type { TargetContext } from "./context.js";

/** True for `push: { others: selective }`, unless `--allow unpushed` overrides it. */
export function excludesUnpushed({ configuration, options }: TargetContext): boolean {
  return configuration.push?.others === "selective" && !options.overrides.allow.has(UNPUSHED);
}

/** True if other administrators' work is included in a push, by setting or by `--allow unpushed`. */
export function includesUnpushed({ configuration, options }: TargetContext): boolean {
  return configuration.push?.others === "include" || options.overrides.allow.has(UNPUSHED);
}
