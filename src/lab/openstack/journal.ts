import type { Service } from "./options.js";
import { isObject, type Json } from "./world/json.js";

/** A request that the lab received, with its outcome. The journal is in the order of arrival. */
export interface JournalEntry {
  /** Starts at 1 and counts the requests of all services. */
  readonly n: number;
  readonly service: Service;
  /** ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** Without secrets. */
  readonly body: Json;
  readonly requestId: string;
  /** User of the token; undefined if the request was not authenticated. */
  user: string | undefined;
  project: string | undefined;
  /** Whether the service processed the request. A refusal counts; a dropped request does not. */
  executed: boolean;
  status: number | undefined;
  /** The refusal's message. */
  message: string | undefined;
  /** State of the reply. */
  reply: "pending" | "sent" | "none" | "spoilt";
  /** Kinds of the faults that matched this request. */
  readonly faults: string[];
}

const SECRET = new Set(["password", "secret", "adminPass", "admin_pass", "private_key", "user_data"]);

/** Returns a body with its secrets masked. */
export function withoutSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  const isToken = Object.keys(value).length === 1 && typeof value.id === "string" && value.id.startsWith("gAAAAAB");
  if (isToken) return { id: "…" };
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, SECRET.has(key) && typeof each === "string" ? "…" : withoutSecrets(each)]),
  );
}
