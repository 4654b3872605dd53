import { type Design, type Designs, designsFor } from "../../src/access/design.js";
import { withEdits } from "../../src/access/edit.js";
import type { AccessRequest } from "../../src/access/request.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import type { Policy } from "../../src/reachability/flows/policy.js";
import type { PredefinedApplication } from "../../src/reachability/policy-role.js";
import { panosDesigner } from "../../src/targets/panos/access/designer.js";
import { rulebasesOf } from "../../src/targets/panos/policy/policies.js";
import type { Brute, Flow } from "../targets/panos/policy/brute.js";
import type { Wanted } from "./worlds.js";

function requestOf({ from, source, to, destination, service, application, user }: Wanted): AccessRequest {
  return {
    from: { text: source ?? from, zone: from, address: source },
    to: { text: destination ?? to, zone: to, address: destination },
    service,
    application,
    user,
    note: "CHG-1",
  };
}

/** A request in one virtual system, with every rule and object in documents unless `declared` is given. */
export function askable(tree: TreeNode, wanted: Wanted, declared: TreeNode = tree) {
  // The interpreter knows the same default ports (`randomFacts`).
  const port = (at: number) => ({ ports: [{ protocol: 6, first: at, last: at }], parts: [] });
  const predefined = new Map<string, PredefinedApplication>([
    ["ssl", port(443)],
    ["postgres", port(8080)],
    ["ping", { ports: [{ protocol: 1, first: 0, last: 65_535, icmpType: "8" }], parts: [] }],
  ]);
  const options = { applications: [wanted.application], predefined };
  const question = {
    from: [wanted.from],
    to: [wanted.to],
    source: wanted.source === undefined ? [] : [wanted.source],
    destination: wanted.destination === undefined ? [] : [wanted.destination],
    service: [wanted.service],
    application: [wanted.application],
    user: wanted.user === undefined ? [] : [wanted.user],
    isRequest: true,
  };
  const [rulebase] = rulebasesOf([tree], options);
  const [policy] = rulebase?.policies() ?? [];
  if (rulebase === undefined || policy === undefined) throw new Error("a virtual system has a rulebase");
  const policyOf = (edited: TreeNode): Policy => {
    const [both] = rulebasesOf([tree, edited], options);
    const after = both?.policies()[1];
    if (after === undefined) throw new Error("an edit keeps the virtual system");
    return after;
  };
  const place = { scope: "vsys1", tree, declared };
  return { place, request: requestOf(wanted), flows: rulebase.flows(0, question), policy, designer: panosDesigner, policyOf };
}

/** Designs a request in one virtual system. */
export function ask(tree: TreeNode, wanted: Wanted, declared: TreeNode = tree): Designs {
  const { policyOf, ...question } = askable(tree, wanted, declared);
  return designsFor({ ...question, after: (draft) => [policyOf(withEdits(tree, draft.edits))] });
}

/** Whether a flow belongs to a request, by the independent interpreter. */
export function isWanted(brute: Brute, wanted: Wanted, flow: Flow): boolean {
  const { service, application } = wanted;
  const hasType = service === "icmp" && ["ping", "own-ping"].includes(application);
  const isService =
    service === "icmp"
      ? flow.protocol === 1 && (!hasType || flow.icmpType === "8")
      : service === "47"
        ? flow.protocol === 47
        : isPort(brute, wanted, flow);
  return (
    flow.from === wanted.from &&
    flow.to === wanted.to &&
    (wanted.user === undefined || brute.isUser(wanted.user, flow.user)) &&
    brute.holds(wanted.source ?? "any", flow.source) &&
    brute.holds(wanted.destination ?? "any", flow.destination) &&
    (application === flow.application || (application === "apps" && flow.application === "ssl")) &&
    isService
  );
}

function isPort(brute: Brute, wanted: Wanted, flow: Flow): boolean {
  const ports = /^tcp\/(.*)$/.exec(wanted.service)?.[1]?.split(",").map(Number);
  return ports === undefined ? brute.serves(wanted.service, flow) : flow.protocol === 6 && ports.includes(flow.port);
}

export const edited = (tree: TreeNode, { edits }: Design): TreeNode => withEdits(tree, edits);
