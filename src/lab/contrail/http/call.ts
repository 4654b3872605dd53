import { parseJson } from "../../../core/json/parse.js";
import { isObject, type Json, type JsonObject } from "../../../core/json/value.js";
import type { Caller } from "../access/caller.js";
import type { AaaMode } from "../access/token.js";
import { internalError } from "../world/controller-error.js";
import type { ContrailWorld } from "../world/world.js";
import type { ContrailRequest } from "./request.js";

/** Authorization mode; `PUT /aaa-mode` changes it. */
export interface Gate {
  mode: AaaMode;
}

/** Fields of a virtual network in a read: configured ones, or all that the specification shows. */
export type NetworkFields = "given" | "specification";

/** A request with its caller and the state it works on. */
export interface Call {
  readonly world: ContrailWorld;
  readonly caller: Caller;
  readonly request: ContrailRequest;
  readonly gate: Gate;
  readonly networkFields: NetworkFields;
}

/** Returns the body as a JSON object. For any other body throws an internal error, like the real controller. */
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
