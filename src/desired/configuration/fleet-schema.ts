import { scalar } from "../body/directive-table.js";

/** Parts of the schema of `plumbline.yaml` that concern several targets (JSON Schema, draft 7). */

const word = { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._/-]*$" } as const;
const list = { type: "array", minItems: 1, items: scalar } as const;
const valueNames = { type: "string", pattern: "^[A-Za-z][A-Za-z0-9._-]*$" } as const;
const oneOrMore = { anyOf: [word, { type: "array", minItems: 1, items: word }] } as const;

/** Types of values. A list of words such as `permit|deny` is also a type. */
const VALUE_TYPES = [
  "text",
  "address",
  "network",
  "address-or-network",
  "address-range",
  "host-address",
  "host-name",
  "integer",
  "port",
  "ports",
  "vlan",
  "boolean",
  "mac",
  "uuid",
] as const;

export const labels = {
  type: "object",
  propertyNames: word,
  additionalProperties: scalar,
  description: "Labels by which documents and groups select targets, such as site: zurich.",
} as const;

export const givenValues = {
  type: "object",
  propertyNames: valueNames,
  additionalProperties: { anyOf: [scalar, list] },
  description: "Values of ${value:NAME}. The value of the target has priority over the value of its groups, and over the default.",
} as const;

/** Keys that select targets. A target must match all given keys. */
export const selectionKeys = {
  names: { type: "array", minItems: 1, items: word, description: "Names of targets." },
  groups: { type: "array", minItems: 1, items: word, description: "Targets of any of these groups." },
  kind: { type: "string", description: "Targets of this kind." },
  labels: {
    type: "object",
    minProperties: 1,
    additionalProperties: { anyOf: [scalar, { type: "array", minItems: 1, items: scalar }] },
    description: "Targets whose labels have this value, or one of these.",
  },
  except: { ...oneOrMore, description: "All except these targets." },
} as const;

const { groups: _, ...groupSelection } = selectionKeys;

export const fleetSchema = {
  values: {
    type: "object",
    propertyNames: valueNames,
    description: "Values that documents can use as ${value:NAME}, each with a type and an optional default.",
    additionalProperties: {
      anyOf: [
        scalar,
        list,
        {
          type: "object",
          additionalProperties: false,
          properties: {
            type: {
              anyOf: [{ enum: VALUE_TYPES }, { type: "string", pattern: "^[^|]+(?:\\|[^|]+)+$" }],
              description: "Type of the value, or the allowed words: permit|deny.",
            },
            list: { type: "boolean", description: "Several values, for a list of members." },
            default: {
              anyOf: [scalar, list],
              description: "Value for targets without their own. Without a default, each target needs a value.",
            },
            description: { type: "string", description: "Explanation for readers." },
          },
        },
      ],
    },
  },
  groups: {
    type: "object",
    propertyNames: word,
    description: "Groups of targets: their members and their common values.",
    additionalProperties: { type: "object", additionalProperties: false, properties: { ...groupSelection, values: givenValues } },
  },
} as const;
