import type { ErrorObject } from "ajv";
import { PlumblineError, type Where } from "../../core/errors.js";
import { nearest } from "../suggest.js";

/** Returns the place in the file of a value, or of its key. */
type WhereOf = (keys: readonly string[], atKey?: boolean) => Where;

/** Converts Ajv errors to errors with the place in the file and a hint. */
export function schemaErrors(errors: readonly ErrorObject[], schema: object, where: WhereOf): PlumblineError[] {
  // Errors in branches of `anyOf` and `not` repeat the error of the keyword itself.
  const branches = errors.filter(({ keyword }) => keyword === "anyOf").map(({ schemaPath }) => `${schemaPath}/`);
  return errors
    .filter(
      (error) =>
        !branches.some((branch) => error.schemaPath.startsWith(branch)) && error.keyword !== "not" && error.propertyName === undefined,
    )
    .map((error) => schemaError(error, schema, where));
}

interface Parent {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown; readonly description?: string }>>;
  readonly description?: string;
}

const TYPES: Readonly<Record<string, string>> = {
  object: "a map",
  array: "a sequence",
  string: "text",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
};

function missingWords(key: string, parent: Parent | undefined): string {
  const schema = parent?.properties?.[key];
  if (schema?.const !== undefined) return `Write ${key}: ${JSON.stringify(schema.const)}.`;
  return `Write ${key}: and its value${schema?.description === undefined ? "." : ` (${schema.description.replace(/\.$/, "")}).`}`;
}

function typeWords(keys: readonly string[], parent: Parent | undefined): string {
  if (keys.length > 0) return parent?.description ?? "Correct the value.";
  return `Write its keys: ${Object.keys(parent?.properties ?? {}).join(", ")}; \`plumbline import\` writes a first file.`;
}

function schemaError(error: ErrorObject, schema: object, where: WhereOf): PlumblineError {
  const keys = keysOf(error.instancePath);
  const name = keys.join(".") || "The file";
  const parent = schemaAt(schema, keysOf(decodeURIComponent(error.schemaPath)).slice(0, -1)) as Parent | undefined;
  const params = error.params as Record<string, unknown>;
  const invalid = (message: string, next: string, at: Where): PlumblineError =>
    new PlumblineError("configuration-invalid", message, { where: at, next });
  switch (error.keyword) {
    case "additionalProperties": {
      const key = String(params.additionalProperty);
      const known = Object.keys(parent?.properties ?? {});
      const near = nearest(key, known);
      const next = near === undefined ? `Known keys: ${known.join(", ")}.` : `Did you mean "${near}"?`;
      return invalid(`"${key}" is not a valid key here.`, next, where([...keys, key], true));
    }
    case "required":
      return invalid(
        `${name} lacks "${String(params.missingProperty)}".`,
        missingWords(String(params.missingProperty), parent),
        where(keys),
      );
    case "type":
      return invalid(`${name} must be ${TYPES[String(params.type)] ?? String(params.type)}.`, typeWords(keys, parent), where(keys));
    case "pattern":
      return invalid(
        `${name} has an invalid value.`,
        parent?.description ?? `Write a value that matches ${String(params.pattern)}.`,
        where(keys),
      );
    case "anyOf":
      return invalid(`${name} has an invalid value.`, parent?.description ?? "Correct the value.", where(keys));
    case "minProperties":
    case "minItems":
      return invalid(`${name} is empty.`, parent?.description ?? "Write at least one.", where(keys));
    case "const":
      return invalid(
        `${name} must be ${JSON.stringify(params.allowedValue)}.`,
        "Write that, or use the version of Plumbline that reads it.",
        where(keys),
      );
    case "enum": {
      const allowed = (params.allowedValues as unknown[]).map(String);
      return invalid(`${name} has a value that is not allowed.`, `Write one of: ${allowed.join(", ")}.`, where(keys));
    }
    case "propertyNames":
      return invalid(
        `"${String(params.propertyName)}" cannot be the name of a target.`,
        "Use letters, digits, dots, dashes and underscores; env, file, exec, vault, sops, credential and keep are reserved.",
        where([...keys, String(params.propertyName)], true),
      );
    default:
      return invalid(`${name} ${error.message ?? "is not valid"}.`, parent?.description ?? "Correct the value.", where(keys));
  }
}

/** Splits a JSON pointer. */
function keysOf(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function schemaAt(schema: object, keys: readonly string[]): unknown {
  let at: unknown = schema;
  for (const key of keys) at = (at as Readonly<Record<string, unknown>> | undefined)?.[key];
  return at;
}
