import type { JsonObject } from "../../../core/json/value.js";

/** A refusal in the words of the network service: HTTP 400 with `{"exception": …}`. */
export class NeutronError extends Error {
  readonly body: JsonObject;

  constructor(exception: string, members: JsonObject) {
    super(exception);
    this.body = { exception, ...members };
  }
}

export function neutronBadRequest(resource: string, msg: string): NeutronError {
  return new NeutronError("BadRequest", { resource, msg });
}
