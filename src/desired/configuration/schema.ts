import type { KindRegistry } from "../kind.js";
import { SECRET_SCHEMES } from "../template.js";
import { agentSchema } from "./agent-schema.js";
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
      "Patterns of the references that a commit may read which nobody has approved: env:FW_*, file:/run/secrets/*. Counts where PLUMBLINE_APPROVED names this file.",
  },
  credentials: {
    type: "object",
    propertyNames: { type: "string", pattern: `^(?:${SCHEMES}):.` },
    additionalProperties: { type: "array", items: { type: "string", pattern: "^https?://[^/]+$" } },
    description:
      "Where what a reference stands for may be sent: env:FW_PASSWORD: [https://192.0.2.10]. Counts where PLUMBLINE_APPROVED names this file.",
  },
} as const;

/**
 * Returns the JSON Schema (draft 7) of a `plumbline.yaml` with targets of these kinds. `schemas/plumbline.schema.json` contains it for
 * editors.
 */
export const configurationSchema = (kinds: KindRegistry) => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "plumbline.yaml",
  type: "object",
  required: ["format", "owner", "documents", "targets"],
  additionalProperties: false,
  properties: {
    format: { const: 1 },
    owner: {
      type: "string",
      pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
      description: "Who we are: one owner, one administrator account on each device.",
    },
    ledger: {
      type: "string",
      pattern: "^(?:git|store|/.+|https?://.+)$",
      description:
        "Where the one ledger of each target is: git, store (the agents' own), an absolute FILE or a URL. Default: the store where that is PostgreSQL, else git.",
    },
    administrators: {
      type: "array",
      items: nonEmptyText,
      description:
        "Accounts of this owner beside the one that we log in with. What anybody else changed last is not deleted by the ledger unasked.",
    },
    fingerprintKey: {
      type: "string",
      description:
        "A reference to the key that all machines which share a ledger know stored secrets by; a file of the state folder otherwise.",
    },
    store: {
      type: "string",
      pattern: `^(?:sqlite:.|postgres(?:ql)?://.|\\$\\{(?:${SCHEMES}):)`,
      description:
        "Where the agent keeps its memory: sqlite:PATH or postgres://USER@HOST/DATABASE, a password as a reference. Default: plumbline.db in the state folder.",
    },
    ...approved,
    documents: {
      type: "array",
      minItems: 1,
      items: nonEmptyText,
      description: "Folders; every file in them loads, or is listed in exclude:.",
    },
    exclude: { type: "array", items: nonEmptyText, description: "Patterns of files that are no documents, relative to plumbline.yaml." },
    targets: {
      type: "object",
      minProperties: 1,
      propertyNames: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$", not: { enum: RESERVED_TARGETS } },
      additionalProperties: {
        type: "object",
        required: ["kind"],
        discriminator: { propertyName: "kind" },
        oneOf: [...kinds.values()].map(({ settings }) => settings.schema),
      },
    },
    ...fleetSchema,
    agent: agentSchema,
    guards: {
      type: "object",
      additionalProperties: false,
      properties: {
        updates: share,
        deletes: share,
        from: { type: "integer", minimum: 0, description: "Shorter lists are measured by short: alone." },
        short: {
          ...share,
          description: "How much of a list of 3 and more entries, and fewer than from:, may be deleted at once. Default: 50%.",
        },
        emptyList: { enum: ["refuse", "allow"] },
        deletesPerDay: { type: "integer", minimum: 0 },
        targets: {
          type: "integer",
          minimum: 1,
          description:
            "How many targets a commit may be written to at once; more go in waves (agent.rollout), or with --allow targets=N. Default: 10.",
        },
      },
    },
  },
});
