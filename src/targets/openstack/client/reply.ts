import type { JsonObject } from "../../../core/json/value.js";
import type { SecretValue } from "../../../core/secret.js";

/** What a service answered to something that it did. */
export interface OpenstackReply {
  readonly status: number;
  /** Empty where the reply has no body. Labels stand in place of secrets. */
  readonly body: JsonObject;
  /** `adminPass` and `private_key`, by field. */
  readonly secrets: ReadonlyMap<string, SecretValue>;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly requestId: string | undefined;
}

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}
