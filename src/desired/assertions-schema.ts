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
  strict: { type: "boolean", default: false, description: "Refuse runs until the assertion holds." },
};

const HOUSE_RULE = {
  type: "object",
  additionalProperties: false,
  required: ["name", "xpath"],
  properties: {
    ...HEAD,
    xpath: { ...text, description: "XPath 1.0 from the place of the document. It must select no node, declared or not." },
  },
};

const OVERLAP = {
  type: "object",
  additionalProperties: false,
  required: ["name", "overlaps", "reason", "until"],
  properties: {
    name: text,
    description: text,
    overlaps: words("Rules that lint may report as ineffective."),
    reason: { ...text, description: "Why this is accepted." },
    until: { description: "Last day of the exception, yyyy-mm-dd." },
  },
};

const UNKNOWNS = {
  unknowns: {
    enum: ["deny", "accept"],
    default: "deny",
    description: "Whether the assertion fails if the result depends on an unknown FQDN, list or group.",
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
    verdict: { enum: ["allow", "deny"], description: "allow: every flow arrives; deny: no flow can arrive." },
    path: {
      type: "object",
      additionalProperties: false,
      required: ["source", "destination", "service"],
      description: "The complete path of each source to each destination, through all targets.",
      properties: {
        source: ends("Addresses, names of this target, or TARGET:NAME. The path starts at that target."),
        destination: ends("Addresses, names of this target, or TARGET:NAME."),
        service: ends("tcp/443, udp/53, icmp."),
        application: ends("Applications, each evaluated separately. Default: any."),
        from: ends("The source zone, if routes do not define it."),
        reaches: ends("The destination after all NAT."),
        through: ends("The only other targets to read. Default: all."),
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
    verdict: { enum: ["allow", "deny"], description: "The required verdict of every flow." },
    some: { type: "boolean", default: false, description: "Require at least one flow instead of every flow." },
    ...Object.fromEntries(FLOW_FIELDS.map((field) => [field, FIELDS[field]])),
    reaches: words("The required destination of the flow, after NAT."),
    except: {
      type: "array",
      minItems: 1,
      items: { type: "object", additionalProperties: false, minProperties: 1, properties: FIELDS },
      description: "Flows to exclude.",
    },
    ...UNKNOWNS,
  },
};

/** Returns the JSON Schema of `assert:`, for editors. `hasFlows`: rules of this kind can be analysed. */
export function assertSchema(hasFlows: boolean) {
  return {
    type: "array",
    description: hasFlows
      ? "Conditions on flows, and content that the configuration must not have."
      : "Content that the configuration must not have.",
    items: hasFlows ? { anyOf: [OF_FLOWS, OF_PATH, HOUSE_RULE, OVERLAP] } : HOUSE_RULE,
  };
}
