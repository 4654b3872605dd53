import { type PassOptions, withoutFlags } from "../src/engine/pass/options.js";

type Groups = Pick<PassOptions, "source" | "selection" | "overrides" | "stores" | "analysis" | "listeners">;

/** Options of a pass without their groups. */
export type PassFields = Partial<
  Omit<PassOptions, keyof Groups> &
    Groups["source"] &
    Groups["selection"] &
    Groups["overrides"] &
    Groups["stores"] &
    Groups["analysis"] &
    Groups["listeners"]
>;

/** The group of each field. Fields of no group belong to the options themselves. */
const GROUPS: Readonly<Record<Exclude<keyof PassFields, keyof Omit<PassOptions, keyof Groups>>, keyof Groups>> = {
  configurationFile: "source",
  unsaved: "source",
  kinds: "source",
  environment: "source",
  mayRun: "source",
  targets: "selection",
  only: "selection",
  withUndeclared: "selection",
  acceptKnownAfterApply: "selection",
  listsUnmanaged: "selection",
  allow: "overrides",
  allowEmptyLive: "overrides",
  allowNonDescendant: "overrides",
  allowRewind: "overrides",
  rotateSecrets: "overrides",
  stateFolder: "stores",
  ledger: "stores",
  devices: "stores",
  absences: "stores",
  storeLedgers: "stores",
  storedApprovals: "stores",
  fingerprintKey: "stores",
  insight: "analysis",
  insightWork: "analysis",
  replay: "analysis",
  verdicts: "analysis",
  progress: "listeners",
  pushing: "listeners",
  tally: "listeners",
  warn: "listeners",
};

/** Returns the options of a pass of a test: `base`, by default a run without flags, with `fields` in their groups. */
export function passOptions(fields: PassFields, base: Partial<PassOptions> = withoutFlags): PassOptions {
  const options: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(fields)) {
    const group = (GROUPS as Readonly<Record<string, string>>)[field];
    if (group === undefined) options[field] = value;
    else options[group] = { ...(options[group] as object | undefined), [field]: value };
  }
  return options as unknown as PassOptions;
}
