import { PlumblineError } from "../../src/core/errors.js";
import type { Order } from "./manager-script.js";
import type { RequestKind } from "./wire.js";

const READS = new Set(["op", "log", "export", "version", "keygen", "report"]);

/** From a reply that enqueued a job. */
export function jobIn(reply: string): number | undefined {
  const job = /<job>(\d+)</.exec(reply)?.[1];
  return job === undefined ? undefined : Number(job);
}

export function kindOf(params: ReadonlyMap<string, string>): RequestKind {
  const type = params.get("type") ?? "";
  if (type === "commit") return "write";
  if (type === "config") return params.get("action") === "get" || params.get("action") === "show" ? "read" : "change";
  const isAsking = /^<(show|check|validate)>/.test(params.get("cmd") ?? "");
  return !READS.has(type) || (type === "op" && !isAsking) ? "write" : "read";
}

/** Undefined if the request starts no job. */
export function orderOf(params: ReadonlyMap<string, string>): Order | undefined {
  if (params.get("type") !== "commit") return undefined;
  const command = params.get("cmd") ?? "";
  if (!command.startsWith("<commit-all>")) return "commit";
  return command.includes("<validate-only>yes") ? "validate" : "push";
}

/** Error of a connection if a request gets no reply. */
export function asOfTheTransport(error: unknown): unknown {
  if (!(error instanceof PlumblineError)) return error;
  if (error.code === "reply-lost" || error.code === "request-timed-out")
    return Object.assign(new Error("Headers Timeout Error"), { name: "HeadersTimeoutError", code: "UND_ERR_HEADERS_TIMEOUT" });
  return error;
}
