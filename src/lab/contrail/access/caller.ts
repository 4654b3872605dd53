/** Who a request acts for. */
export interface Caller {
  readonly user: string;
  readonly roles: readonly string[];
  /** Of the token's project. */
  readonly projectName: string | undefined;
  /** Without dashes, as in `perms2.owner`. */
  readonly projectId: string | undefined;
  /** Sees and changes everything. */
  readonly admin: boolean;
  /** Whether a token stands behind the request: projects made by one own themselves. */
  readonly authenticated: boolean;
}

/** What requests act as where no token is asked for. */
export const NO_AUTH_CALLER: Caller = {
  user: "",
  roles: [],
  projectName: undefined,
  projectId: undefined,
  admin: true,
  authenticated: false,
};
