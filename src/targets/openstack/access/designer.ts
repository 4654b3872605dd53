import type { DesignPlace, Drafts } from "../../../access/designer.js";
import type { FlowDesigner, FlowRequest } from "../../../access/flow-designer.js";
import { PROJECT } from "../shape.js";
import { compareProjects } from "./compare.js";
import { draftsFor } from "./drafts.js";
import { type End, endsOf } from "./ends.js";
import { type Flows, flowsBetween } from "./flows.js";
import { narrowings } from "./narrow.js";

/** Writes access requests as rules and memberships of security groups. */
export const openstackDesigner: FlowDesigner = {
  style: "ends",
  request(tree, words) {
    const { from, to } = endsOf(tree, words);
    const isTransit = words.fromZone !== undefined && words.toZone !== undefined;
    return new GroupRequest(flowsBetween(from, to, words.service, isTransit), words.service);
  },
  compare(before, after, requests, options) {
    const flows = requests.map((request) => {
      if (!(request instanceof GroupRequest)) throw new Error("the requests are those of this designer");
      return request.flows;
    });
    return compareProjects(before, after, flows, options);
  },
};

class GroupRequest implements FlowRequest {
  readonly scope = PROJECT;
  readonly fromZone: string;
  readonly toZone: string;
  readonly notes: readonly string[];

  constructor(
    readonly flows: Flows,
    readonly service: string,
  ) {
    this.fromZone = zoneOf(flows.from);
    this.toZone = zoneOf(flows.to);
    this.notes = [...flows.from.notes, ...flows.to.notes];
  }

  drafts(place: DesignPlace, note: string): Drafts {
    return draftsFor(place, this.flows, this.service, note);
  }

  narrowings(place: DesignPlace): Drafts {
    return narrowings(place, this.flows);
  }
}

function zoneOf({ label, isOutside }: End): string {
  return isOutside ? "anywhere" : label;
}
