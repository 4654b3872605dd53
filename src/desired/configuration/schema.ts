import type { KindRegistry } from "../kind.js";
import { SECRET_SCHEMES } from "../template.js";
import { agentSchema } from "./agent-schema.js";
import { designSchema } from "./design-schema.js";
import { fleetSchema } from "./fleet-schema.js";
import { nonEmptyText } from "./target-schema.js";

const SCHEMES = SECRET_SCHEMES.join("|");
/** Words before the `:` of a reference. No target may have such a name. */
const RESERVED_TARGETS = [...SECRET_SCHEMES, "keep", "value"];

const share = {
  description: "A share such as 30%, or a number from 0 to 1.",
  anyOf: [
    { type: "string", pattern: "^(?:100|[0-9]{1,2}(?:\\.[0-9]+)?)%$" },
    { type: "number", minimum: 0, maximum: 1 },
  ],
} as const;

/** Allowed references and their destinations, for unapproved commits (docs/contributing/decisions.md#24-unapproved-commits-use-only-listed-references). */
const approved = {
  references: {
    type: "array",
    items: { type: "string", pattern: `^(?:${SCHEMES}):.` },
    description:
      "Patterns of references that an unapproved commit may read: env:FW_*, file:/run/secrets/*. Used if PLUMBLINE_APPROVED names this file.",
  },
  credentials: {
    type: "object",
    propertyNames: { type: "string", pattern: `^(?:${SCHEMES}):.` },
    additionalProperties: { type: "array", items: { type: "string", pattern: "^https?://[^/]+$" } },
    description:
      "Allowed destinations of referenced secrets: env:FW_PASSWORD: [https://192.0.2.10]. Used if PLUMBLINE_APPROVED names this file.",
  },
} as const;

/** Schema of a `plumbline.yaml` without `targets:`. */
export const settingsSchema = {
  type: "object",
  required: ["format", "owner", "documents"],
  additionalProperties: false,
  properties: {
    format: { const: 1, description: "Version of the desired-state format." },
    owner: {
      type: "string",
      pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
      description: "Name of this repository on devices. Each owner has one administrator account on each device.",
    },
    ledger: {
      type: "string",
      pattern: "^(?:git|store|/.+|https?://.+)$",
      description:
        "Place of the ledgers: git, store (of the agents), an absolute FILE or a URL. Default: the store if it uses PostgreSQL, otherwise git.",
    },
    administrators: {
      type: "array",
      items: nonEmptyText,
      description: "Other accounts of this owner. An object that a different account changed last is not deleted without confirmation.",
    },
    fingerprintKey: {
      type: "string",
      description:
        "A reference to the key for fingerprints of stored secrets, common to all machines that share a ledger. Default: a file in the state folder.",
    },
    store: {
      type: "string",
      pattern: `^(?:sqlite:.|postgres(?:ql)?://.|\\$\\{(?:${SCHEMES}):)`,
      description:
        "Database of the agent: sqlite:PATH or postgres://USER@HOST/DATABASE, with the password as a reference. Default: plumbline.db in the state folder.",
    },
    ...approved,
    documents: {
      type: "array",
      minItems: 1,
      items: nonEmptyText,
      description: "Folders of documents. Every file in them must load, or be listed in exclude:.",
    },
    exclude: { type: "array", items: nonEmptyText, description: "Patterns of files that are not documents, relative to plumbline.yaml." },
    ...fleetSchema,
    agent: agentSchema,
    design: designSchema,
    guards: {
      type: "object",
      description: "Limits on the changes of one run (docs/guards.md).",
      additionalProperties: false,
      properties: {
        updates: { ...share, description: "Maximum share of a list's entries to change in one run, such as 30% or 0.3." },
        deletes: { ...share, description: "Maximum share of a list's entries to delete in one run, such as 30% or 0.3." },
        from: { type: "integer", minimum: 0, description: "Lists with fewer entries use short: instead of this share." },
        short: {
          ...share,
          description: "Maximum share of a list with at least 3 and fewer than from: entries to delete in one run. Default: 50%.",
        },
        emptyList: { enum: ["refuse", "allow"], description: "Whether a run may delete the last entry of a list. Default: refuse." },
        deletesPerDay: { type: "integer", minimum: 0, description: "Maximum number of deletions on a target per UTC day, over all runs." },
        targets: {
          type: "integer",
          minimum: 1,
          description: "Maximum number of targets to write in one run. More need waves (agent.rollout) or --allow targets=N. Default: 10.",
        },
      },
    },
  },
} as const;

/**
 * Returns the JSON Schema (draft 7) of a `plumbline.yaml` with targets of these kinds. `schemas/plumbline.schema.json` contains it for
 * editors.
 */
export const configurationSchema = (kinds: KindRegistry) => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "plumbline.yaml",
  ...settingsSchema,
  required: [...settingsSchema.required, "targets"],
  properties: {
    ...settingsSchema.properties,
    targets: {
      type: "object",
      description: "Firewalls, clouds and controllers, by a name of your choice.",
      minProperties: 1,
      propertyNames: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$", not: { enum: RESERVED_TARGETS } },
      additionalProperties: {
        type: "object",
        required: ["kind"],
        discriminator: { propertyName: "kind" },
        oneOf: [...kinds.values()].map(({ settings }) => settings.schema),
      },
    },
  },
});
