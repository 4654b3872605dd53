import type { IncomingMessage, ServerResponse } from "node:http";
import { dayOf } from "../../core/day.js";
import { PlumblineError } from "../../core/errors.js";
import { PAGE_ROLES } from "../../desired/configuration/page-schema.js";
import type { ClientRequest } from "../http-request.js";
import type { Store } from "../store/store.js";
import { accessRoutes } from "./access-routes.js";
import { type ActionParts, actionsOf, failure } from "./actions.js";
import { bodyFault } from "./api-schema.js";
import type { Assets } from "./assets.js";
import type { Audits } from "./audits.js";
import { commitView, type Fleet, targetList } from "./fleet.js";
import { type Gate, unknownTarget } from "./gate.js";
import type { Live } from "./live.js";
import { openApi } from "./openapi.js";
import { providerRoutes } from "./provider-routes.js";
import { jsonReply, type PageReply, refusal, sendReply } from "./reply.js";
import { type Admitted, type Answer, forAnybody, type Given, guarded, type Route } from "./routes.js";
import { type SigningInParts, signingIn } from "./signing-in.js";
import { historyQuery, historyView, targetView } from "./target-view.js";
import { seenAudit, visibleCommit, visibleFleet } from "./visible-parts.js";

export interface SiteParts extends ActionParts, SigningInParts {
  readonly assets: Assets;
  readonly fleet: Fleet;
  readonly live: Live;
  readonly audits: Audits;
  readonly store: Store;
  readonly gate: Gate;
}

const FOREVER = { "cache-control": "public, max-age=31536000, immutable" };
/** GET routes with side effects. HEAD does not run them. */
const AT_WORK: ReadonlySet<string> = new Set(["/api/events", "/login/start", "/login/callback"]);
/** Role for the other pages of the agent, which name any target. */
const EVERYTHING = guarded("read", "everything", () => jsonReply({}));

/** The page and its API. */
export class Site {
  readonly #parts: SiteParts;
  /** Routes by method and path. */
  readonly #routes: ReadonlyMap<string, Route>;

