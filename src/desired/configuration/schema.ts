import { agentSchema } from "./agent-schema.js";

/** JSON Schema (draft 7) of `plumbline.yaml`; `schemas/plumbline.schema.json` is this, for editors. */

/** Words before the `:` of a reference, so that no target can be called so. */
const RESERVED_TARGETS = ["env", "file", "exec", "keep"];

const text = { type: "string", minLength: 1 } as const;
const positive = { type: "integer", minimum: 1 } as const;
const share = {
  description: "A share such as 30%, or a number from 0 to 1.",
  anyOf: [
    { type: "string", pattern: "^(?:100|[0-9]{1,2}(?:\\.[0-9]+)?)%$" },
    { type: "number", minimum: 0, maximum: 1 },
  ],
} as const;

const common = {
  mode: { enum: ["observe", "propose", "enforce"], description: "What a run may do to this target. Default: observe." },
  modes: {
    description: "Subtrees of an enforced target, by XPath, that are only observed, or proposed.",
    type: "object",
    additionalProperties: { enum: ["observe", "propose"] },
  },
  rewriteLists: { enum: ["never", "allowed"], description: "Whether a whole exclusive list may be replaced at once. Default: never." },
  approve: { enum: ["none", "required"], description: "Whether changes that permit more must be approved. Default: none." },
} as const;

const tls = {
  type: "object",
  additionalProperties: false,
  properties: {
    ca: { ...text, description: "PEM file of the certificate authority." },
    pin: { type: "string", pattern: "^sha256(?:/[A-Za-z0-9+/]{43}=|:[0-9A-Fa-f:]{64,95})$" },
    insecure: { type: "boolean", description: "Do not verify the certificate; said aloud in every run." },
  },
} as const;

const timeout = { type: "number", exclusiveMinimum: 0, description: "Seconds for one request. Default: 60." } as const;
const httpUrl = { type: "string", pattern: "^https?://" } as const;

const panos = {
  type: "object",
  required: ["kind", "url"],
  additionalProperties: false,
  properties: {
    kind: { const: "panos" },
    url: { type: "string", pattern: "^https?://", description: "Address of the firewall, without /api." },
    identity: {
      type: "object",
      additionalProperties: false,
      description: "Verified on every pass: another box never gets this policy.",
      properties: { serial: text, model: text },
    },
    peers: { type: "array", items: { type: "string", pattern: "^https?://" }, description: "The other address of an HA pair." },
    credentials: {
      type: "object",
      additionalProperties: false,
      description: "A user and password, or an API key; secrets are references such as ${env:FW_PASSWORD}.",
      properties: { username: text, password: text, apiKey: text },
    },
    tls,
    ...common,
    http: { enum: ["auto", "get", "post"] },
    keyIn: { enum: ["parameter", "header"], description: "Where requests carry the API key. Default: parameter." },
    foreignChanges: { enum: ["refuse", "leaveOut"] },
    takeoverAfter: {
      description: "Age at which another run's lock may be taken over: seconds, or 90s, 15m, 2h.",
      anyOf: [positive, { type: "string", pattern: "^[1-9][0-9]*[smh]$" }],
    },
    maxRequestBytes: positive,
    maxBatchOperations: positive,
    maxPendingChanges: positive,
    timeout,
  },
} as const;

const openstack = {
  type: "object",
  required: ["kind"],
  additionalProperties: false,
  properties: {
    kind: { const: "openstack" },
    cloud: { ...text, description: "An entry of clouds.yaml. Without it and without url, the OS_* variables say which cloud." },
    url: { ...httpUrl, description: "Address of the identity service; with or without its version." },
    identityVersion: { enum: ["2.0", "3"], description: "Version of the identity service. Default: what it offers." },
    credentials: {
      type: "object",
      additionalProperties: false,
      description: "A user and password, or an application credential; secrets are references such as ${env:CLOUD_PASSWORD}.",
      properties: {
        username: text,
        password: text,
        userDomain: text,
        applicationCredentialId: text,
        applicationCredentialName: text,
        applicationCredentialSecret: text,
      },
    },
    project: {
      type: "object",
      additionalProperties: false,
      minProperties: 1,
      description: "The project that the target is: its id, or its name and domain.",
      properties: { id: text, name: text, domain: text },
    },
    region: text,
    interface: { enum: ["public", "internal", "admin"], description: "Which addresses of the catalog to use. Default: public." },
    endpoints: {
      type: "object",
      description: "Addresses that stand in for those of the catalog, by type of service.",
      propertyNames: { type: "string", pattern: "^[a-z][a-z0-9-]*$" },
      additionalProperties: httpUrl,
    },
    tls,
    ...common,
    timeout,
    createSettle: {
      type: "number",
      minimum: 0,
      description: "Seconds to look for what a create made whose reply was lost, before it is repeated. Default: 30.",
    },
    concurrency: { type: "integer", minimum: 1, maximum: 10, description: "Requests to one service at once. Default: 10." },
    pageSize: { ...positive, description: "Objects asked for in one page. Default: what the service gives." },
  },
} as const;

const contrail = {
  type: "object",
  required: ["kind", "url"],
  additionalProperties: false,
  properties: {
    kind: { const: "contrail" },
    url: { ...httpUrl, description: "Address of the controller's configuration interface." },
    auth: {
      description: "from: a target of kind openstack whose token is sent; or a user and password; nothing where it is left out.",
      type: "object",
      additionalProperties: false,
      properties: { from: text, username: text, password: text },
    },
    tls,
    ...common,
    timeout,
  },
} as const;

const memory = {
  type: "object",
  required: ["kind", "file"],
  additionalProperties: false,
  properties: { kind: { const: "memory" }, file: { ...text, description: "XML file that holds the tree." }, ...common },
} as const;

/** Kinds of target that this version can load. */
export const SUPPORTED_KINDS = ["panos", "openstack", "contrail", "memory"] as const;

export const configurationSchema = {
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
    fingerprintKey: {
      type: "string",
      description:
        "A reference to the key that all machines which share a ledger know stored secrets by; a file of the state folder otherwise.",
    },
    store: {
      type: "string",
      pattern: "^(?:sqlite:.|postgres(?:ql)?://.|\\$\\{(?:env|file|exec):)",
      description:
        "Where the agent keeps its memory: sqlite:PATH or postgres://USER@HOST/DATABASE, a password as a reference. Default: plumbline.db in the state folder.",
    },
    documents: {
      type: "array",
      minItems: 1,
      items: text,
      description: "Folders; every file in them loads, or is listed in exclude:.",
    },
    exclude: { type: "array", items: text, description: "Patterns of files that are no documents, relative to plumbline.yaml." },
    targets: {
      type: "object",
      minProperties: 1,
      propertyNames: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$", not: { enum: RESERVED_TARGETS } },
      additionalProperties: {
        type: "object",
        required: ["kind"],
        discriminator: { propertyName: "kind" },
        oneOf: [panos, openstack, contrail, memory],
      },
    },
    agent: agentSchema,
    guards: {
      type: "object",
      additionalProperties: false,
      properties: {
        updates: share,
        deletes: share,
        from: { type: "integer", minimum: 0, description: "Lists shorter than this are not measured by share." },
        emptyList: { enum: ["refuse", "allow"] },
        deletesPerDay: { type: "integer", minimum: 0 },
      },
    },
  },
} as const;
