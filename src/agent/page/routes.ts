import type { ServerResponse } from "node:http";
import type { PageRole } from "../../desired/configuration/page-settings.js";
import type { ClientRequest } from "../http-request.js";
import type { Person } from "./people.js";
import type { PageReply } from "./reply.js";
import type { Session } from "./sessions.js";

/**
 * Targets on which the role is required: the named target; the named target or, with `all`, every target; every target; or any target. For
 * the last one, the answer contains only what the person may read.
 */
export type Scope = "target" | "target-or-everything" | "everything" | "visible";

/** Request with the person that was identified. */
export interface Given {
  readonly person: Person;
  readonly session: Session | undefined;
  readonly cookie: string | undefined;
  /** Cookie of a sign-in at the provider. */
  readonly away: string | undefined;
  readonly clientRequest: ClientRequest;
  /** Empty for GET requests. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Admitted request. The person may read `target`. */
export interface Admitted<S extends Scope> extends Given {
  readonly target: S extends "target" ? string : S extends "everything" ? undefined : string | undefined;
}

/** Reply, or a function that writes the response itself. */
export type Answer = PageReply | ((response: ServerResponse) => void);

const MADE = Symbol("by a function of this file");

/** Only `guarded` and `forAnybody` create routes, so that no route lacks a decision about its role. */
export type Route = {
  readonly [MADE]: true;
} & (
  | {
      readonly role: undefined;
      /** The route opens a session, so it needs no CSRF token of an earlier one. */
      readonly opens: boolean;
      readonly answer: (given: Given) => Answer | Promise<Answer>;
    }
  | {
      readonly role: PageRole;
      readonly scope: Scope;
      readonly answer: (given: Admitted<Scope>) => Answer | Promise<Answer>;
    }
);

/** Creates a route that requires a role. The gate checks the role before `answer` is called. */
export function guarded<S extends Scope>(
  role: PageRole,
  scope: S,
  answer: (given: Admitted<S>) => Answer | Promise<Answer>,
): Extract<Route, { role: PageRole }> {
  return { [MADE]: true, role, scope, answer: (given) => answer(given as Admitted<S>) };
}

/** Creates a route for everyone. It must not reveal any target or change anything except the session. */
export function forAnybody(answer: (given: Given) => Answer | Promise<Answer>, opens = false): Route {
  return { [MADE]: true, role: undefined, opens, answer };
}
