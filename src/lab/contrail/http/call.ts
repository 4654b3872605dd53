import { parseJson } from "../../../core/json/parse.js";
import { isObject, type Json, type JsonObject } from "../../../core/json/value.js";
import type { Caller } from "../access/caller.js";
import type { AaaMode } from "../access/token.js";
import { internalError } from "../world/controller-error.js";
import type { ContrailWorld } from "../world/world.js";
import type { ContrailRequest } from "./request.js";

/** How requests are let in; `PUT /aaa-mode` changes it. */
export interface Gate {
  mode: AaaMode;
}

/** Whether a read of a virtual network has the fields that it was given, or all that the specification shows. */
export type NetworkFields = "given" | "specification";

/** A call with who makes it and on what. */
export interface Call {
  readonly world: ContrailWorld;
  readonly caller: Caller;
  readonly request: ContrailRequest;
  readonly gate: Gate;
  readonly networkFields: NetworkFields;
}

/** The body as a JSON object. Anything else is an internal error of the controller, as on the real one. */
export function bodyOf({ body, contentType }: ContrailRequest): JsonObject {
  const value = contentType.includes("application/json") ? parseBody(body) : undefined;
  if (!isObject(value)) throw internalError();
  return value;
}

function parseBody(body: string): Json | undefined {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}
