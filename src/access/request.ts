/** One side of an access request in one zone. */
export interface Endpoint {
  /** Text of the request. */
  readonly text: string;
  readonly zone: string;
  /** Name or literal of the addresses. Undefined: every address of the zone. */
  readonly address: string | undefined;
}

/** A flow that must be allowed, in names and literals of the target. */
export interface AccessRequest {
  readonly from: Endpoint;
  readonly to: Endpoint;
  /** `tcp/5432`, or the name of a service. */
  readonly service: string;
  readonly application: string;
  /** User or group. Undefined: every user. */
  readonly user?: string | undefined;
  /** Text for the description of the rule: reason, requester and end date. */
  readonly note: string;
  /** Action of a new rule. Undefined: allow. */
  readonly action?: "deny" | undefined;
}

/** Match fields of a rule that a member can be added to. */
export type Field = "from" | "to" | "source" | "destination" | "service" | "application" | "source-user";
