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

const HEAD = {
  name: text,
  description: text,
  strict: { type: "boolean", default: false, description: "A run ends as refused as long as it does not hold." },
};

const HOUSE_RULE = {
  type: "object",
  additionalProperties: false,
  required: ["name", "xpath"],
  properties: {
    ...HEAD,
    xpath: { ...text, description: "XPath 1.0 from the place of the document, which must select nothing, whoever wrote it." },
  },
};

const OVERLAP = {
  type: "object",
  additionalProperties: false,
  required: ["name", "overlaps", "reason", "until"],
  properties: {
    name: text,
    description: text,
    overlaps: words("Rules of which lint may find that they do nothing."),
    reason: { ...text, description: "Why that is accepted." },
    until: { description: "Last day on which it is, yyyy-mm-dd." },
  },
};

const UNKNOWNS = {
  unknowns: {
    enum: ["deny", "accept"],
    default: "deny",
    description: "Whether what only an FQDN, a list or a group decides may break it.",
  },
  reason: { ...text, description: "Why unknowns are accepted." },
};

const ends = (description: string) => ({ anyOf: [text, { type: "array", minItems: 1, items: text }], description });

const OF_PATH = {
  type: "object",
  additionalProperties: false,
  required: ["name", "verdict", "path"],
  properties: {
    ...HEAD,
    verdict: { enum: ["allow", "deny"], description: "allow: each flow certainly arrives; deny: none can." },
    path: {
      type: "object",
      additionalProperties: false,
      required: ["source", "destination", "service"],
      description: "The whole way of each source to each destination, through all targets.",
      properties: {
        source: ends("Addresses, names of this target, or TARGET:NAME, where it begins then."),
        destination: ends("Addresses, names of this target, or TARGET:NAME."),
        service: ends("tcp/443, udp/53, icmp."),
        application: ends("Applications, each judged alone; any when left out."),
        from: ends("The zone that it comes in by, where routes do not say."),
        reaches: ends("Where what arrives must have come to, behind all NAT."),
        through: ends("The only other targets that are read; all when left out."),
      },
    },
    ...UNKNOWNS,
  },
};

const OF_FLOWS = {
  type: "object",
  additionalProperties: false,
  required: ["name", "verdict"],
  properties: {
    ...HEAD,
    verdict: { enum: ["allow", "deny"], description: "What every flow of it must meet with." },
    some: { type: "boolean", default: false, description: "At least one flow, and not every." },
    ...Object.fromEntries(FLOW_FIELDS.map((field) => [field, FIELDS[field]])),
    reaches: words("Where the one flow must come to, as its sender sends it: addresses after NAT."),
    except: {
      type: "array",
      minItems: 1,
      items: { type: "object", additionalProperties: false, minProperties: 1, properties: FIELDS },
      description: "Flows that are left out.",
    },
    ...UNKNOWNS,
  },
};

/** Returns the JSON Schema of `assert:`, for editors. `hasFlows`: rules of this kind can be analysed. */
export function assertSchema(hasFlows: boolean) {
  return {
    type: "array",
    description: hasFlows
      ? "What must be true of flows, whatever rules say so, and what the configuration must not hold."
      : "What the configuration must not hold.",
    items: hasFlows ? { anyOf: [OF_FLOWS, OF_PATH, HOUSE_RULE, OVERLAP] } : HOUSE_RULE,
  };
}
