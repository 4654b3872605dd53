import { SECRET_SCHEMES } from "../template.js";
import { DURATION_PATTERN } from "./duration.js";
import { PAGE_ROLES } from "./page-settings.js";

const text = { type: "string", minLength: 1 } as const;
const reference = { type: "string", pattern: `^\\$\\{(?:${SECRET_SCHEMES.join("|")}):.+\\}$` } as const;
const names = { type: "array", items: text, uniqueItems: true, minItems: 1 } as const;

/** JSON Schema of `agent.page` in `plumbline.yaml`. */
export const pageSchema = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  description: "Who may do what on the page of the agent (docs/page.md).",
  properties: {
    token: { ...reference, description: "A reference to one token for all: who has it may do everything, and is not told from others." },
    address: {
      type: "string",
      pattern: "^https?://[^/?#]+$",
      description: "Where people reach the page: https://plumbline.example.com. Needed for oidc.",
    },
    sessionKey: {
      ...reference,
      description: "A reference to what sessions are signed with, where several agents serve one page. Default: a key in the state folder.",
    },
    tokens: {
      type: "array",
      description: "Tokens of single people and machines.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["name"],
        oneOf: [{ required: ["token"] }, { required: ["sha256"] }],
        properties: {
          name: {
            type: "string",
            pattern: "^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$",
            description: "Stands in the history beside what was done.",
          },
          token: { ...reference, description: "A reference to the token; 16 characters or more." },
          sha256: { type: "string", pattern: "^[0-9a-f]{64}$", description: "The SHA-256 of the token, in its place." },
        },
      },
    },
    oidc: {
      type: "object",
      additionalProperties: false,
      required: ["issuer", "clientId"],
      description: "Signing in with a provider of OpenID Connect.",
      properties: {
        issuer: { type: "string", pattern: "^https?://.", description: "As the provider writes it." },
        clientId: text,
        clientSecret: { ...reference, description: "A reference to the client's secret. Default: none, for a public client." },
        scopes: { ...names, description: "Default: openid, profile, email." },
        nameClaim: {
          ...text,
          description: "By which people are called, in the history too; one that they cannot choose. Default: preferred_username.",
        },
        groupsClaim: { ...text, description: "The groups that rights name. Default: groups." },
        recheck: {
          type: "string",
          pattern: DURATION_PATTERN,
          description: "After how long the provider is asked again who somebody is, and in which groups. Default: 15m.",
        },
      },
    },
    rights: {
      type: "array",
      description: "What whom is let do. What no line says is not let.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["roles"],
        anyOf: ["groups", "people", "tokens", "signers", "signedIn", "visitors"].map((key) => ({ required: [key] })),
        properties: {
          roles: { type: "array", items: { enum: PAGE_ROLES }, uniqueItems: true, minItems: 1, description: "Each takes read along." },
          targets: { ...names, description: "Names and patterns of targets: edge, *-dc-*. Default: all." },
          groups: { ...names, description: "Groups that the provider tells." },
          people: { ...names, description: "People that the provider tells, by nameClaim." },
          tokens: { ...names, description: "Names of tokens." },
          signers: { ...names, description: "Allowed SSH signers, for notices that are signed with --sign-key." },
          signedIn: { const: true, description: "Whoever has signed in." },
          visitors: { const: true, description: "Whoever reaches the page; they can be let read alone." },
        },
      },
    },
  },
} as const;
