/** The reason why a secret is unavailable, to follow its reference and a colon. Never contains a value. */
export class SecretUnavailable extends Error {}

/** Returns the text at a key of a secret store's data. Numbers and booleans are converted to text. */
export function textAt(held: unknown, keys: readonly string[], what: string): string {
  let at: unknown = held;
  for (const key of keys) {
    const isThere = typeof at === "object" && at !== null && Object.hasOwn(at, key);
    if (!isThere) throw new SecretUnavailable(`${what} has no ${keys.join("/")}`);
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  if (typeof at === "string") return at;
  if (typeof at === "number" || typeof at === "boolean") return String(at);
  throw new SecretUnavailable(`${what} holds no text at ${keys.join("/")}`);
}
