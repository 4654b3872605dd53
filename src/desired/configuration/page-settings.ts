import type { PAGE_ROLES, pageSchema, rightSchema } from "./page-schema.js";
import type { TextOf } from "./text-of.js";

/** `agent.page` as written in the file, already checked against the schema. */
export type PageText = TextOf<typeof pageSchema>;

/** A role on the page of an agent. Each role includes `read`. */
export type PageRole = (typeof PAGE_ROLES)[number];

/** A token of one person or machine. Secrets are unresolved references. */
export type TokenSettings = NonNullable<PageText["tokens"]>[number];

/** Roles on targets for users, groups and tokens. */
export type RightSettings = TextOf<typeof rightSchema>;

/** An OpenID Connect provider. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** An unresolved reference. Undefined for a public client. */
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  /** The claim that contains the user's name. */
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** Milliseconds after which the user's identity is checked again. */
  readonly recheck: number;
}

/** `agent.page` of `plumbline.yaml` with defaults. */
export interface PageSettings {
  /** A reference to the shared token. */
  readonly token: string | undefined;
  /** Public address of the page: scheme, name and port. */
  readonly address: string | undefined;
  /** A reference to the key that signs sessions. */
  readonly sessionKey: string | undefined;
  readonly tokens: readonly TokenSettings[];
  readonly oidc: ProviderSettings | undefined;
  readonly rights: readonly RightSettings[];
}

/** Applies the defaults. `milliseconds` parses a duration, or returns the default if there is no text. */
export function readPage(text: PageText, milliseconds: (text: string | undefined, otherwise: number) => number): PageSettings {
  const { token, address, sessionKey, tokens = [], oidc, rights = [] } = text;
  return { token, address, sessionKey, tokens, oidc: oidc === undefined ? undefined : readProvider(oidc, milliseconds), rights };
}

function readProvider(text: NonNullable<PageText["oidc"]>, milliseconds: Parameters<typeof readPage>[1]): ProviderSettings {
  const { issuer, clientId, clientSecret } = text;
  return {
    issuer,
    clientId,
    clientSecret,
    scopes: text.scopes ?? ["openid", "profile", "email"],
    nameClaim: text.nameClaim ?? "preferred_username",
    groupsClaim: text.groupsClaim ?? "groups",
    recheck: milliseconds(text.recheck, 15 * 60_000),
  };
}
