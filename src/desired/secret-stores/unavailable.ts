/** Why a secret cannot be had, in words that follow its reference and a colon; never with a value in them. */
export class SecretUnavailable extends Error {}

/** The text at a key of what a store holds; a number or a truth value is what it is written as. */
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
