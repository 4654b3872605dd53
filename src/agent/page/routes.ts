import type { ServerResponse } from "node:http";
import type { PageRole } from "../../desired/configuration/page-settings.js";
import type { Asked } from "../asked.js";
import type { Person } from "./people.js";
import type { PageReply } from "./reply.js";
import type { Session } from "./sessions.js";

/**
 * Where the role must be held: on the one target that is named; on it or, where `all` is said, on every one; on every target; or
 * anywhere, where the answer then shows what the person may read and nothing else.
 */
export type Scope = "target" | "target-or-everything" | "everything" | "visible";

/** A request of somebody who is known, as far as that goes. */
export interface Given {
  readonly person: Person;
  readonly session: Session | undefined;
  readonly cookie: string | undefined;
  /** Of a browser that was away at the provider. */
  readonly away: string | undefined;
  readonly asked: Asked;
  /** Empty for a read. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What was let through; `target` is one that the person may read. */
export interface Admitted<S extends Scope> extends Given {
  readonly target: S extends "target" ? string : S extends "everything" ? undefined : string | undefined;
}

/** Some answers go on: they write the response themselves. */
export type Answer = PageReply | ((response: ServerResponse) => void);

const MADE = Symbol("by a function of this file");

/** Made by `guarded` and `forAnybody` alone, so that there is none that names no role. */
export type Route = {
  readonly [MADE]: true;
} & (
  | {
      readonly role: undefined;
      /** It opens a session, and so needs no word of the one before. */
      readonly opens: boolean;
      readonly answer: (given: Given) => Answer | Promise<Answer>;
    }
  | {
      readonly role: PageRole;
      readonly scope: Scope;
      readonly answer: (given: Admitted<Scope>) => Answer | Promise<Answer>;
    }
);

/** What takes a role; the gate asks for it, and the answer is not even begun without it. */
export function guarded<S extends Scope>(
  role: PageRole,
  scope: S,
  answer: (given: Admitted<S>) => Answer | Promise<Answer>,
): Extract<Route, { role: PageRole }> {
  return { [MADE]: true, role, scope, answer: (given) => answer(given as Admitted<S>) };
}

/** What says nothing of any target, and changes nothing but who is signed in. */
export function forAnybody(answer: (given: Given) => Answer | Promise<Answer>, opens = false): Route {
  return { [MADE]: true, role: undefined, opens, answer };
}
