/**
 * What the identity service says about a token.
 *
 * @internal Exported for tests that make one.
 */
export interface TokenInfo {
  readonly user: string;
  readonly roles: readonly string[];
  /** Of the project that the token is scoped to; without or with dashes. */
  readonly projectId?: string;
  readonly projectName?: string;
}

/** Answers undefined for a token that is unknown or has expired. */
export type TokenChecker = (token: string) => TokenInfo | undefined | Promise<TokenInfo | undefined>;

/** How requests are let in: all, administrators only, or by the rules of access lists. */
export type AaaMode = "no-auth" | "cloud-admin" | "rbac";
export const AAA_MODES: readonly AaaMode[] = ["no-auth", "cloud-admin", "rbac"];
