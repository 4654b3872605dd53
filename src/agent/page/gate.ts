import type { IncomingMessage } from "node:http";
import { equal } from "../constant-time.js";
import type { Happening } from "../events.js";
import type { ClientRequest } from "../http-request.js";
import type { LoginLimit } from "./login-limit.js";
import type { People, Person } from "./people.js";
import { type PageReply, refusal } from "./reply.js";
import { awayCookieOf, bearerOf, cookieOf, isFromHere, readJsonBody } from "./request-auth.js";
import type { Admitted, Answer, Given, Route, Scope } from "./routes.js";
import type { Sessions } from "./sessions.js";

export interface GateParts {
  readonly people: People;
  readonly sessions: Sessions;
  readonly limit: LoginLimit;
  readonly controls: { targets(): ReadonlyMap<string, unknown> };
  readonly emit: (happening: Happening) => Promise<void>;
}

/** Decides who may do what. All routes pass through it. */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** Returns the answer of the route, or a refusal. */
  async pass(route: Route, request: IncomingMessage, clientRequest: ClientRequest): Promise<Answer> {
    const isChange = request.method === "POST";
    if (isChange && !isFromHere(request, clientRequest.client))
      return refusal(403, "other-origin", "Only the page itself may send this request.");
    const body = isChange ? await readJsonBody(request) : {};
    if (body === undefined) return refusal(400, "body", "The request is invalid.");
    const given = await this.#given(request, clientRequest, body);
    if (!("person" in given)) return given;
    const opens = route.role === undefined && route.opens;
    if (isChange && !opens && isForged(given, request)) return refusal(403, "csrf", "Load the page again.");
    if (route.role === undefined) return await route.answer(given);
    const admitted = await this.#admit(route, given);
    return "person" in admitted ? await route.answer(admitted) : admitted;
  }

  /** Returns the person of a session cookie. Undefined if the session has ended. */
  person(cookie: string | undefined): Person | undefined {
    const { sessions, people } = this.#parts;
    const session = sessions.read(cookie);
    return session === undefined ? undefined : people.ofSession(session);
  }

  /** Checks whether the session was closed at another agent. */
  async recheck(cookie: string | undefined): Promise<void> {
    await this.#parts.sessions.recheck(cookie);
  }

  async #given(request: IncomingMessage, clientRequest: ClientRequest, body: Given["body"]): Promise<Given | PageReply> {
    const { people, sessions } = this.#parts;
    const common = { away: awayCookieOf(request, clientRequest.client), clientRequest, body };
    const bearer = people.hasTokens ? bearerOf(request) : undefined;
    if (bearer !== undefined) {
      const content = people.byToken(bearer);
      const person = content === undefined ? undefined : people.ofSession(content);
      if (person === undefined) return await this.wrongToken(clientRequest);
      return { person, session: undefined, cookie: undefined, ...common };
    }
    const cookie = cookieOf(request, clientRequest.client);
    await sessions.recheck(cookie);
    const session = sessions.read(cookie);
    const person = session === undefined ? undefined : people.ofSession(session);
    if (person === undefined) return { person: people.visitor, session: undefined, cookie, ...common };
    return { person, session, cookie, ...common };
  }

  /** Reports a failed sign-in, up to a few per minute and client. Returns the seconds to wait above that limit. */
  async failed(how: "token" | "provider", why: string, { client: { network, address } }: ClientRequest): Promise<number> {
    const { limit, emit } = this.#parts;
    const wait = limit.failed(network);
    if (wait === 0) await emit({ type: "sign-in-refused", how, why, address });
    return wait;
  }

  /** Refuses a wrong token. After a few attempts the client must wait. */
  async wrongToken(clientRequest: ClientRequest): Promise<PageReply> {
    const wait = await this.failed("token", "the token is wrong", clientRequest);
    if (wait > 0) return refusal(429, "too-often", `Too many wrong tokens: wait ${wait} s.`, { "retry-after": String(wait) });
    return refusal(401, "token-wrong", "The token is unknown.");
  }

  async #admit({ role, scope }: Extract<Route, { scope: Scope }>, given: Given): Promise<Admitted<Scope> | PageReply> {
    const { person, clientRequest, body } = given;
    const { access } = person;
    const isAll = scope === "everything" || (scope === "target-or-everything" && body.all === true);
    const name = isAll
      ? undefined
      : (nameIn(body.target) ?? clientRequest.query.get("name") ?? clientRequest.query.get("target") ?? undefined);
    const target = name === "" ? undefined : name;
    if (person.how === "visitor" && (role !== "read" || !access.isAny)) return signInFirst(given, this.#parts.sessions);
    // The history contains removed targets. Only a role on every target covers them.
    const isPast = scope === "visible" && access.mayEverywhere("read");
    const isThere = target === undefined || isPast || this.#parts.controls.targets().has(target);
    if (target !== undefined && !(isThere && access.may("read", target))) return unknownTarget();
    if (target === undefined && scope.startsWith("target") && !isAll) return unknownTarget();
    const may = target !== undefined ? access.may(role, target) : scope === "visible" ? access.isAny : access.mayEverywhere(role);
    if (may) return { ...given, target };
    if (person.how === "visitor") return signInFirst(given, this.#parts.sessions);
    await this.#parts.emit({ type: "act-refused", role, target, by: person.by, address: clientRequest.client.address });
    const where = target ?? (scope === "visible" ? "any target" : "every target");
    return refusal(403, "role-missing", `${person.name} may not do that: it takes the role "${role}" on ${where}.`);
  }
}

function nameIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A browser sends the cookie with every request, but only the page knows the CSRF token. */
function isForged({ session }: Given, request: IncomingMessage): boolean {
  return session !== undefined && !equal(String(request.headers["x-csrf-token"] ?? ""), session.csrf);
}

function signInFirst({ cookie }: Given, sessions: Sessions): PageReply {
  const isOver = cookie !== undefined && cookie !== "";
  const by = sessions.lapsed(cookie)?.how;
  return refusal(
    401,
    by === "provider" ? "session-over" : "signed-out",
    isOver ? "Your session is over: sign in again." : "Sign in first.",
  );
}

export function unknownTarget(): PageReply {
  return refusal(404, "target-unknown", "There is no target of that name in the active commit.");
}
