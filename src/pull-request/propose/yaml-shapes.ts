import { parseTemplate } from "../../desired/template.js";
import { isMap, isScalar, isSeq } from "../../import/yaml.js";
import { valueAt } from "../../import/yaml-entries.js";
import { BY_REFERENCE, MADE, refuse } from "./refusal.js";

const MAKERS = ["$forEach", "$count"];

/** Refuses a node that contains a directive that creates nodes. */
export function refuseMade(node: unknown): void {
  const makes = (one: unknown) => isMap(one) && MAKERS.some((maker) => valueAt(one, maker) !== undefined);
  if (makes(node) || (isMap(node) && node.items.some(({ value }) => makes(value))) || (isSeq(node) && node.items.some(makes))) refuse(MADE);
}

/** Refuses a node that contains a reference, except to a kept secret. */
export function refuseReferences(node: unknown): void {
  if (isScalar(node)) {
    if (typeof node.value === "string" && refers(node.value)) refuse(BY_REFERENCE);
  } else if (isSeq(node)) node.items.forEach(refuseReferences);
  else if (isMap(node)) for (const { value } of node.items) refuseReferences(value);
}

function refers(text: string): boolean {
  const template = parseTemplate(text);
  return "unclosedAt" in template || template.some((part) => typeof part !== "string" && part.kind !== "keep");
}
