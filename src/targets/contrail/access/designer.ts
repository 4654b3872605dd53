import type { FlowDesigner, FlowRequest } from "../../../access/flow-designer.js";
import { ANY_FLOW, DEFAULT_LEVEL, type Rule } from "../../../reachability/flows/policy.js";
import type { Rulebase } from "../../../reachability/policy-role.js";
import { SCOPE } from "../collections.js";
import { fabricIn } from "../policy/fabric.js";
import { rulebasesOf } from "../policy/policies.js";
import { ASSUMED } from "../policy/reading.js";
import { type Places, placesIn } from "../policy/subnets.js";
import { readingOptions } from "../policy-role.js";
import { allowingDrafts } from "./drafts.js";
import { type End, endsOf, notRoutedTo, serviceOf } from "./ends.js";
import { closingDrafts } from "./narrow.js";
import { holdersOf, type Site } from "./site.js";

/** A request with the ends in the names of the controller. */
interface ControllerRequest extends FlowRequest {
  readonly from: End;
  readonly to: End;
  readonly service: string;
  readonly places: Places;
}

/** Writes access requests as rules of network policies. */
export const contrailDesigner: FlowDesigner = {
  style: "ends",
  request(tree, words, options): ControllerRequest {
    const reading = { ...ASSUMED, ...readingOptions(options) };
    const [rulebase] = rulebasesOf([tree], reading);
    const networks = [...fabricIn(tree, reading).networks.keys()];
    const places = placesIn(tree, new Set(networks));
    const { from, to, notes } = endsOf(words, { rulebase, networks, places });
    const service = serviceOf(words.service);
    const siteIn = (place: Site["place"]): Site => {
      const fabric = fabricIn(place.tree, reading);
      return { place, fabric, from, to, service, holders: holdersOf(fabric, from, to) };
    };
    return {
      scope: SCOPE,
      fromZone: from.label,
      toZone: to.label,
      notes,
      from,
      to,
      service: words.service,
      places,
      drafts: (place, note) => allowingDrafts(siteIn(place), note),
      narrowings: (place) => closingDrafts(siteIn(place)),
    };
  },
  compare(before, after, requests, options) {
    const [rulebase] = rulebasesOf([before, after], readingOptions(options));
    const [one, other] = rulebase.policies();
    if (one === undefined || other === undefined) throw new Error("a controller has policies");
    const own = requests.filter(isOwn);
    const impossible = own.flatMap(({ from, to, places }) => [...impossibleFlows(places, from, to), ...impossibleFlows(places, to, from)]);
    return { before: one, after: other, flows: own.map((request) => flowsOf(rulebase, request)), impossible };
  },
};

/** Returns flows of two networks to one of them whose destinations the controller routes to the other one. */
function impossibleFlows(places: Places, other: End, to: End): readonly Rule[] {
  const ranges = notRoutedTo(places, other.network, to.network);
  if (ranges.length === 0) return [];
  const name = `subnets of ${other.label}`;
  const id = `${other.network} ${to.network}`;
  const destination = { negated: false, objects: [{ id: name, name, values: ranges, members: [], unknowns: [] }] };
  const zones = { type: "universal", from: [other.label, to.label], to: [to.label] } as const;
  const key = { level: DEFAULT_LEVEL, group: "", name, uuid: id };
  return [{ ...ANY_FLOW, key, origin: {}, zones, destination, verdict: "deny", action: "deny" }];
}

function flowsOf(rulebase: Rulebase, { from, to, service }: ControllerRequest) {
  const addresses = ({ range, text }: End) => (range === undefined ? [] : [text]);
  const question = { from: [from.network], to: [to.network], source: addresses(from), destination: addresses(to) };
  return rulebase.flows(0, { ...question, service: [service], application: [] });
}

function isOwn(request: FlowRequest): request is ControllerRequest {
  return "from" in request && "to" in request;
}
