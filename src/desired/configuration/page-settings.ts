/** Roles on the page of an agent. Each role includes `read`. */
export const PAGE_ROLES = ["read", "plan", "pause", "reconcile", "approve", "allow"] as const;
export type PageRole = (typeof PAGE_ROLES)[number];

/** A token of one person or machine. Secrets are unresolved references. */
export interface TokenSettings {
  readonly name: string;
  /** Set if `sha256` is not. */
  readonly token?: string;
  /** SHA-256 of the token, 64 hexadecimal digits. */
  readonly sha256?: string;
}

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

/** Roles on targets for the users, groups and tokens listed here. */
export interface RightSettings {
  readonly roles: readonly PageRole[];
  /** Names and patterns of targets. Undefined means all. */
  readonly targets?: readonly string[];
  /** Groups from the provider. */
  readonly groups?: readonly string[];
  /** Names of users, by `nameClaim`. */
  readonly people?: readonly string[];
  /** Principals of the allowed SSH signers file, for signed approvals and resumes (`--sign-key`). */
  readonly signers?: readonly string[];
  /** Names of `tokens:`. */
  readonly tokens?: readonly string[];
  /** Every user who has logged in. */
  readonly signedIn?: boolean;
  /** Everyone who can reach the page. */
  readonly visitors?: boolean;
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

/** The settings as written in the file, already checked against the schema. */
export interface PageText {
  readonly token?: string;
  readonly address?: string;
  readonly sessionKey?: string;
  readonly tokens?: readonly TokenSettings[];
  readonly oidc?: Partial<Omit<ProviderSettings, "issuer" | "clientId" | "recheck">> &
    Pick<ProviderSettings, "issuer" | "clientId"> & { readonly recheck?: string };
  readonly rights?: readonly RightSettings[];
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
