import { isObject, type Json, type JsonObject } from "../../../core/json/value.js";
import { SecretValue } from "../../../core/secret.js";
import type { Body } from "./request.js";

/** Encodes a body as JSON and collects its secrets. */
export function encodeBody(body: Body): { readonly text: string; readonly secrets: readonly SecretValue[] } {
  const secrets: SecretValue[] = [];
  return { text: encode(body, secrets), secrets };
}

function encode(value: Body, secrets: SecretValue[]): string {
  if (value instanceof SecretValue) {
    secrets.push(value);
    return JSON.stringify(value.reveal());
  }
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((each) => encode(each, secrets)).join(",")}]`;
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : [`${JSON.stringify(key)}:${encode(member, secrets)}`],
  );
  return `{${members.join(",")}}`;
}

function isList(value: object): value is readonly Body[] {
  return Array.isArray(value);
}

/** Secret fields of replies. The service returns each of them only once, in the reply to a create. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(["adminPass", "private_key"]);

/** Replaces the secrets in a reply with their labels, in place, and returns them by field name. */
export function extractSecrets(body: JsonObject): { readonly body: JsonObject; readonly secrets: ReadonlyMap<string, SecretValue> } {
  const secrets = new Map<string, SecretValue>();
  const visit = (value: Json | undefined): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (isObject(value)) for (const key of Object.keys(value)) take(value, key);
  };
  const take = (value: JsonObject, key: string): void => {
    const member = value[key];
    if (!SECRET_FIELDS.has(key) || typeof member !== "string") {
      visit(member);
      return;
    }
    const secret = new SecretValue(member, `«${key}»`);
    secrets.set(key, secret);
    value[key] = secret.label;
  };
  visit(body);
  return { body, secrets };
}
