import { type Design, type Designs, designsFor } from "../../src/access/design.js";
import { withEdits } from "../../src/access/edit.js";
import type { AccessRequest } from "../../src/access/request.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { panosDesigner } from "../../src/targets/panos/access/designer.js";
import { rulebasesOf } from "../../src/targets/panos/policy/policies.js";
import type { Wanted } from "./worlds.js";

function requestOf({ from, source, to, destination, service, application }: Wanted): AccessRequest {
  return {
    from: { text: source ?? from, zone: from, address: source },
    to: { text: destination ?? to, zone: to, address: destination },
    service,
    application,
    note: "CHG-1",
  };
}

/** Designs a request in one virtual system, with every rule and object in documents unless `declared` is given. */
export function ask(tree: TreeNode, wanted: Wanted, declared: TreeNode = tree): Designs {
  // The interpreter knows the same default ports (`randomFacts`).
  const port = (at: number) => ({ ports: [{ protocol: 6, first: at, last: at }], parts: [] });
  const predefined = new Map([
    ["ssl", port(443)],
    ["postgres", port(8080)],
  ]);
  const options = { applications: [wanted.application], predefined };
  const question = {
    from: [wanted.from],
    to: [wanted.to],
    source: wanted.source === undefined ? [] : [wanted.source],
    destination: wanted.destination === undefined ? [] : [wanted.destination],
    service: [wanted.service],
    application: [wanted.application],
  };
  const [rulebase] = rulebasesOf([tree], options);
  const [policy] = rulebase?.policies() ?? [];
  if (rulebase === undefined || policy === undefined) throw new Error("a virtual system has a rulebase");
  return designsFor({
    place: { scope: "vsys1", tree, declared },
    request: requestOf(wanted),
    flows: rulebase.flows(0, question),
    policy,
    designer: panosDesigner,
    after: (draft) => {
      const [both] = rulebasesOf([tree, withEdits(tree, draft.edits)], options);
      const edited = both?.policies()[1];
      if (edited === undefined) throw new Error("an edit keeps the virtual system");
      return edited;
    },
  });
}

export const edited = (tree: TreeNode, { edits }: Design): TreeNode => withEdits(tree, edits);
