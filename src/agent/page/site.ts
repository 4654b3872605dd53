import type { IncomingMessage, ServerResponse } from "node:http";
import { PlumblineError } from "../../core/errors.js";
import type { Asked } from "../asked.js";
import type { Store } from "../store/store.js";
import { ACTIONS, type ActionParts, failure } from "./actions.js";
import { cookieOf, isFromHere, readAsked, sessionCookie } from "./ask.js";
import type { Assets } from "./assets.js";
import type { Audits } from "./audits.js";
import type { Fleet } from "./fleet.js";
import type { Live } from "./live.js";
import type { LoginLimit } from "./login-limit.js";
import { jsonReply, type PageReply, refusal, sendReply } from "./reply.js";
import { equal, type Sessions } from "./sessions.js";
import { historyView, targetView } from "./target-view.js";
import type { SessionView } from "./view.js";

export interface SiteParts extends ActionParts {
  readonly assets: Assets;
  readonly fleet: Fleet;
  readonly live: Live;
  readonly audits: Audits;
  readonly store: Store;
  /** Undefined: nobody can sign in. */
  readonly sessions: Sessions | undefined;
  readonly limit: LoginLimit;
}

type Handler = (query: URLSearchParams, request: IncomingMessage) => Promise<PageReply> | PageReply;

const FOREVER = { "cache-control": "public, max-age=31536000, immutable" };

/** The page and what it asks for. `answer` gives false for paths that are not its own. */
export class Site {
  readonly #parts: SiteParts;
  readonly #reads: ReadonlyMap<string, Handler>;

  constructor(parts: SiteParts) {
    this.#parts = parts;
    const { assets, fleet, audits, store } = parts;
    const page: PageReply = { status: 200, type: "text/html", body: assets.page, headers: { "cache-control": "no-cache" } };
    this.#reads = new Map<string, Handler>([
      ["/", () => page],
      ["/app.js", () => ({ status: 200, type: "text/javascript", body: assets.script, headers: FOREVER })],
      ["/app.css", () => ({ status: 200, type: "text/css", body: assets.style, headers: FOREVER })],
      ["/icon.svg", () => ({ status: 200, type: "image/svg+xml", body: assets.icon, headers: FOREVER })],
      ["/api/fleet", async () => jsonReply(await fleet.view())],
      ["/api/target", async (query) => await this.#target(query.get("name") ?? "")],
      [
        "/api/history",
        async (query) =>
          jsonReply(await historyView(store, { target: query.get("target") || undefined, cursor: query.get("cursor") || undefined })),
      ],
      ["/api/audit", async () => jsonReply(await audits.view())],
      ["/api/session", (_query, request) => jsonReply(this.#session(request))],
    ]);
  }

  async answer(request: IncomingMessage, response: ServerResponse, asked: Asked): Promise<boolean> {
    const { path, query } = asked;
    if (request.method === "POST" && path.startsWith("/api/")) {
      await sendReply(request, response, await this.#change(path.slice(5), request, asked).catch(failure));
      return true;
    }
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    if (path === "/api/events" && request.method === "GET") {
      if (!this.#parts.live.open(response, asked.client.network))
        await sendReply(request, response, refusal(503, "too-many", "Too many pages are open."));
      return true;
    }
    const handler = this.#reads.get(path);
    if (handler === undefined) return false;
    await sendReply(request, response, await this.#read(handler, query, request));
    return true;
  }

  async #read(handler: Handler, query: URLSearchParams, request: IncomingMessage): Promise<PageReply> {
    try {
      return await handler(query, request);
    } catch (error) {
      if (error instanceof PlumblineError && error.code === "option-invalid") return refusal(400, error.code, error.message);
      return failure(error);
    }
  }

  async #target(name: string): Promise<PageReply> {
    const row = await this.#parts.fleet.row(name);
    if (row === undefined) return refusal(404, "target-unknown", "There is no target of that name in the commit in force.");
    return jsonReply(await targetView(row, this.#parts.store));
  }

  #session(request: IncomingMessage): SessionView {
    const { sessions } = this.#parts;
    const session = sessions?.read(cookieOf(request));
    return { name: session?.name ?? "", csrf: session?.csrf ?? "", canSignIn: sessions !== undefined };
  }

  async #change(name: string, request: IncomingMessage, asked: Asked): Promise<PageReply> {
    const { sessions } = this.#parts;
    if (!isFromHere(request, asked.client)) return refusal(403, "other-origin", "Only the page itself may ask for this.");
    if (sessions === undefined) return refusal(403, "read-only", "No token is set, so nobody can sign in (docs/page.md).");
    const body = await readAsked(request);
    if (body === undefined) return refusal(400, "body", "That is not what the page sends.");
    if (name === "login") return this.#signIn(body, asked, sessions);
    const session = sessions.read(cookieOf(request));
    if (session === undefined)
      return refusal(401, "signed-out", cookieOf(request) === undefined ? "Sign in first." : "Your session is over: sign in again.");
    if (!equal(String(request.headers["x-csrf-token"] ?? ""), session.csrf)) return refusal(403, "csrf", "Load the page again.");
    if (name === "logout") {
      sessions.close(cookieOf(request));
      return jsonReply({ done: "Signed out." }, 200, { "set-cookie": sessionCookie("", asked.client) });
    }
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) return refusal(404, "unknown", "There is no such thing to do.");
    const reply = await action(body, session, this.#parts);
    this.#parts.live.nudge();
    return reply;
  }

  #signIn(body: Readonly<Record<string, unknown>>, { client }: Asked, sessions: Sessions): PageReply {
    const { token, name } = body;
    if (typeof token !== "string" || !sessions.fits(token)) {
      const wait = this.#parts.limit.failed(client.network);
      if (wait > 0) return refusal(429, "too-often", `Too many wrong tokens: wait ${wait} s.`, { "retry-after": String(wait) });
      return refusal(401, "token-wrong", "That is not the token.");
    }
    if (typeof name !== "string" || name.trim() === "") return refusal(400, "name-missing", "Say who you are: it stands in the history.");
    const cookie = sessions.open(name);
    const session = sessions.read(cookie);
    return jsonReply({ name: session?.name, csrf: session?.csrf, canSignIn: true }, 200, { "set-cookie": sessionCookie(cookie, client) });
  }
}
