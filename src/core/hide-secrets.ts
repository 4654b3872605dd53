import { SecretValue } from "./secret.js";

/** Shorter secrets would match ordinary words. */
const SHORTEST = 3;

/**
 * Replaces secrets in a message of a service by their labels. Services quote the requests that they refuse, so a revealed secret can appear
 * in the message: completely, as JSON, or line by line.
 */
export function hideSecrets(words: string, sent: readonly unknown[]): string {
  const secrets = sent.filter((each) => each instanceof SecretValue);
  return secrets.reduce(
    (text, secret) => formsOf(secret).reduce((result, form) => result.replaceAll(form, () => secret.label), text),
    words,
  );
}

/** Longest first, because a form may contain another. */
function formsOf(secret: SecretValue): string[] {
  const value = secret.reveal();
  const lines = value.split(/[\r\n\0]+/).map((line) => line.trim());
  const forms = [value, ...lines].flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]);
  return [...new Set(forms)].filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
}
