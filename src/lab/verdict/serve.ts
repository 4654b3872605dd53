import type { IncomingMessage, ServerResponse } from "node:http";
import { parseRequest, readBody } from "../panos/http/parse-request.js";
import { send } from "../panos/http/send.js";
import type { VerdictFault } from "./faults.js";
import type { KnownFile } from "./known-files.js";
import { VerdictRefusal } from "./refusal.js";
import type { VerdictAnswer, VerdictCall, VerdictLab } from "./service.js";
import { errorXml } from "./xml.js";

type Command = (lab: VerdictLab, body: unknown) => unknown;

/** The lab's control endpoint below `/lab/`, for tests in other processes. */
const COMMANDS: Readonly<Record<string, Command>> = {
  "GET journal": (lab) => lab.journal,
  "POST faults": (lab, body) => {
    for (const fault of listOf<VerdictFault>(body)) lab.faults.add(fault);
  },
  "DELETE faults": (lab) => lab.faults.clear(),
  "POST hashes": (lab, body) => {
    for (const file of listOf<KnownFile>(body)) lab.files.add(file, lab.now());
  },
};

const MAX_BODY = 10 * 1024 * 1024;
const XML = "application/xml; charset=UTF-8";

/** Handles one HTTP request, with the next fault in the queue. */
export async function serve(lab: VerdictLab, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? "/", "http://lab");
  const body = await readBody(incoming, MAX_BODY);
  if (body === undefined) return reply(response, { http: 413, text: errorXml("Request Entity Too Large") });
  if (url.pathname.startsWith("/lab/")) {
    const { http, text } = control(lab, incoming.method ?? "GET", url.pathname.slice(5), body);
    return reply(response, { http, text }, "application/json");
  }
  const call = callOf(incoming, url, body);
  const fault = lab.faults.next();
  switch (fault?.kind) {
    case undefined:
      return reply(response, lab.answer(call));
    case "status":
      return reply(response, lab.refuse(call, new VerdictRefusal(fault.status ?? 500, fault.message ?? "Internal Server Error")));
    case "html":
      return reply(response, { http: 200, text: "<html><body>Sign in</body></html>" }, "text/html");
    case "half":
      return cutShort(response, lab.answer(call));
    case "drop":
      lab.answer(call);
      response.destroy();
  }
}

function callOf(incoming: IncomingMessage, url: URL, body: Buffer): VerdictCall {
  const { params, upload, method } = parseRequest(incoming, url, body);
  const fields = new Map(params);
  if (upload !== undefined) fields.set("file", upload.content);
  const bearer = /^Bearer\s+(\S+)$/i.exec(incoming.headers.authorization ?? "")?.[1];
  return { method, path: url.pathname.replace(/\/$/, ""), key: fields.get("apikey") ?? bearer, fields };
}

async function reply(response: ServerResponse, { http, text }: VerdictAnswer, contentType = XML): Promise<void> {
  await send(response, { http, contentType, body: [] }, text, undefined);
}

/** The Content-Length matches the half. Only the document itself shows that the rest is missing. */
async function cutShort(response: ServerResponse, { http, text }: VerdictAnswer): Promise<void> {
  await reply(response, { http, text: text.slice(0, text.length / 2) });
}

function control(lab: VerdictLab, method: string, path: string, body: Buffer): { readonly http: number; readonly text: string } {
  const command = COMMANDS[`${method} ${path}`];
  if (command === undefined) return { http: 404, text: JSON.stringify({ error: "unknown", commands: Object.keys(COMMANDS) }) };
  try {
    const parsed: unknown = body.length === 0 ? [] : JSON.parse(body.toString("utf8"));
    return { http: 200, text: JSON.stringify(command(lab, parsed) ?? { ok: true }) };
  } catch (error) {
    return { http: 400, text: JSON.stringify({ error: error instanceof Error ? error.message : String(error) }) };
  }
}

function listOf<T>(body: unknown): readonly T[] {
  return (Array.isArray(body) ? body : [body]) as T[];
}
