import { listed } from "../../outcome/shorten-list.js";
import { compile } from "../../reachability/flows/compile.js";
import { meeting } from "../../reachability/flows/may-match.js";
import type { FlowSet } from "../../reachability/flows/policy.js";
import { reach } from "../../reachability/flows/reach.js";
import type { DestinationLandings, Rulebase } from "../../reachability/policy-role.js";

/** Zone that NAT and routes send flows to, before rules match. Rules match the zone after NAT and the address before it. */
export interface TranslatedZone {
  /** Names of the NAT rules that may translate the destination. */
  readonly rules: string;
  readonly zones: readonly string[];
  /** Reasons why the zones are not certain. */
  readonly unknown: readonly string[];
}

/** Returns the zones after NAT. Undefined if no NAT rule may translate the destination. */
export function translatedZone(rulebase: Rulebase, flows: FlowSet): TranslatedZone | undefined {
  const landed = rulebase.destinationLandings?.(0, flows);
  if (landed === undefined) return undefined;
  const { rules, policy, unknown } = landed;
  const word = rules.length === 1 ? "NAT rule" : "NAT rules";
  const zones = new Set<string>();
  const reasons = new Set(unknown);
  for (const { zone, why } of policy === undefined ? [] : landingsOf({ ...landed, policy }, flows)) {
    if (zone === undefined) reasons.add(why);
    else zones.add(zone);
  }
  return { rules: `${word} ${listed(rules)}`, zones: [...zones], unknown: [...reasons] };
}

const NO_ROUTE = "no route leads to it";

interface Landed {
  readonly zone: string | undefined;
  readonly why: string;
}

function landingsOf(
  { policy, landings }: DestinationLandings & { readonly policy: NonNullable<DestinationLandings["policy"]> },
  flows: FlowSet,
): Landed[] {
  const traffic = flows.traffic.map((each) => ({ ...each, applications: "any" as const, conditions: [] }));
  const asked: FlowSet = { ...flows, zones: { ...flows.zones, to: "any" }, traffic, users: "any" };
  const model = compile([meeting(policy, [asked])], [asked]);
  const [compiled] = model.policies;
  const [question = []] = model.questions;
  if (compiled === undefined) throw new Error("one policy makes one");
  return reach(model, compiled, question).flatMap(({ verdict, conditions, undecided, rule }): Landed[] => {
    const landing = landings.get(verdict);
    const unsure = (why: string): Landed => ({ zone: undefined, why });
    if (undecided) return [unsure("NAT and routes are too complex for an exact answer")];
    if (landing === undefined) return [unsure(NO_ROUTE)];
    const { zone, ends, why } = landing;
    if (ends === "itself") return [unsure("the firewall itself has the address")];
    if (zone === undefined) return [unsure(why === "" ? NO_ROUTE : why)];
    const texts = conditions.flat().map(({ unknown: { name }, holds }) => `${holds ? "" : "not "}${name}`);
    const doubt = texts.length === 0 ? [] : [unsure(`${rule.key.name} sends it to zone ${zone} only if ${texts.join(" and ")}`)];
    return [{ zone, why: "" }, ...doubt];
  });
}
