import type { Operation } from "../../../core/operation.js";
import type { SecretValue } from "../../../core/secret.js";
import { escapeXml } from "./commands.js";
import type { PanosRequest } from "./request.js";
import { wireElement } from "./wire-element.js";

/** One operation as API parameters: `xpath`, and `element`, `where`, `dst` or `newname`. */
export interface WireOperation {
  readonly action: Operation["action"];
  readonly xpath: string;
  readonly element: string | undefined;
  readonly more: readonly (readonly [name: string, value: string])[];
  readonly secrets: readonly SecretValue[];
}

export function wireOperation(operation: Operation): WireOperation {
  const xpath = operation.at.toString();
  switch (operation.action) {
    case "set":
    case "edit": {
      const { xml, secrets } = wireElement(operation.element);
      return { action: operation.action, xpath, element: xml, more: [], secrets };
    }
    case "delete":
      return { action: "delete", xpath, element: undefined, more: [], secrets: [] };
    case "rename":
      return { action: "rename", xpath, element: undefined, more: [["newname", operation.newName]], secrets: [] };
    case "move":
      return { action: "move", xpath, element: undefined, more: moveParameters(operation), secrets: [] };
  }
}

function moveParameters(operation: Extract<Operation, { action: "move" }>): WireOperation["more"] {
  const where = ["where", operation.where] as const;
  return operation.where === "before" || operation.where === "after" ? [where, ["dst", operation.anchor]] : [where];
}

/** Encodes one operation as a single request, as in the specification. */
export function singleRequest({ action, xpath, element, more, secrets }: WireOperation): PanosRequest {
  const body: PanosRequest["parameters"] = element === undefined ? more : [["element", element], ...more];
  return {
    parameters: [["type", "config"], ["action", action], ["xpath", xpath], ...body],
    repeatable: false,
    sensitive: secrets.length > 0,
  };
}

/**
 * Encodes several operations as one transaction (docs/contributing/devices/panos.md#batches), numbered from 1. A `strict` transaction fails while a
 * commit runs, and first reverts the administrator's earlier uncommitted changes.
 */
export function batchRequest(operations: readonly WireOperation[], strict: boolean): PanosRequest {
  const inner = operations.map(({ action, xpath, element, more }, index) => {
    const attributes = [["id", String(index + 1)], ["xpath", xpath], ...more].map(([name, value]) => `${name}="${escapeXml(value ?? "")}"`);
    return element === undefined ? `<${action} ${attributes.join(" ")}/>` : `<${action} ${attributes.join(" ")}>${element}</${action}>`;
  });
  const parameters: [string, string][] = [
    ["type", "config"],
    ["action", "multi-config"],
    ["element", `<multi-config>${inner.join("")}</multi-config>`],
  ];
  if (strict) parameters.push(["strict-transactional", "yes"]);
  return { parameters, repeatable: false, sensitive: operations.some(({ secrets }) => secrets.length > 0) };
}
