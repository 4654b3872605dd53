import type { Limit } from "../../../reachability/flows/policy.js";
import type { Reading } from "./reading.js";
import { rulesOf } from "./rules.js";
import type { EffectiveSystem } from "./systems.js";

/** Limits that apply to every answer about a firewall. */
const ALWAYS: readonly Limit[] = [
  "Assumes that App-ID has already identified the session.",
  "Existing sessions are not re-evaluated unless session rematch is enabled.",
  "Not modelled: traffic to the device itself, zone and DoS protection, decryption, authentication policy, policy-based forwarding, NAT64 and NPTv6, applications that others imply.",
].map((text) => ({ text, doubtful: false }));

/** Rulebases that change what a session is before security rules see it. */
const BEFORE_SECURITY: readonly (readonly [tag: string, text: string])[] = [
  ["application-override", "This rulebase has application override rules, which set the application of a session and are not modelled."],
];

export function limitsOf(system: EffectiveSystem, reading: Reading): readonly Limit[] {
  const own = [...(system.doubts ?? []), ...reading.doubts, ...overrides(system)];
  return [...own.map((text) => ({ text, doubtful: true })), ...reading.asOf().map((text) => ({ text, doubtful: false })), ...ALWAYS];
}

function overrides({ layers }: EffectiveSystem): readonly string[] {
  return BEFORE_SECURITY.filter(([tag]) => layers.some((layer) => rulesOf(layer, tag).length > 0)).map(([, text]) => text);
}
