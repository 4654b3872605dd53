/**
 * Information of the identity service about a token.
 * @internal Exported for tests that create one.
 */
export interface TokenInfo {
  readonly user: string;
  readonly roles: readonly string[];
  /** The project that the token is scoped to, with or without dashes. */
  readonly projectId?: string;
  readonly projectName?: string;
}

/** Returns undefined for an unknown or expired token. */
export type TokenChecker = (token: string) => TokenInfo | undefined | Promise<TokenInfo | undefined>;

/** Authorization mode: all requests, administrators only, or by access lists. */
export type AaaMode = "no-auth" | "cloud-admin" | "rbac";
export const AAA_MODES: readonly AaaMode[] = ["no-auth", "cloud-admin", "rbac"];
