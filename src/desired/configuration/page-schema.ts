import { SECRET_SCHEMES } from "../template.js";
import { DURATION_PATTERN } from "./duration.js";

const text = { type: "string", minLength: 1 } as const;
const reference = { type: "string", pattern: `^\\$\\{(?:${SECRET_SCHEMES.join("|")}):.+\\}$` } as const;
const names = { type: "array", items: text, uniqueItems: true, minItems: 1 } as const;

/** Roles on the page of an agent. Each role includes `read`. */
export const PAGE_ROLES = ["read", "request", "plan", "pause", "reconcile", "approve", "allow"] as const;

/** JSON Schema of an entry of `agent.page.rights`, without the rule that it names somebody. */
export const rightSchema = {
  type: "object",
  additionalProperties: false,
  required: ["roles"],
  properties: {
    roles: { type: "array", items: { enum: PAGE_ROLES }, uniqueItems: true, minItems: 1, description: "Every role includes read." },
    targets: { ...names, description: "Names and patterns of targets: edge, *-dc-*. Default: all." },
    groups: { ...names, description: "Groups of the provider." },
    people: { ...names, description: "People of the provider, by nameClaim." },
    tokens: { ...names, description: "Names of tokens." },
    signers: { ...names, description: "Allowed SSH signers, for notices that are signed with --sign-key." },
    signedIn: { const: true, description: "Everyone who has signed in." },
    visitors: { const: true, description: "Everyone who reaches the page. Visitors can only have the role read." },
  },
} as const;

/** JSON Schema of `agent.page` in `plumbline.yaml`. */
export const pageSchema = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  description: "Access rights on the page of the agent (docs/page.md).",
  properties: {
    token: { ...reference, description: "A reference to a shared token. It gives all rights, and its users cannot be distinguished." },
    address: {
      type: "string",
      pattern: "^https?://[^/?#]+$",
      description: "Public address of the page, such as https://plumbline.example.com. Required for oidc.",
    },
    sessionKey: {
      ...reference,
      description:
        "A reference to the signing key of sessions, for several agents that serve one page. Default: a key in the state folder.",
    },
    tokens: {
      type: "array",
      description: "Tokens of individual people and machines.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["name"],
        oneOf: [{ required: ["token"] }, { required: ["sha256"] }],
        properties: {
          name: {
            type: "string",
            pattern: "^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$",
            description: "Shown in the history as the author of an action.",
          },
          token: { ...reference, description: "A reference to the token, with at least 16 characters." },
          sha256: { type: "string", pattern: "^[0-9a-f]{64}$", description: "The SHA-256 of the token, instead of the token." },
        },
      },
    },
    oidc: {
      type: "object",
      additionalProperties: false,
      required: ["issuer", "clientId"],
      description: "Login with an OpenID Connect provider.",
      properties: {
        issuer: { type: "string", pattern: "^https?://.", description: "Issuer, exactly as the provider writes it." },
        clientId: { ...text, description: "Client ID of Plumbline at the provider." },
        clientSecret: { ...reference, description: "A reference to the client secret. Omit it for a public client." },
        scopes: { ...names, description: "Scopes to request. Default: openid, profile, email." },
        nameClaim: {
          ...text,
          description:
            "Claim with the name of a person, also for the history. People must not be able to choose it. Default: preferred_username.",
        },
        groupsClaim: { ...text, description: "Claim with the groups of a person. Default: groups." },
        recheck: {
          type: "string",
          pattern: DURATION_PATTERN,
          description: "Time after which name and groups are read from the provider again. Default: 15m.",
        },
      },
    },
    rights: {
      type: "array",
      description: "Allowed actions. Actions that no entry allows are denied.",
      items: {
        ...rightSchema,
        anyOf: [
          { required: ["groups"] },
          { required: ["people"] },
          { required: ["tokens"] },
          { required: ["signers"] },
          { required: ["signedIn"] },
          { required: ["visitors"] },
        ],
      },
    },
  },
} as const;
