/** Account that a request acts for. */
export interface Caller {
  readonly user: string;
  readonly roles: readonly string[];
  /** Project of the token. */
  readonly projectName: string | undefined;
  /** Without dashes, as in `perms2.owner`. */
  readonly projectId: string | undefined;
  /** Has access to all objects. */
  readonly admin: boolean;
  /** Whether the request has a token. Projects created with a token own themselves. */
  readonly authenticated: boolean;
}

/** The caller if no token is required. */
export const NO_AUTH_CALLER: Caller = {
  user: "",
  roles: [],
  projectName: undefined,
  projectId: undefined,
  admin: true,
  authenticated: false,
};
