import type { Service } from "./options.js";
import { isObject, type Json } from "./world/json.js";

/** One request as the lab saw it and what became of it, in the order of arrival. */
export interface JournalEntry {
  /** From 1, counted over all services. */
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
  /** Of the token that was sent; undefined when nobody was authenticated. */
  user: string | undefined;
  project: string | undefined;
  /** Whether the service acted on it (a refusal counts; a dropped request does not). */
  executed: boolean;
  status: number | undefined;
  /** The refusal's message. */
  message: string | undefined;
  /** What became of the reply on its way. */
  reply: "pending" | "sent" | "none" | "spoilt";
  /** Kinds of the faults that met this request. */
  readonly faults: string[];
}

const SECRET = new Set(["password", "secret", "adminPass", "admin_pass", "private_key", "user_data"]);

/** A body with its secrets left out. */
export function withoutSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  const isToken = Object.keys(value).length === 1 && typeof value.id === "string" && value.id.startsWith("gAAAAAB");
  if (isToken) return { id: "…" };
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, SECRET.has(key) && typeof each === "string" ? "…" : withoutSecrets(each)]),
  );
}