  constructor(parts: SiteParts) {
    this.#parts = parts;
    const file = (type: string, body: string, headers = FOREVER): Route => forAnybody(() => ({ status: 200, type, body, headers }));
    const { assets, fleet, audits, controls } = parts;
    const { session, login, logout } = signingIn(parts);
    const access = accessRoutes(parts);
    const routes = new Map<string, Route>([
      ["GET /", file("text/html", assets.page, { "cache-control": "no-cache" })],
      ["GET /app.js", file("text/javascript", assets.script)],
      ["GET /app.css", file("text/css", assets.style)],
      ["GET /icon.svg", file("image/svg+xml", assets.icon)],
      ["GET /api/session", session],
      ...this.#provided(),
      ["POST /api/login", login],
      ["POST /api/logout", logout],
      ["GET /api/fleet", guarded("read", "visible", async ({ person }) => jsonReply(visibleFleet(await fleet.view(), person.access)))],
      [
        "GET /api/targets",
        guarded("read", "visible", async ({ person }) =>
          jsonReply(targetList(visibleFleet(await fleet.view(), person.access), await controls.unanswered())),
        ),
      ],
      ["GET /api/openapi.json", forAnybody(() => jsonReply(document))],
      ["GET /api/target", guarded("read", "target", async (given) => await this.#target(given))],
      ["GET /api/history", guarded("read", "visible", async (given) => await this.#history(given))],
      ["GET /api/audit", guarded("read", "visible", async ({ person }) => jsonReply(seenAudit(await audits.view(), person.access)))],
      ["GET /api/access", access.targets],
      ["POST /api/access", access.ask],
      ["POST /api/propose", access.propose],
      ["GET /api/events", guarded("read", "visible", (given) => this.#listen(given))],
      ...Object.entries(actionsOf(parts)).map(([name, route]) => [`POST /api/${name}`, this.#nudging(route)] as const),
    ]);
    const document = openApi(routes);
    this.#routes = routes;
  }

  /** Returns false for paths that it does not serve. */
  async answer(request: IncomingMessage, response: ServerResponse, clientRequest: ClientRequest): Promise<boolean> {
    const method = request.method === "HEAD" && !AT_WORK.has(clientRequest.path) ? "GET" : request.method;
    const route = this.#routes.get(`${method} ${clientRequest.path}`);
    if (route !== undefined) await send(request, response, await this.#pass(route, request, clientRequest));
    else if (method === "POST" && clientRequest.path.startsWith("/api/"))
      await sendReply(request, response, refusal(404, "unknown", "Unknown action."));
    else return false;
    return true;
  }

  /** Answers users who may not read every target. Returns false for the others. */
  async refuse(request: IncomingMessage, response: ServerResponse, clientRequest: ClientRequest): Promise<boolean> {
    const answer = await this.#pass(EVERYTHING, request, clientRequest);
    if (typeof answer === "function" || answer.status === 200) return false;
    await sendReply(request, response, { ...answer, headers: { ...answer.headers, "www-authenticate": "Bearer" } });
    return true;
  }

  async #pass(route: Route, request: IncomingMessage, clientRequest: ClientRequest): Promise<Answer> {
    const checked = withBodyCheck(route, clientRequest.path);
    try {
      return await this.#parts.gate.pass(checked, request, clientRequest);
    } catch (error) {
      if (error instanceof PlumblineError && error.code === "option-invalid") return refusal(400, error.code, error.message);
      return failure(error);
    }
  }

  #provided(): readonly (readonly [string, Route])[] {
    const { provider } = this.#parts;
    if (provider === undefined) return [];
    const { start, callback } = providerRoutes(provider, this.#parts);
    return [
      ["GET /login/start", start],
      ["GET /login/callback", callback],
    ];
  }

  async #target({ target, person }: Admitted<"target">): Promise<PageReply> {
    const { fleet, store, controls, now } = this.#parts;
    const row = await fleet.row(target);
    if (row === undefined) return unknownTarget();
    const may = PAGE_ROLES.filter((role) => person.access.may(role, target));
    const approve = controls.targets().get(target)?.approve === "required";
    const ends = controls.ruleEnds(target);
    const view = await targetView(row, store, { may, seenBy: person.name, approve, ends, today: dayOf(now()) });
    const commit = visibleCommit(await commitView(view.pass?.commit ?? "", controls), person.access);
    return jsonReply({ ...view, commit, push: fleet.push(target) });
  }

  async #history({ target, person, clientRequest }: Admitted<"visible">): Promise<PageReply> {
    const { store, controls } = this.#parts;
    const { access } = person;
    const seen = access.mayEverywhere("read") ? undefined : [...controls.targets().keys()].filter((name) => access.may("read", name));
    return jsonReply(
      await historyView(store, controls, { repository: store.repository, target, targets: seen, ...historyQuery(clientRequest.query) }),
    );
  }

  #listen({ person, session, cookie, clientRequest }: Given): Answer {
    const { live, gate } = this.#parts;
    const isVisitor = person.how === "visitor";
    const reader = {
      who: isVisitor ? clientRequest.client.network : person.by,
      isVisitor,
      access: () => (session === undefined ? person.access : gate.person(cookie)?.access),
      recheck: () => gate.recheck(session === undefined ? undefined : cookie),
    };
    if (live.isFull(reader)) return refusal(503, "too-many", "Too many pages are open.");
    return (response) => live.open(response, reader);
  }

  /** Shows the effect of an action immediately. */
  #nudging(route: Route): Route {
    if (route.role === undefined) return route;
    return guarded(route.role, route.scope, async (given) => {
      const answer = await route.answer(given);
      this.#parts.live.nudge();
      return answer;
    });
  }
}

async function send(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  if (typeof answer === "function") answer(response);
  else await sendReply(request, response, answer);
}

/** Refuses a body that does not match the schema of its request. The gate has checked the role before. */
function withBodyCheck(route: Route, path: string): Route {
  const checked = (given: Given, answer: () => Answer | Promise<Answer>): Answer | Promise<Answer> => {
    const fault = bodyFault(path, given.body);
    return fault === undefined ? answer() : refusal(400, "body", fault);
  };
  return route.role === undefined
    ? forAnybody((given) => checked(given, () => route.answer(given)), route.opens)
    : guarded(route.role, route.scope, (given) => checked(given, () => route.answer(given)));
}
