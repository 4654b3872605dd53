import { SecretValue } from "./secret.js";

/** Shorter secrets would be found in words that hold none. */
const SHORTEST = 3;

/**
 * Services quote what they refuse. A secret that a request revealed is put back behind its label wherever their words repeat
 * it: whole, as JSON writes it, or line by line. What is no secret is left as it is.
 */
export function hideSecrets(words: string, sent: readonly unknown[]): string {
  const secrets = sent.filter((each) => each instanceof SecretValue);
  return secrets.reduce((text, secret) => formsOf(secret).reduce((said, form) => said.replaceAll(form, () => secret.label), text), words);
}

/** The longest first, since one may hold another. */
function formsOf(secret: SecretValue): string[] {
  const value = secret.reveal();
  const lines = value.split(/[\r\n\0]+/).map((line) => line.trim());
  const forms = [value, ...lines].flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]);
  return [...new Set(forms)].filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
}
