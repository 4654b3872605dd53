import { FLOW_FIELDS, type FlowField } from "./assertions.js";

const text = { type: "string", minLength: 1 };
const words = (description: string) => ({ type: "array", minItems: 1, items: text, description });

const FIELDS: Readonly<Record<FlowField, ReturnType<typeof words>>> = {
  from: words("Zones that the flows come from."),
  to: words("Zones that they go to."),
  source: words("Addresses, networks, or names of objects."),
  destination: words("Addresses, networks, or names of objects."),
  service: words("tcp/443, udp/53, icmp, or names of services."),
  application: words("Applications or groups."),
};

/** JSON Schema of `assert:`, for editors. */
export const assertSchema = {
  type: "array",
  description: "What must be true of flows, whatever rules say so.",
  items: {
    type: "object",
    additionalProperties: false,
    required: ["name", "verdict"],
    properties: {
      name: text,
      description: text,
      verdict: { enum: ["allow", "deny"], description: "What every flow of it must meet with." },
      some: { type: "boolean", default: false, description: "At least one flow, and not every." },
      ...Object.fromEntries(FLOW_FIELDS.map((field) => [field, FIELDS[field]])),
      except: {
        type: "array",
        minItems: 1,
        items: { type: "object", additionalProperties: false, minProperties: 1, properties: FIELDS },
        description: "Flows that are left out.",
      },
      unknowns: {
        enum: ["deny", "accept"],
        default: "deny",
        description: "Whether what only an FQDN, a list or a group decides may break it.",
      },
      reason: { ...text, description: "Why unknowns are accepted." },
      strict: { type: "boolean", default: false, description: "A run ends as refused as long as it does not hold." },
    },
  },
};
