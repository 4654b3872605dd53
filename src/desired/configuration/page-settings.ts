/** What a person may be let do on the page of an agent. Each takes `read` along. */
export const PAGE_ROLES = ["read", "plan", "pause", "reconcile", "approve", "allow"] as const;
export type PageRole = (typeof PAGE_ROLES)[number];

/** A token of one person or machine; secrets are references, not resolved. */
export interface TokenSettings {
  readonly name: string;
  /** Either this or `sha256`. */
  readonly token?: string;
  /** 64 hexadecimal digits: the SHA-256 of the token. */
  readonly sha256?: string;
}

/** A provider of OpenID Connect. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** A reference; a client without one is a public one. */
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  /** The claim that people are called by. */
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** Milliseconds after which it is asked again who somebody is. */
  readonly recheck: number;
}

/** Some roles on some targets, for all that it names. */
export interface RightSettings {
  readonly roles: readonly PageRole[];
  /** Names and patterns of targets; all where undefined. */
  readonly targets?: readonly string[];
  /** As the provider tells them. */
  readonly groups?: readonly string[];
  /** By the claim that people are called by. */
  readonly people?: readonly string[];
  /** Principals of the file of allowed SSH signers, for approvals and resumes that are signed (`--sign-key`). */
  readonly signers?: readonly string[];
  /** Names of `tokens:`. */
  readonly tokens?: readonly string[];
  /** Whoever has signed in. */
  readonly signedIn?: boolean;
  /** Whoever reaches the page. */
  readonly visitors?: boolean;
}

/** `agent.page` of `plumbline.yaml`, defaults filled in. */
export interface PageSettings {
  /** A reference to the one token for all. */
  readonly token: string | undefined;
  /** Where people reach the page: scheme, name and port. */
  readonly address: string | undefined;
  /** A reference to what sessions are signed with. */
  readonly sessionKey: string | undefined;
  readonly tokens: readonly TokenSettings[];
  readonly oidc: ProviderSettings | undefined;
  readonly rights: readonly RightSettings[];
}

/** As the file writes it, already checked against the schema. */
export interface PageText {
  readonly token?: string;
  readonly address?: string;
  readonly sessionKey?: string;
  readonly tokens?: readonly TokenSettings[];
  readonly oidc?: Partial<Omit<ProviderSettings, "issuer" | "clientId" | "recheck">> &
    Pick<ProviderSettings, "issuer" | "clientId"> & { readonly recheck?: string };
  readonly rights?: readonly RightSettings[];
}

/** `milliseconds` reads a length of time, or gives the one that holds where none is said. */
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
