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
  /** Whether the request has a token. A project created with a token owns itself. */
  readonly authenticated: boolean;
}

/** Caller of requests without a token. */
export const NO_AUTH_CALLER: Caller = {
  user: "",
  roles: [],
  projectName: undefined,
  projectId: undefined,
  admin: true,
  authenticated: false,
};
