import type { JsonObject } from "../../../core/json/value.js";
import type { SecretValue } from "../../../core/secret.js";

/** A successful reply of a service. */
export interface OpenstackReply {
  readonly status: number;
  /** Empty if the reply has no body. Secrets are replaced with their labels. */
  readonly body: JsonObject;
  /** `adminPass` and `private_key`, by field name. */
  readonly secrets: ReadonlyMap<string, SecretValue>;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly requestId: string | undefined;
}

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}
