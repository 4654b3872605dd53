import type { JSONSchema } from "json-schema-to-ts";
import { givenValues, labels } from "./fleet-schema.js";

/** Parts of the schemas of all kinds of targets (JSON Schema, draft 7). */

export const nonEmptyText = { type: "string", minLength: 1 } as const;

export const positive = { type: "integer", minimum: 1 } as const;

/** Keys of every kind of target. */
export const commonKeys = {
  mode: { enum: ["observe", "propose", "enforce"], description: "Access of runs to this target. Default: observe." },
  modes: {
    description: "Subtrees of an enforced target, by XPath, with mode observe or propose.",
    type: "object",
    additionalProperties: { enum: ["observe", "propose"] },
  },
  rewriteLists: {
    enum: ["never", "allowed"],
    description: "Whether an exclusive list may be replaced completely in one request. Default: never.",
  },
  approve: { enum: ["none", "required"], description: "Whether plans need an approval before they are applied. Default: none." },
  labels,
  values: givenValues,
  takeoverAfter: {
    description: "Age at which another run's lock or lease may be taken over: seconds, or 90s, 15m, 2h. Default: 15m.",
    anyOf: [positive, { type: "string", pattern: "^[1-9][0-9]*[smh]$" }],
  },
} as const;

/** Schema of the keys of every kind of target. */
export const commonSchema = { type: "object", properties: commonKeys } as const;

export const tls = {
  type: "object",
  description: "Verification of the server's certificate.",
  additionalProperties: false,
  properties: {
    ca: { ...nonEmptyText, description: "PEM file of the certificate authority." },
    pin: {
      type: "string",
      pattern: "^sha256(?:/[A-Za-z0-9+/]{43}=|:[0-9A-Fa-f:]{64,95})$",
      description: "Fingerprint of the only accepted certificate: sha256:HEX, or sha256/BASE64 of its public key.",
    },
    insecure: { type: "boolean", description: "Do not verify the certificate. Every run prints a warning." },
    plaintext: {
      type: "boolean",
      description: "Allow sending credentials by plain http to other machines. Every run prints a warning.",
    },
  },
} as const;

export const timeout = { type: "number", exclusiveMinimum: 0, description: "Seconds for one request. Default: 60." } as const;

export const httpUrl = { type: "string", pattern: "^https?://" } as const;

/** Returns the schema of rollout settings. `of`: its members; `what`: the thing that they receive. */
export function rolloutSchema(of: string, what: string, addition: string) {
  const names = { type: "array", items: { type: "string", minLength: 1 }, uniqueItems: true } as const;
  return {
    type: "object",
    additionalProperties: false,
    description: `Order in which ${of.toLowerCase()} get ${what}.`,
    properties: {
      canary: { ...names, description: `${of} that get ${what} first.` },
      batch: { type: "integer", minimum: 1, description: `${of} in parallel after them. Default: all.` },
      apart: {
        type: "array",
        items: { ...names, minItems: 2 },
        description: `Groups of ${of.toLowerCase()} whose members are never in the same batch${addition}.`,
      },
    },
  } as const;
}

/** Schema of an entry of `targets:`. */
export interface TargetSchema {
  readonly type: "object";
  readonly required: readonly string[];
  readonly additionalProperties: false;
  /** By key; `kind` first. */
  readonly properties: Readonly<Record<string, JSONSchema>>;
}

/** Returns the schema of the targets of one kind. `required`: required keys in addition to `kind`. */
export function targetSchema<
  const Kind extends string,
  const Required extends readonly string[],
  const Properties extends Readonly<Record<string, JSONSchema>> & typeof commonKeys,
>(kind: Kind, required: Required, properties: Properties) {
  return {
    type: "object",
    required: ["kind", ...required],
    additionalProperties: false,
    properties: { kind: { const: kind, description: "Kind of the target." }, ...properties },
  } as const;
}
