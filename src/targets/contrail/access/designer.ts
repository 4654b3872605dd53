import type { FlowDesigner, FlowRequest } from "../../../access/flow-designer.js";
import type { Rulebase } from "../../../reachability/policy-role.js";
import { SCOPE } from "../collections.js";
import { fabricIn } from "../policy/fabric.js";
import { rulebasesOf } from "../policy/policies.js";
import { ASSUMED } from "../policy/reading.js";
import { type Places, placesIn } from "../policy/subnets.js";
import { readingOptions } from "../policy-role.js";
import { allowingDrafts } from "./drafts.js";
import { endingPolicies } from "./endings.js";
import { type End, endsOf, serviceOf } from "./ends.js";
import { impossibleFlows, withoutReversePath } from "./impossible-flows.js";
import { closingDrafts } from "./narrow.js";
import { holdersOf, type Site } from "./site.js";

/** A request with the ends in the names of the controller. */
interface ControllerRequest extends FlowRequest {
  readonly from: End;
  readonly to: End;
  readonly service: string;
  readonly places: Places;
  readonly hasSpoofed: ReadonlySet<string>;
}

/** Writes access requests as rules of network policies. */
export const contrailDesigner: FlowDesigner = {
  style: "ends",
  request(tree, words, options): ControllerRequest {
    const reading = { ...ASSUMED, ...readingOptions(options) };
    const [rulebase] = rulebasesOf([tree], reading);
    const networks = [...fabricIn(tree, reading).networks.keys()];
    const places = placesIn(tree, new Set(networks));
    const hasSpoofed = withoutReversePath(tree);
    const { from, to, notes } = endsOf(words, { rulebase, networks, places, hasSpoofed });
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
      hasSpoofed,
      drafts: (place, note) => allowingDrafts(siteIn(place), note),
      narrowings: (place) => closingDrafts(siteIn(place)),
    };
  },
  compare(before, after, requests, options) {
    const [rulebase] = rulebasesOf([before, after], readingOptions(options));
    const [one, other] = rulebase.policies();
    if (one === undefined || other === undefined) throw new Error("a controller has policies");
    const own = requests.filter(isOwn);
    const impossible = own.flatMap(({ from, to, places, hasSpoofed }) => impossibleFlows(places, hasSpoofed, from, to));
    return { before: one, after: other, flows: own.map((request) => flowsOf(rulebase, request)), impossible };
  },
  endings: (place) => endingPolicies(place, fabricIn(place.tree, ASSUMED)),
};

function flowsOf(rulebase: Rulebase, { from, to, service }: ControllerRequest) {
  const addresses = ({ range, text }: End) => (range === undefined ? [] : [text]);
  const question = { from: [from.network], to: [to.network], source: addresses(from), destination: addresses(to) };
  return rulebase.flows(0, { ...question, service: [service], application: [] });
}

function isOwn(request: FlowRequest): request is ControllerRequest {
  return "from" in request && "to" in request;
}
