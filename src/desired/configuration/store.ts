import { PlumblineError, type Where } from "../../core/errors.js";
import { SecretValue } from "../../core/secret.js";
import type { SecretReader } from "../secrets.js";
import { isSecretReference, parseTemplate, type Template, type WrittenTemplate } from "../template.js";
import type { ConfigurationFile } from "./read.js";

const PASSWORD_IN_URL = /^postgres(?:ql)?:\/\/[^@/]*:[^@/]+@/;

/**
 * Splits `store:` at its references.
 *
 * @throws PlumblineError `unknown-reference`, `plaintext-secret`
 */
export function storeTemplate(text: string, where: Where): Template {
  const template = parseTemplate(text);
  const readable = (part: WrittenTemplate[number]): part is Template[number] => typeof part === "string" || isSecretReference(part);
  if ("unclosedAt" in template || !template.every(readable)) {
    throw new PlumblineError("unknown-reference", "The reference cannot be read.", {
      where,
      next: "Write ${env:NAME}, ${file:PATH} or ${exec:COMMAND}; $${ is a literal ${.",
    });
  }
  if (template.length === 1 && PASSWORD_IN_URL.test(text)) {
    throw new PlumblineError("plaintext-secret", "The password of the store is plain text in plumbline.yaml.", {
      where,
      next: "Write a reference (postgres://user:${env:NAME}@host/database); then change the password, because git remembers it.",
    });
  }
  return template;
}

/**
 * Returns `store:` with its references resolved, or undefined. A value inside a longer text is percent-encoded, so that a password may
 * contain any character. A reference without other text is not encoded.
 */
export async function readStoreSetting(file: ConfigurationFile, secrets: SecretReader): Promise<SecretValue | undefined> {
  const text = file.text.store;
  if (text === undefined) return undefined;
  const where = { file: file.file };
  const template = storeTemplate(text, where);
  const parts: string[] = [];
  for (const part of template) {
    if (typeof part === "string") parts.push(part);
    else if (isSecretReference(part)) {
      const value = await secrets.read(part, where);
      parts.push(template.length === 1 ? value : encodeURIComponent(value));
    }
  }
  return new SecretValue(parts.join(""), text);
}
