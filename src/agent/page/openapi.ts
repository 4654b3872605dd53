import { version } from "../../core/version.js";
import { historyKinds } from "../../outcome/history.js";
import { REPLIES, REQUESTS, type Schema } from "./api-schema.js";
import type { Route } from "./routes.js";

interface Described {
  readonly summary: string;
  /** Name of the schema of the reply. */
  readonly reply: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly type?: string;
}

const text = { type: "string" } as const;

/** Every path of the API. A path without a description fails when the agent starts. */
const DESCRIBED: Readonly<Record<string, Described>> = {
  "GET /api/openapi.json": { summary: "This document", reply: "" },
  "GET /api/targets": { summary: "All visible targets with their state", reply: "Targets" },
  "GET /api/fleet": { summary: "All visible targets in the packed form of the page, and facts about the agent", reply: "Fleet" },
  "GET /api/target": {
    summary: "One target with its drift and its newest plan",
    reply: "Target",
    query: { name: { ...text, description: "Name of the target (required)." } },
  },
  "GET /api/history": {
    summary: "Events, newest first",
    reply: "History",
    query: {
      name: { ...text, description: "Only this target." },
      person: { ...text, description: "Only events by this author." },
      kind: { ...text, enum: historyKinds },
      since: { ...text, pattern: "^[0-9]{1,11}$", description: "Seconds since 1970." },
      until: { ...text, pattern: "^[0-9]{1,11}$", description: "Seconds since 1970." },
      cursor: { ...text, description: "next of the previous page." },
    },
  },
  "GET /api/access": { summary: "Targets for which the user may request access", reply: "AccessTargets" },
  "POST /api/access": { summary: "Answers an access request, and designs the edit that allows it", reply: "Access" },
  "POST /api/propose": { summary: "Opens the pull request for the edit of an answer", reply: "Access" },
  "GET /api/audit": { summary: "Comparison of the cloud with its controller", reply: "Audit" },
  "GET /api/events": { summary: "Changes as server-sent events: rows, gone, meta, checked", reply: "", type: "text/event-stream" },
  "GET /api/session": { summary: "The user of the request and the roles", reply: "Session" },
  "POST /api/login": { summary: "Signs in with a token and sets a cookie", reply: "Session" },
  "POST /api/logout": { summary: "Ends the session", reply: "Done" },
  "POST /api/pause": { summary: "Blocks all runs from writing", reply: "Done" },
  "POST /api/resume": { summary: "Ends a pause", reply: "Done" },
  "POST /api/plan": { summary: "Plans a target", reply: "Done" },
  "POST /api/reconcile": { summary: "Reconciles a target", reply: "Done" },
  "POST /api/approve": { summary: "Approves the newest plan of a target", reply: "Done" },
  "POST /api/allow": { summary: "Overrides the guards that refuse the newest plan, once", reply: "Done" },
};

/** Returns the OpenAPI 3.1 document of the routes, by method and path. Throws for a route of the API without a description. */
export function openApi(routes: ReadonlyMap<string, Route>): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, route] of routes) {
    const [method = "", path = ""] = name.split(" ");
    if (!path.startsWith("/api/")) continue;
    const described = DESCRIBED[name];
    if (described === undefined) throw new Error(`${name} has no description in openapi.ts`);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(path, method, described, route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Plumbline agent", version, description: "The API of the agent's page (docs/page.md#api)." },
    paths,
    components: {
      schemas: REPLIES,
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "__Host-plumbline_session" },
      },
    },
  };
}

function operation(
  path: string,
  method: string,
  { summary, reply, query = {}, type = "application/json" }: Described,
  route: Route,
): object {
  const schema = reply === "" ? (type === "application/json" ? { type: "object" } : text) : { $ref: `#/components/schemas/${reply}` };
  const success = { description: "Success", content: { [type]: { schema } } };
  const body = REQUESTS[path];
  const parameters = Object.entries(query).map(([name, { description, ...rest }]) => ({
    name,
    in: "query",
    required: path === "/api/target",
    schema: rest,
    ...(description === undefined ? {} : { description }),
  }));
  return {
    operationId: `${method.toLowerCase()}-${path.slice("/api/".length).replace(".", "-")}`,
    summary,
    ...(route.role === undefined ? { security: [] } : { description: `Requires the role ${route.role}.`, security: SIGNED_IN }),
    ...(parameters.length === 0 && method === "GET" ? {} : { parameters: [...parameters, ...(method === "POST" ? [CSRF] : [])] }),
    ...(method === "POST"
      ? { requestBody: { content: { "application/json": { schema: { type: "object", properties: body ?? {} } } } } }
      : {}),
    responses: {
      200: success,
      ...(method === "POST" ? { 202: success } : {}),
      default: { description: "An error", content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } },
    },
  };
}

const CSRF = {
  name: "x-csrf-token",
  in: "header",
  required: false,
  schema: text,
  description: "csrf of the session. Required with a cookie, not with a bearer token.",
} as const;

const SIGNED_IN = [{ token: [] }, { session: [] }, {}] as const;
