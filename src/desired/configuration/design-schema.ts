import { nonEmptyText } from "./target-schema.js";
import type { TextOf } from "./text-of.js";

/** JSON Schema of `design` in `plumbline.yaml`. */
export const designSchema = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  description:
    "Conventions for rules and objects that access requests add (docs/access-requests.md). What is omitted follows the other rules.",
  properties: {
    ruleName: {
      type: "string",
      pattern: "^(?:[A-Za-z0-9 ._-]|\\{(?:from|to|service|application|reason|n)\\})+$",
      description:
        "Name of a new rule: letters, digits, spaces, dots, dashes, underscores, {from}, {to}, {service}, {application}, {reason} (first word) and {n} (a free number).",
    },
    addressName: {
      type: "string",
      pattern: "^(?:[A-Za-z0-9 ._-]|\\{(?:address|n)\\})+$",
      description: "Name of a new address object: letters, digits, spaces, dots, dashes, underscores, {address} and {n} (a free number).",
    },
    serviceName: {
      type: "string",
      pattern: "^(?:[A-Za-z0-9 ._-]|\\{(?:protocol|port|n)\\})+$",
      description: "Name of a new service object, also with {protocol}, {port} and {n} (a free number).",
    },
    tags: { type: "array", items: nonEmptyText, uniqueItems: true, description: "Tags of a new rule. An empty list means no tags." },
    logSetting: { ...nonEmptyText, description: "Log forwarding profile of a new rule." },
    profileGroup: { ...nonEmptyText, description: "Group of security profiles of a new rule." },
    document: {
      type: "string",
      pattern: "^(?!/)(?!.*(?:^|/)\\.\\.(?:/|$)).+\\.ya?ml$",
      description:
        "Existing document for new rules and objects, relative to plumbline.yaml. {target} is the name of the target: {target}/rules.yaml.",
    },
  },
} as const;

/** `design` as written in the file, already checked against the schema. */
export type DesignSettings = TextOf<typeof designSchema>;
